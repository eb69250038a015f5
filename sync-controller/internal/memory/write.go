// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// note records a write. The lock must be held.
func (w *World) note(verb string, gvk schema.GroupVersionKind, subresource, name string) {
	w.version++
	w.writes = append(w.writes, Write{Verb: verb, Resource: resourceOf(gvk.Kind), Subresource: subresource, Name: name})
}

// resourceOf returns the resource of a kind: its name in the plural.
func resourceOf(kind string) string {
	plural := strings.ToLower(kind)
	if !strings.HasSuffix(plural, "s") {
		plural += "s"
	}
	return plural
}

// stamp gives an object that is written a new version. The lock must be held.
func (w *World) stamp(o client.Object) {
	version := fmt.Sprintf("%s%d", planned, w.version)
	if _, ok := o.(*porchapi.PackageRevision); ok && w.commits {
		version = fmt.Sprintf("%040x", w.version)
	}
	o.SetResourceVersion(version)
}

// planned begins the versions of what was written.
const planned = "planned-"

// Create implements client.Writer. A dry run says what would be refused.
func (w *World) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	switch object := o.(type) {
	case *authorizationv1.SelfSubjectAccessReview:
		var err error
		object.Status.Allowed, err = w.rights(ctx, object.Spec.ResourceAttributes)
		return err
	case *porchapi.PackageRevision:
		return w.createRevision(ctx, object)
	}
	gvk, err := w.kindOf(o)
	if err != nil {
		return err
	}
	if err := w.admit(ctx, gvk, o); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.store(gvk.GroupKind()).get(client.ObjectKeyFromObject(o)) != nil {
		return apierrors.NewAlreadyExists(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, o.GetName())
	}
	if len(new(client.CreateOptions).ApplyOptions(opts).DryRun) > 0 {
		return nil
	}
	w.note("create", gvk, "", o.GetName())
	o.SetUID(types.UID(fmt.Sprintf("planned-%s", o.GetName())))
	o.SetGeneration(1)
	o.SetCreationTimestamp(metav1.Time{Time: w.now})
	w.stamp(o)
	return w.put(copyOf(o))
}

// Update implements client.Writer, for the content of package revisions.
func (w *World) Update(ctx context.Context, o client.Object, _ ...client.UpdateOption) error {
	if prr, ok := o.(*porchapi.PackageRevisionResources); ok {
		return w.save(ctx, prr)
	}
	return fmt.Errorf("a %T is not updated, but patched", o)
}

// Patch implements client.Writer. A dry run says what would be refused.
func (w *World) Patch(ctx context.Context, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
	dry := len(new(client.PatchOptions).ApplyOptions(opts).DryRun) > 0
	return w.patch(ctx, o, patch, "", dry)
}

// patch patches an object, or a subresource of it; a dry run only says whether that would be refused.
func (w *World) patch(ctx context.Context, o client.Object, patch client.Patch, subresource string, dry bool) error {
	gvk, err := w.kindOf(o)
	if err != nil {
		return err
	}
	data, err := patch.Data(o)
	if err != nil {
		return err
	}
	var touched map[string]string
	if gvk == revisions {
		if touched, err = w.touched(ctx, client.ObjectKeyFromObject(o)); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before, after, err := w.outcome(ctx, gvk, o, data, subresource)
	if err != nil || dry {
		return err
	}
	w.note("patch", gvk, subresource, o.GetName())
	w.stamp(after)
	was, okWas := before.(*porchapi.PackageRevision)
	if is, ok := after.(*porchapi.PackageRevision); ok && okWas {
		w.revise(was, is, touched)
	}
	if !after.GetDeletionTimestamp().IsZero() && len(after.GetFinalizers()) == 0 {
		w.remove(w.store(gvk.GroupKind()), after)
	} else if err := w.put(after); err != nil {
		return err
	}
	return copyInto(after, o)
}

// outcome returns an object before a patch and after it, or the error of an API server that refuses it. The lock
// must be held.
func (w *World) outcome(ctx context.Context, gvk schema.GroupVersionKind, o client.Object, data []byte,
	subresource string) (before, after client.Object, err error) {
	before = w.store(gvk.GroupKind()).get(client.ObjectKeyFromObject(o))
	if before == nil {
		return nil, nil, notFound(gvk, o.GetName())
	}
	after, err = patched(before, data)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot patch %s %s: %w", gvk.Kind, o.GetName(), err)
	}
	if !sameCommit(after.GetResourceVersion(), before.GetResourceVersion()) {
		return nil, nil, apierrors.NewConflict(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, o.GetName(),
			fmt.Errorf("it is at %s", before.GetResourceVersion()))
	}
	if subresource == "status" || equality.Semantic.DeepEqual(specOf(before), specOf(after)) {
		return before, after, nil
	}
	if err := checkMoved(before, after); err != nil {
		return nil, nil, err
	}
	after.SetGeneration(before.GetGeneration() + 1)
	return before, after, w.admit(ctx, gvk, after)
}

// sameCommit compares versions by commit: the version of a cached package revision contains more.
func sameCommit(a, b string) bool {
	a, _, _ = strings.Cut(a, "+")
	b, _, _ = strings.Cut(b, "+")
	return a == b
}

