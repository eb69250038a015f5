// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"errors"
	"fmt"
	"testing"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/functions/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/porch/predict"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// namespace is the namespace of all objects in a cluster.
const namespace = "fleet"

// cluster is a world in memory in which a controller runs. Its writes can be made to fail.
type cluster struct {
	*memory.World
	t *testing.T
	// contents are the files of the package revisions that were never written to, by name.
	contents map[string]map[string]string
	// git reports whether the cache of Porch keeps drafts in git.
	git bool
	// runtime runs the functions, and render is what Porch makes of the files of a draft.
	runtime mutate.Runtime
	render  memory.Render
	// fault is the fault of one of the controller's writes; nil if all succeed.
	fault *fault
	// saveFailed reports whether the write that failed was a save of a draft's files.
	saveFailed bool
	// mayNotApprove reports whether the controller has no right to approve.
	mayNotApprove bool

	writer     *writer
	reconciler *Reconciler
	// errs are the errors of the last reconciles, by variant, events what was recorded.
	errs   map[string]error
	events []string
	// told is the last text about each object.
	told map[string]string
}

// fault is the fault of one write of the controller, counted from 1. A negative number means none.
type fault struct {
	at int
	// porch reports whether only writes to Porch are counted.
	porch bool
	// done reports whether the write is done anyway, err is the answer to it.
	done bool
	err  error
}

// errKilled is the answer to every request of a controller that was killed: it does nothing more.
var errKilled = errors.New("the controller is killed")

// newCluster returns a cluster without objects. Porch's cache keeps drafts in git, or is the one in PostgreSQL.
func newCluster(t *testing.T, git bool) *cluster {
	t.Helper()
	known, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, git: git, contents: map[string]map[string]string{}, runtime: mutate.Builtin{},
		told: map[string]string{}}
	c.render = func(_ context.Context, files map[string]string) (map[string]string, error) {
		return predict.Render(files)
	}
	c.World = memory.New(known,
		func(_ context.Context, key types.NamespacedName) (*porchapi.PackageRevisionResources, error) {
			return &porchapi.PackageRevisionResources{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
				Spec: porchapi.PackageRevisionResourcesSpec{Resources: c.contents[key.Name]}}, nil
		}, nil,
		func(ctx context.Context, files map[string]string) (map[string]string, error) {
			return c.render(ctx, files)
		})
	if git {
		c.KeepInGit()
	}
	for _, add := range []func(client.FieldIndexer) error{porch.AddIndexes, Indexes} {
		if err := add(c.World); err != nil {
			t.Fatal(err)
		}
	}
	c.start()
	return c
}

// start starts a controller, which knows only what is in the cluster.
func (c *cluster) start() {
	source := objects.NewStatic(func(ctx context.Context, kind objects.Kind) ([]*metav1.PartialObjectMetadata, error) {
		gv, err := schema.ParseGroupVersion(kind.APIVersion)
		if err != nil {
			return nil, err
		}
		return c.Metadata(ctx, gv.WithKind(kind.Kind), kind.Namespace)
	})
	c.writer = &writer{cluster: c}
	c.reconciler = NewPlanner(c.writer, source, c.runtime, "1").reconciler
	c.reconciler.events, c.errs = c, map[string]error{}
}

// Eventf implements events.EventRecorder.
func (c *cluster) Eventf(regarding, _ runtime.Object, kind, reason, _, note string, args ...any) {
	c.events = append(c.events, fmt.Sprintf("Event %s of %s %s: ", kind, regarding.(*v1alpha1.PackageVariant).Name, reason)+
		fmt.Sprintf(note, args...))
}

// run reconciles all variants until nothing is written any more. A controller that was killed is started again.
func (c *cluster) run() {
	c.t.Helper()
	for range 30 {
		before, again := c.Version(), false
		for _, pv := range c.variants() {
			again = c.reconcile(pv.Name) || again
		}
		switch {
		case c.writer.killed:
			c.start()
		case c.Version() == before && !again:
			return
		}
	}
	c.t.Errorf("the controller does not come to rest: %v", c.Writes())
}

