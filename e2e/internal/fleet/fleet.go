// SPDX-License-Identifier: Apache-2.0

// Package fleet lets tests and benchmarks do what the users of a management cluster do: register repositories, publish
// blueprints, write PackageVariants, edit and approve the packages, and check the outcome.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/stack"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	porchconfig "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// user is the field manager of Apply.
const user = "fleet"

// polling is how a Fleet polls: less often the longer it takes, because each look costs Porch a fetch from git.
var polling = wait.Backoff{Duration: 50 * time.Millisecond, Factor: 1.3, Steps: 10, Cap: 300 * time.Millisecond}

// Fleet is a namespace of a stack, and what a test does in it. A method that fails ends the test, so it must be called
// in the test's own goroutine.
type Fleet struct {
	// Client is the administrator's client. It knows the core of the API, Porch's types and ours.
	Client client.Client
	// Namespace is the namespace for everything.
	Namespace string
	// Timeout limits Eventually and the other methods that wait; it is a minute.
	Timeout time.Duration

	t     harness.T
	stack *stack.Stack
}

// New makes a namespace, which must not exist yet, in a stack, and installs our CRDs if needed. At the end of the test
// it removes the namespace's Repositories.
func New(t harness.T, s *stack.Stack, namespace string) *Fleet {
	t.Helper()
	if err := s.InstallVariants(t.Context()); err != nil {
		t.Fatal(err)
	}
	scheme, err := newScheme()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(s.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatalf("cannot make a client: %v", err)
	}
	f := &Fleet{Client: c, Namespace: namespace, Timeout: time.Minute, t: t, stack: s}
	if err := c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		t.Fatalf("cannot make a namespace for this test alone: %v", err)
	}
	t.Cleanup(f.unregister)
	return f
}

// unregister removes the Repositories at the end. Porch reads all of them every few seconds, one after the other, and
// other tests would have to wait for that.
func (f *Fleet) unregister() {
	ctx, cancel := context.WithTimeout(context.Background(), f.Timeout)
	defer cancel()
	if err := f.Client.DeleteAllOf(ctx, &porchconfig.Repository{}, client.InNamespace(f.Namespace)); err != nil {
		f.t.Errorf("cannot remove the Repositories: %v", err)
	}
}

// newScheme returns the types that a Fleet's client knows.
func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	return scheme, errors.Join(
		corev1.AddToScheme(scheme), v1alpha1.AddToScheme(scheme), v1alpha2.AddToScheme(scheme),
		porchapi.AddToScheme(scheme), porchconfig.AddToScheme(scheme))
}

// Repository registers a new git repository as a Repository with the labels, and returns once Porch has read it.
func (f *Fleet) Repository(name string, labels map[string]string, deployment bool) {
	f.t.Helper()
	err := f.stack.RegisterRepository(f.t.Context(), stack.Repository{
		Namespace: f.Namespace, Name: name, Git: f.Namespace + "-" + name, Labels: labels, Deployment: deployment,
	})
	if err != nil {
		f.t.Fatalf("cannot register repository %s: %v", name, err)
	}
}

// Apply applies objects as kubectl apply --server-side does: fields that an earlier Apply set and this one does not set
// are removed. An object without a namespace goes into the Fleet's, unless its kind has none. Statuses are not applied.
// Apply does not change the given objects; get them to see the result.
func (f *Fleet) Apply(objects ...client.Object) {
	f.t.Helper()
	for _, object := range objects {
		if err := f.apply(object); err != nil {
			f.t.Fatalf("cannot apply %T %s: %v", object, object.GetName(), err)
		}
	}
}

// apply applies one object.
func (f *Fleet) apply(object client.Object) error {
	kind, err := f.Client.GroupVersionKindFor(object)
	if err != nil {
		return err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return fmt.Errorf("cannot convert it: %w", err)
	}
	applied := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}
	applied.SetGroupVersionKind(kind)
	if err := f.place(applied); err != nil {
		return err
	}
	// The user does not apply the fields that the server adds to an object.
	unstructured.RemoveNestedField(applied.Object, "status")
	for _, field := range []string{"managedFields", "resourceVersion", "uid", "generation", "creationTimestamp"} {
		unstructured.RemoveNestedField(applied.Object, "metadata", field)
	}
	return f.Client.Apply(f.t.Context(), client.ApplyConfigurationFromUnstructured(applied),
		client.FieldOwner(user), client.ForceOwnership)
}

// place sets the Fleet's namespace on an object that needs one and has none.
func (f *Fleet) place(object client.Object) error {
	namespaced, err := f.Client.IsObjectNamespaced(object)
	if err == nil && namespaced && object.GetNamespace() == "" {
		object.SetNamespace(f.Namespace)
	}
	return err
}

// Delete requests the deletion of an object; it is gone once its finalizers are. Only the object's kind, its name, and
// a namespace other than the Fleet's count. A missing object fails the test.
func (f *Fleet) Delete(object client.Object) {
	f.t.Helper()
	target, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		f.t.Fatalf("the copy of a %T is no object", object)
	}
	if err := f.place(target); err != nil {
		f.t.Fatalf("cannot delete %T %s: %v", object, object.GetName(), err)
	}
	err := f.retry(func() error { return f.Client.Delete(f.t.Context(), target) })
	if err != nil {
		f.t.Fatalf("cannot delete %T %s: %v", object, object.GetName(), err)
	}
}

// key is the key of an object in the Fleet's namespace.
func (f *Fleet) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: f.Namespace, Name: name}
}
