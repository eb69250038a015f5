// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// fakeAPI returns an API in memory with the variant web, and a set of that name.
func fakeAPI(t *testing.T, funcs interceptor.Funcs) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	builder := runtime.NewSchemeBuilder(v1alpha1.AddToScheme, v1alpha2.AddToScheme, authorizationv1.AddToScheme,
		porch.AddToScheme)
	if err := builder.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	meta := metav1.ObjectMeta{Namespace: "fleet", Name: "web", UID: "a-variant", Labels: map[string]string{
		v1alpha2.OwnerLabel: "a-set"}}
	b := fake.NewClientBuilder().WithScheme(scheme).WithInterceptorFuncs(funcs).
		WithObjects(&v1alpha1.PackageVariant{ObjectMeta: meta, Spec: variant.Spec{
			Upstream: &variant.Upstream{Repo: "blueprints", Package: "web"}, Downstream: &variant.Downstream{Repo: "edge", Package: "web"},
		}}, &v1alpha2.PackageVariantSet{ObjectMeta: meta}).
		WithStatusSubresource(&v1alpha1.PackageVariant{}, &v1alpha2.PackageVariantSet{})
	for by, values := range objects.Indexes {
		b = b.WithIndex(&v1alpha1.PackageVariant{}, string(by), func(o client.Object) []string {
			return values(o.(*v1alpha1.PackageVariant))
		})
	}
	return b.Build()
}

// kindOf returns the kind of an error of the port.
func kindOf(err error) string {
	for _, kind := range []error{packages.ErrStale, packages.ErrUnsure, packages.ErrRefused, packages.ErrUnavailable} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	if err != nil {
		return "of no kind: " + err.Error()
	}
	return ""
}