// patched returns an object with a merge patch applied.
func patched(before client.Object, data []byte) (client.Object, error) {
	text, err := json.Marshal(before)
	if err != nil {
		return nil, err
	}
	if text, err = jsonpatch.MergePatch(text, data); err != nil {
		return nil, err
	}
	after, ok := reflect.New(reflect.TypeOf(before).Elem()).Interface().(client.Object)
	if !ok {
		return nil, fmt.Errorf("a %T is no object", before)
	}
	return after, json.Unmarshal(text, after)
}

// specOf returns the spec of an object.
func specOf(o client.Object) any {
	spec := reflect.Indirect(reflect.ValueOf(o)).FieldByName("Spec")
	if !spec.IsValid() {
		return nil
	}
	return spec.Interface()
}

// Delete implements client.Writer. An object with a finalizer is only marked, as by an API server.
func (w *World) Delete(_ context.Context, o client.Object, _ ...client.DeleteOption) error {
	gvk, err := w.kindOf(o)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.store(gvk.GroupKind())
	found := s.get(client.ObjectKeyFromObject(o))
	if found == nil {
		return notFound(gvk, o.GetName())
	}
	w.note("delete", gvk, "", o.GetName())
	return w.delete(s, found)
}

// delete removes an object, or marks it. The lock must be held.
func (w *World) delete(s *store, o client.Object) error {
	if len(o.GetFinalizers()) == 0 {
		w.remove(s, o)
		return nil
	}
	if !o.GetDeletionTimestamp().IsZero() {
		return nil
	}
	marked := copyOf(o)
	marked.SetDeletionTimestamp(&metav1.Time{Time: w.now})
	marked.SetGeneration(o.GetGeneration() + 1)
	w.stamp(marked)
	return w.put(marked)
}

// remove removes an object, and the objects that no other object owns, as the cluster's garbage collector does. The
// lock must be held.
func (w *World) remove(s *store, o client.Object) {
	s.drop(client.ObjectKeyFromObject(o))
	delete(w.drafts, client.ObjectKeyFromObject(o))
	for _, other := range w.stores {
		for _, owned := range other.all() {
			refs := owned.GetOwnerReferences()
			if len(refs) == 1 && refs[0].UID == o.GetUID() && o.GetUID() != "" && owned.GetNamespace() == o.GetNamespace() {
				_ = w.delete(other, owned) // it has a kind that is stored
			}
		}
	}
}

// DeleteAllOf implements client.Writer: nothing asks for it.
func (*World) DeleteAllOf(context.Context, client.Object, ...client.DeleteAllOfOption) error {
	return fmt.Errorf("objects are deleted one by one")
}

// Apply implements client.Writer: nothing asks for it.
func (*World) Apply(context.Context, runtime.ApplyConfiguration, ...client.ApplyOption) error {
	return fmt.Errorf("objects are patched, not applied")
}

// Status implements client.StatusClient.
func (w *World) Status() client.SubResourceWriter { return w.SubResource("status") }

// SubResource implements client.SubResourceClientConstructor.
func (w *World) SubResource(name string) client.SubResourceClient {
	return &subresource{World: w, name: name}
}

// subresource is a subresource of the objects of a world.
type subresource struct {
	*World
	name string
}

// Get implements client.SubResourceReader: nothing asks for it.
func (s *subresource) Get(context.Context, client.Object, client.Object, ...client.SubResourceGetOption) error {
	return fmt.Errorf("the subresource %s is not read", s.name)
}

// Create implements client.SubResourceWriter: nothing asks for it.
func (s *subresource) Create(context.Context, client.Object, client.Object, ...client.SubResourceCreateOption) error {
	return fmt.Errorf("the subresource %s is not created", s.name)
}

// Update implements client.SubResourceWriter: nothing asks for it.
func (s *subresource) Update(context.Context, client.Object, ...client.SubResourceUpdateOption) error {
	return fmt.Errorf("the subresource %s is patched, not updated", s.name)
}

// Apply implements client.SubResourceWriter: nothing asks for it.
func (s *subresource) Apply(context.Context, runtime.ApplyConfiguration, ...client.SubResourceApplyOption) error {
	return fmt.Errorf("the subresource %s is patched, not applied", s.name)
}

// Patch implements client.SubResourceWriter.
func (s *subresource) Patch(ctx context.Context, o client.Object, patch client.Patch,
	_ ...client.SubResourcePatchOption) error {
	return s.patch(ctx, o, patch, s.name, false)
}

// BeginDeletion has an object be being deleted, as one that something else has to let go.
func (w *World) BeginDeletion(o client.Object) error {
	gvk, err := w.kindOf(o)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	found := w.store(gvk.GroupKind()).get(client.ObjectKeyFromObject(o))
	if found == nil {
		return nil
	}
	now := copyOf(found)
	now.SetDeletionTimestamp(&metav1.Time{Time: w.now})
	w.version++
	w.stamp(now)
	if pr, ok := now.(*porchapi.PackageRevision); ok {
		if content := w.drafts[client.ObjectKeyFromObject(pr)]; content != nil {
			w.drafts[client.ObjectKeyFromObject(pr)] = contentOf(pr, content.Spec.Resources)
		}
	}
	return w.put(now)
}