// reconcile reconciles a variant once, as the work queue would, and reports whether to do so again at once.
func (c *cluster) reconcile(name string) (again bool) {
	request := ctrl.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
	result, err := c.reconciler.Reconcile(c.t.Context(), request)
	if err != nil {
		c.reconciler.retries.When(request)
	}
	if result.RequeueAfter == 0 { // otherwise it waits after the error before
		c.errs[name] = err
	}
	return result.Requeue //nolint:staticcheck // it is what the reconciler sets
}

// pass lets the time pass until failed work is tried again.
func (c *cluster) pass() {
	for _, pv := range c.variants() {
		c.reconciler.retries.Release(ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&pv)})
	}
}

// variants returns the variants, in the order of their names.
func (c *cluster) variants() []v1alpha1.PackageVariant {
	var list v1alpha1.PackageVariantList
	if err := c.List(c.t.Context(), &list); err != nil {
		c.t.Fatal(err)
	}
	return list.Items
}

// writer is the client of the controller.
type writer struct {
	*cluster
	killed bool
}

// do does a write of the controller to an object, or applies the fault to it.
func (w *writer) do(o client.Object, write func() error) error {
	if w.killed {
		return errKilled
	}
	f := w.fault
	if _, isVariant := o.(*v1alpha1.PackageVariant); f == nil || f.porch && isVariant {
		return write()
	}
	if f.at--; f.at != 0 {
		return write()
	}
	_, w.saveFailed = o.(*porchapi.PackageRevisionResources)
	w.fault, w.killed = nil, errors.Is(f.err, errKilled)
	if f.done {
		if err := write(); err != nil {
			return err
		}
	}
	return f.err
}

// Get implements client.Reader.
func (w *writer) Get(ctx context.Context, key types.NamespacedName, o client.Object, options ...client.GetOption) error {
	if w.killed {
		return errKilled
	}
	return w.World.Get(ctx, key, o, options...)
}

// List implements client.Reader.
func (w *writer) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	if w.killed {
		return errKilled
	}
	return w.World.List(ctx, list, options...)
}

// Create implements client.Writer. A question about a right is no write.
func (w *writer) Create(ctx context.Context, o client.Object, options ...client.CreateOption) error {
	if review, asks := o.(*authorizationv1.SelfSubjectAccessReview); asks {
		review.Status.Allowed = !w.mayNotApprove
		return nil
	}
	return w.do(o, func() error { return w.World.Create(ctx, o, options...) })
}

// Update implements client.Writer.
func (w *writer) Update(ctx context.Context, o client.Object, options ...client.UpdateOption) error {
	return w.do(o, func() error { return w.World.Update(ctx, o, options...) })
}

// Patch implements client.Writer.
func (w *writer) Patch(ctx context.Context, o client.Object, patch client.Patch, options ...client.PatchOption) error {
	return w.do(o, func() error { return w.World.Patch(ctx, o, patch, options...) })
}

// Delete implements client.Writer.
func (w *writer) Delete(ctx context.Context, o client.Object, options ...client.DeleteOption) error {
	return w.do(o, func() error { return w.World.Delete(ctx, o, options...) })
}

// Status implements client.StatusClient.
func (w *writer) Status() client.SubResourceWriter { return w.SubResource("status") }

// SubResource implements client.SubResourceClientConstructor.
func (w *writer) SubResource(name string) client.SubResourceClient {
	return &subresourceWriter{w.World.SubResource(name), w}
}

// subresourceWriter writes a subresource.
type subresourceWriter struct {
	client.SubResourceClient
	by *writer
}

// Patch implements client.SubResourceWriter.
func (s *subresourceWriter) Patch(ctx context.Context, o client.Object, patch client.Patch,
	options ...client.SubResourcePatchOption) error {
	return s.by.do(o, func() error { return s.SubResourceClient.Patch(ctx, o, patch, options...) })
}
