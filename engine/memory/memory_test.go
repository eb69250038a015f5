// SPDX-License-Identifier: Apache-2.0

package memory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/memory"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

const namespace = "fleet"

func named(name string, owners ...metav1.OwnerReference) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name), OwnerReferences: owners}
}

func variantOf(name string, owners ...metav1.OwnerReference) *v1alpha1.PackageVariant {
	return &v1alpha1.PackageVariant{ObjectMeta: named(name, owners...)}
}

// TestWrites checks which writes to variants are done, refused or only tried, and that those that are done are listed.
func TestWrites(t *testing.T) {
	t.Parallel()
	refused := func(_ context.Context, pv *v1alpha1.PackageVariant) error {
		if pv.Spec.Suspend {
			return errors.New("not here")
		}
		return nil
	}
	suspended := variantOf("new")
	suspended.Spec.Suspend = true
	for name, test := range map[string]struct {
		write func(ctx context.Context, o *memory.Objects, before, pv *v1alpha1.PackageVariant) error
		kind  error
		want  []string
	}{
		"create": {func(ctx context.Context, o *memory.Objects, _, _ *v1alpha1.PackageVariant) error {
			return o.Create(ctx, variantOf("new"), objects.How{})
		}, nil, []string{"create packagevariants new"}},
		"try to create": {func(ctx context.Context, o *memory.Objects, _, _ *v1alpha1.PackageVariant) error {
			return o.Create(ctx, variantOf("new"), objects.How{Try: true})
		}, nil, nil},
		"create what is there": {func(ctx context.Context, o *memory.Objects, _, pv *v1alpha1.PackageVariant) error {
			return o.Create(ctx, pv, objects.How{})
		}, packages.ErrStale, nil},
		"create what is not admitted": {func(ctx context.Context, o *memory.Objects, _, _ *v1alpha1.PackageVariant) error {
			return o.Create(ctx, suspended.DeepCopy(), objects.How{Try: true})
		}, packages.ErrRefused, nil},
		"update to what is not admitted": {func(ctx context.Context, o *memory.Objects, before, pv *v1alpha1.PackageVariant) error {
			pv.Spec.Suspend = true
			return o.Update(ctx, before, pv, objects.How{})
		}, packages.ErrRefused, nil},
		"try to update": {func(ctx context.Context, o *memory.Objects, before, pv *v1alpha1.PackageVariant) error {
			pv.Labels = map[string]string{"a": "b"}
			return o.Update(ctx, before, pv, objects.How{Try: true})
		}, nil, nil},
		"update what has changed": {func(ctx context.Context, o *memory.Objects, before, pv *v1alpha1.PackageVariant) error {
			before.ResourceVersion, pv.Labels = "0", map[string]string{"a": "b"}
			return o.Update(ctx, before, pv, objects.How{})
		}, nil, []string{"patch packagevariants web"}},
		"update exactly what has changed": {func(ctx context.Context, o *memory.Objects, before, pv *v1alpha1.PackageVariant) error {
			before.ResourceVersion = "0"
			return o.Update(ctx, before, pv, objects.How{Exact: true})
		}, packages.ErrStale, nil},
		"delete what was made again": {func(ctx context.Context, o *memory.Objects, _, pv *v1alpha1.PackageVariant) error {
			pv.UID = "before"
			return o.Delete(ctx, pv)
		}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := memory.New(memory.Options{})
			w.Objects.Admit = refused
			w.Objects.Add(variantOf("web"))
			before, err := w.Objects.Variant(t.Context(), namespace, "web")
			if err != nil {
				t.Fatal(err)
			}
			if err := test.write(t.Context(), w.Objects, before, before.DeepCopy()); !errors.Is(err, test.kind) {
				t.Errorf("error %v, want %v", err, test.kind)
			}
			var writes []string
			for _, write := range w.Writes() {
				writes = append(writes, write.Request()+" "+write.Name)
			}
			if diff := cmp.Diff(test.want, writes); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOwned checks that what only a set or a variant owned goes with it, and stays as long as a finalizer holds it.
func TestOwned(t *testing.T) {
	t.Parallel()
	w := memory.New(memory.Options{})
	ofSet := metav1.OwnerReference{APIVersion: v1alpha2.GroupVersion.String(), Kind: "PackageVariantSet", Name: "set", UID: "set"}
	other := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "other", UID: "other"}
	held := variantOf("held", ofSet)
	held.Finalizers = []string{v1alpha1.Finalizer}
	w.Objects.Add(&v1alpha2.PackageVariantSet{ObjectMeta: named("set")})
	for _, pv := range []*v1alpha1.PackageVariant{variantOf("free", ofSet), held, variantOf("shared", ofSet, other)} {
		w.Objects.Add(pv)
		w.Packages.Add(revision.Revision{Namespace: namespace, Name: "edge." + pv.Name,
			Owners: []metav1.OwnerReference{revision.Owner{Name: pv.Name, UID: pv.UID}.Reference()}}, nil)
	}
	w.Objects.Drop(v1alpha2.GroupVersion.WithKind("PackageVariantSet").GroupKind(), types.NamespacedName{Namespace: namespace, Name: "set"})
	var got []string
	for _, pv := range w.Objects.AllVariants() {
		got = append(got, fmt.Sprintf("%s, being deleted: %t", pv.Name, pv.DeletionTimestamp != nil))
	}
	all, err := w.Packages.Find(t.Context(), "", packages.All, "")
	for _, r := range all {
		got = append(got, r.Name)
	}
	want := []string{"held, being deleted: true", "shared, being deleted: false", "edge.held", "edge.shared"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, -want +got:\n%s", err, diff)
	}
}

// TestSource checks which objects of other kinds there are: those that are listed when they are asked for, without those
// that were dropped, under those that were added.
func TestSource(t *testing.T) {
	t.Parallel()
	object := func(name, from string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"namespace": namespace, "name": name, "resourceVersion": "1"}, "from": from}}
	}
	w, asked := memory.New(memory.Options{}), 0
	w.Objects.Unknown = func(context.Context, schema.GroupVersionKind, string) ([]*unstructured.Unstructured, error) {
		asked++
		return []*unstructured.Unstructured{object("a", "the list"), object("b", "the list"), object("c", "the list")}, nil
	}
	w.Objects.Add(object("b", "people"))
	w.Objects.Drop(schema.GroupKind{Kind: "ConfigMap"}, types.NamespacedName{Namespace: namespace, Name: "c"})
	kind := objects.Kind{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace}
	var got []string
	for range 2 {
		source := w.Objects.Source(func(context.Context, objects.Kind) error { return nil })
		if err := source.Use(t.Context(), types.NamespacedName{}, []objects.Reference{{Kind: kind}}); err != nil {
			t.Fatal(err)
		}
		for _, o := range source.Objects(kind) {
			whole, err := source.Read(t.Context(), objects.Reference{Kind: kind, Name: o.Name})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, o.Name+" from "+whole["from"].(string))
		}
		w = w.Clone()
	}
	want := []string{"a from the list", "b from people"}
	if diff := cmp.Diff(slices.Concat(want, want), got); diff != "" || asked != 1 {
		t.Errorf("asked %d times, -want +got:\n%s", asked, diff)
	}
}