// TestWrites checks which writes are refused because the object has changed, or is gone, since it was read.
func TestWrites(t *testing.T) {
	t.Parallel()
	exact := objects.How{Exact: true}
	for name, test := range map[string]struct {
		write           func(ctx context.Context, c *Sets, before, pv *v1alpha1.PackageVariant) error
		now, then, gone string
	}{
		"status": {func(ctx context.Context, c *Sets, before, pv *v1alpha1.PackageVariant) error {
			pv.Status.ObservedInputs = "x"
			return c.WriteStatus(ctx, before, pv)
		}, "", "stale", "stale"},
		"finalizers": {func(ctx context.Context, c *Sets, before, pv *v1alpha1.PackageVariant) error {
			pv.Finalizers = []string{v1alpha1.Finalizer}
			return c.WriteFinalizers(ctx, before, pv)
		}, "", "stale", "stale"},
		"update": {func(ctx context.Context, c *Sets, before, pv *v1alpha1.PackageVariant) error {
			pv.Spec.Suspend = true
			return c.Update(ctx, before, pv, objects.How{})
		}, "", "", "stale"},
		"exact update": {func(ctx context.Context, c *Sets, before, pv *v1alpha1.PackageVariant) error {
			pv.Spec.Suspend = true
			return c.Update(ctx, before, pv, exact)
		}, "", "stale", "stale"},
		"create": {func(ctx context.Context, c *Sets, _, pv *v1alpha1.PackageVariant) error {
			pv.ResourceVersion = ""
			return c.Create(ctx, pv, objects.How{})
		}, "stale", "stale", ""},
		"delete": {func(ctx context.Context, c *Sets, _, pv *v1alpha1.PackageVariant) error { return c.Delete(ctx, pv) }, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := map[string]string{}
			for when, then := range map[string]func(context.Context, client.Client, *v1alpha1.PackageVariant) error{
				"as it was read": func(context.Context, client.Client, *v1alpha1.PackageVariant) error { return nil },
				"changed since": func(ctx context.Context, api client.Client, pv *v1alpha1.PackageVariant) error {
					pv.Annotations = map[string]string{"note": "mine"}
					return api.Update(ctx, pv)
				},
				"gone since": func(ctx context.Context, api client.Client, pv *v1alpha1.PackageVariant) error {
					return api.Delete(ctx, pv)
				},
			} {
				api := fakeAPI(t, interceptor.Funcs{})
				c := NewSets(api, api)
				before, err := c.Variant(t.Context(), "fleet", "web")
				if err == nil {
					err = then(t.Context(), api, before.DeepCopy())
				}
				if err != nil {
					t.Fatal(err)
				}
				got[when] = kindOf(test.write(t.Context(), c, before, before.DeepCopy()))
			}
			want := map[string]string{"as it was read": test.now, "changed since": test.then, "gone since": test.gone}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestReads checks what is found, and that what is not there is no error.
func TestReads(t *testing.T) {
	t.Parallel()
	api := fakeAPI(t, interceptor.Funcs{})
	c := NewSets(api, api)
	got := map[string]int{}
	found := func(what string, n int, err error) {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		got[what] = n
	}
	for by, value := range map[objects.Index]string{objects.ByDownstream: "edge/web", objects.ByUpstream: "blueprints/web",
		objects.ByRepository: "edge", objects.BySet: "uid/a-set"} {
		all, err := c.Find(t.Context(), "fleet", by, value)
		found(string(by), len(all), err)
	}
	live, err := c.LiveVariants(t.Context(), "fleet", "a-set")
	found("live", len(live), err)
	sets, err := c.Sets(t.Context(), "fleet")
	found("sets", len(sets), err)
	for _, name := range []string{"web", "nobody"} {
		pv, err := c.Variant(t.Context(), "fleet", name)
		again, liveErr := c.LiveVariant(t.Context(), "fleet", name)
		set, setErr := c.Set(t.Context(), "fleet", name)
		found(name, len(slices.DeleteFunc([]bool{pv != nil, again != nil, set != nil}, func(is bool) bool { return !is })),
			errors.Join(err, liveErr, setErr))
	}
	want := map[string]int{"downstream": 1, "upstream": 1, "repository": 1, "set": 1, "live": 1, "sets": 1, "web": 3, "nobody": 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestMissingRights checks what is said to a set of a controller that may not write its variants, and that a policy or a
// quota that forbids it is told as it was.
func TestMissingRights(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		verb   string
		rights bool
		want   string
	}{
		"it may not create": {"create", false, "Stalled PermissionMissing: nothing is wrong with this set, but the controller may " +
			"not create packagevariants in this namespace, and tries again: an administrator has to bind its ServiceAccount to the " +
			"ClusterRole package-variants-sync-controller"},
		"it may not delete": {"delete", false, "Stalled PermissionMissing: nothing is wrong with this set, but the controller may " +
			"not delete packagevariants in this namespace, and tries again: an administrator has to bind its ServiceAccount to the " +
			"ClusterRole package-variants-sync-controller"},
		"a quota": {"create", true, `packagevariants.config.porch.kpt.dev "x" is forbidden: no`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			no := apierrors.NewForbidden(schema.GroupResource{Group: "config.porch.kpt.dev", Resource: "packagevariants"}, "x",
				errors.New("no"))
			api := fakeAPI(t, interceptor.Funcs{
				Create: func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.CreateOption) error {
					if review, ok := o.(*authorizationv1.SelfSubjectAccessReview); ok {
						asked++
						review.Status.Allowed = test.rights || review.Spec.ResourceAttributes.Verb != test.verb
						return nil
					}
					return no
				},
				Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error { return no },
			})
			c := NewSets(api, api)
			for range 2 { // it asks once
				pv := &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: "x"}}
				var err error
				if test.verb == "create" {
					err = c.Create(t.Context(), pv, objects.How{})
				} else {
					err = c.Delete(t.Context(), pv)
				}
				got := err.Error()
				if condition, told := packages.ConditionOf(err); told {
					got = condition.Type + " " + condition.Reason + ": " + condition.Message
				}
				if diff := cmp.Diff(test.want, got); diff != "" || !errors.Is(err, packages.ErrRefused) {
					t.Errorf("it is %s (-want +got):\n%s", kindOf(err), diff)
				}
			}
			if asked != 1 {
				t.Errorf("%d questions", asked)
			}
		})
	}
}