// TestClone checks that a clone has what was written, as what there was before, and that neither sees what is written
// to the other one.
func TestClone(t *testing.T) {
	t.Parallel()
	read := 0
	w := memory.New(memory.Options{Contents: func(_ context.Context, _, name string) (map[string]string, error) {
		read++
		return map[string]string{"Kptfile": "# of " + name + "\n"}, nil
	}})
	w.Objects.Add(&objects.Repository{ObjectMeta: named("edge"), Repository: revision.Repository{Address: "https://git/edge"}})
	edge := revision.Package{Repo: "edge", Name: "web"}
	w.Packages.Add(revision.Revision{Namespace: namespace, Name: edge.NameOf("one"), Package: edge, Workspace: "one",
		Lifecycle: revision.Published, Number: 1}, nil)
	made, err := w.Packages.Ask(t.Context(), packages.Draft{Namespace: namespace, Package: edge, Workspace: "two",
		Task: revision.Task{Type: revision.Edit, Source: edge.NameOf("one")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Objects.Create(t.Context(), variantOf("web"), objects.How{}); err != nil {
		t.Fatal(err)
	}
	c := w.Clone()
	save := func(w *memory.World, text string) {
		t.Helper()
		content, err := w.Packages.Read(t.Context(), namespace, made.Name)
		if err == nil {
			_, err = w.Packages.Save(t.Context(), content, map[string]string{"Kptfile": text})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	save(w, "# in the world\n")
	original, err := w.Packages.Original(t.Context(), namespace, made.Name)
	if err != nil || original["Kptfile"] != "# of edge.web.one\n" {
		t.Errorf("error %v, it had %q", err, original)
	}
	writes, before := c.Writes(), c.Version()
	save(c, "# in the clone\n")
	save(c.Clone(), "# in the clone's clone\n")
	for _, world := range []*memory.World{w, c} {
		content, err := world.Packages.Read(t.Context(), namespace, made.Name)
		if want := map[bool]string{true: "# in the world\n", false: "# in the clone\n"}[world == w]; err != nil ||
			content.Files["Kptfile"] != want {
			t.Errorf("error %v, it has %q, want %q", err, content.Files, want)
		}
	}
	if len(writes) != 0 || c.Version() == before || read != 1 {
		t.Errorf("writes %v, version %d after %d, %d contents read", writes, c.Version(), before, read)
	}
	if pv := &c.Objects.AllVariants()[0]; !memory.IsPlanned(pv) {
		t.Errorf("a variant that was made is not planned: %s", pv.UID)
	}
}
