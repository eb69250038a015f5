// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/sets"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/manifests"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/watches"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// cluster is a Reconciler over an API in memory that notes writes, and fails or refuses those that it is told to.
type cluster struct {
	*Reconciler
	client       porch.API
	fail, refuse map[string]bool

	mu     sync.Mutex
	writes []string
}

func newCluster(t *testing.T, initial ...client.Object) *cluster {
	t.Helper()
	scheme := runtime.NewScheme()
	builder := runtime.NewSchemeBuilder(v1alpha1.AddToScheme, v1alpha2.AddToScheme, porchapi.AddToScheme,
		configapi.AddToScheme)
	if err := builder.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := &cluster{fail: map[string]bool{}, refuse: map[string]bool{}}
	note := func(verb string, o client.Object, dryRun []string) error {
		write := fmt.Sprintf("%s %T %s", verb, o, o.GetName())
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(dryRun) > 0 {
			c.writes = append(c.writes, "try to "+write)
		} else {
			c.writes = append(c.writes, write)
		}
		switch {
		case c.fail[write]:
			return errBoom
		case c.refuse[write]:
			return apierrors.NewInvalid(schema.GroupKind{Kind: "PackageVariant"}, o.GetName(),
				field.ErrorList{field.Invalid(field.NewPath("spec"), 1, "not here")})
		}
		return nil
	}
	c.client = fake.NewClientBuilder().WithScheme(scheme).WithObjects(initial...).WithStatusSubresource(&v1alpha2.PackageVariantSet{}).
		WithIndex(&porchapi.PackageRevision{}, porch.PackageIndex, func(o client.Object) []string {
			spec := o.(*porchapi.PackageRevision).Spec
			return []string{spec.RepositoryName + "/" + spec.PackageName}
		}).
		WithIndex(&v1alpha1.PackageVariant{}, string(objects.BySet), indexed(objects.BySet)).
		WithIndex(&v1alpha1.PackageVariant{}, string(objects.ByMadeFrom), indexed(objects.ByMadeFrom)).
		WithInterceptorFuncs(interceptor.Funcs{
			Create: func(ctx context.Context, w client.WithWatch, o client.Object, options ...client.CreateOption) error {
				var asked client.CreateOptions
				if err := note("create", o, asked.ApplyOptions(options).DryRun); err != nil {
					return err
				}
				o.SetGeneration(1)
				return w.Create(ctx, o, options...)
			},
			Patch: func(ctx context.Context, w client.WithWatch, o client.Object, p client.Patch,
				options ...client.PatchOption) error {
				var asked client.PatchOptions
				if err := note("patch", o, asked.ApplyOptions(options).DryRun); err != nil {
					return err
				}
				return w.Patch(ctx, o, p, options...)
			},
			Delete: func(ctx context.Context, w client.WithWatch, o client.Object, options ...client.DeleteOption) error {
				if err := note("delete", o, nil); err != nil {
					return err
				}
				return w.Delete(ctx, o, options...)
			},
			SubResourcePatch: func(ctx context.Context, w client.Client, sub string, o client.Object, p client.Patch,
				options ...client.SubResourcePatchOption) error {
				if err := note(sub, o, nil); err != nil {
					return err
				}
				return w.SubResource(sub).Patch(ctx, o, p, options...)
			},
		}).Build()
	ports := PortsOf(c.client, watches.NewSource(watches.New(nil, nil, nil), nil), mutate.Builtin{})
	c.Reconciler = &Reconciler{sets.New(ports, sets.Options{Version: "v1"})}
	return c
}

// indexed returns the function of a cache for an index of variants.
func indexed(by objects.Index) client.IndexerFunc {
	return func(o client.Object) []string { return objects.Indexes[by](o.(*v1alpha1.PackageVariant)) }
}

// over has the controller work over another API.
func (c *cluster) over(api porch.API, live client.Reader) {
	c.client, c.Known, c.Sets = api, porch.Cache{Reader: api}, manifests.NewSets(api, live)
}

// reconcile reconciles the set and returns what was written for it, in the order of names, and what Ready says.
func (c *cluster) reconcile(t *testing.T, wantError bool) (writes []string, ready string) {
	t.Helper()
	c.writes = nil
	key := types.NamespacedName{Namespace: "fleet", Name: "web"}
	if _, err := c.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); (err != nil) != wantError {
		t.Fatalf("error %v, want one: %v", err, wantError)
	}
	var set v1alpha2.PackageVariantSet
	if err := c.client.Get(t.Context(), key, &set); err != nil {
		t.Fatal(err)
	}
	s := set.Status
	slices.Sort(c.writes) // the variants' are made at once
	return c.writes, fmt.Sprintf("%d/%d/%d %s", s.Desired, s.Current, s.Ready, s.Conditions[0].Reason)
}

func testObjects() []client.Object {
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "fleet", Name: name} }
	set := &v1alpha2.PackageVariantSet{ObjectMeta: meta("web"), Spec: v1alpha2.PackageVariantSetSpec{
		Upstream: &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(2)},
		Targets:  []v1alpha2.Target{{Repositories: []v1alpha2.RepositoryTarget{{Name: "a"}, {Name: "b"}}}},
	}}
	set.UID, set.Generation = "uid-1", 1
	return []client.Object{
		set,
		&configapi.Repository{ObjectMeta: meta("a")},
		&configapi.Repository{ObjectMeta: meta("b")},
		&configapi.Repository{ObjectMeta: meta("blueprints")},
		&porchapi.PackageRevision{ObjectMeta: meta("blueprints.web.v2"), Spec: porchapi.PackageRevisionSpec{
			RepositoryName: "blueprints", PackageName: "web", Revision: 2, Lifecycle: porchapi.PackageRevisionLifecyclePublished,
		}},
	}
}

var errBoom = errors.New("boom")

const status = "status *v1alpha2.PackageVariantSet web"

// TestExcludedElsewhere checks that no variant is deleted where targets fail after their packages were renamed: the
// variants with the old names still belong to them.
func TestExcludedElsewhere(t *testing.T) {
	all := testObjects()
	set := all[0].(*v1alpha2.PackageVariantSet)
	set.Spec.ErrorPolicy = v1alpha2.ErrorPolicyContinue
	c := newCluster(t, all...)
	c.reconcile(t, false)
	if err := c.client.Get(t.Context(), client.ObjectKeyFromObject(set), set); err != nil {
		t.Fatal(err)
	}
	key, lacking, pkg := "site", "repository.labels.site", "new"
	set.Spec.AllowEmpty = true
	set.Spec.Targets[0].Template = &v1alpha2.PackageVariantTemplate{
		Downstream: &v1alpha2.DownstreamTemplate{Package: &pkg},
		LabelExprs: []v1alpha2.MapExpr{{Key: &key, ValueExpr: &lacking}},
	}
	if err := c.client.Update(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	writes, ready := c.reconcile(t, false)
	if diff := cmp.Diff([]string{status}, writes); diff != "" || ready != "2/0/0 ExpansionFailed" {
		t.Errorf("%s; writes (-want +got):\n%s", ready, diff)
	}
	if err := c.client.Get(t.Context(), client.ObjectKeyFromObject(set), set); err != nil {
		t.Fatal(err)
	}
	kept := "2 variants that no target makes are kept until that is corrected, for any of them may belong to what fails: " +
		expansion.Name("web", "a", "web") + ", " + expansion.Name("web", "b", "web")
	if got := set.Status.Conditions[0].Message; !strings.HasSuffix(got, kept) {
		t.Errorf("the message does not say what is kept:\n%s", got)
	}
}

// TestRefused checks that a variant which the API server refuses holds up no other: it is left out before anything is
// written, in a rollout and without one.
func TestRefused(t *testing.T) {
	webA, webB := expansion.Name("web", "a", "web"), expansion.Name("web", "b", "web")
	const pv = " *v1alpha1.PackageVariant "
	const message = "1 of 2 variants are refused by the API server and stay as they are: a/web: cannot create " +
		"PackageVariant web-a: PackageVariant \"web-a\" is invalid: spec: Invalid value: 1: not here"
	one := intstr.FromInt32(1)
	for name, test := range map[string]struct {
		rollout *v1alpha2.Rollout
		ready   string
		writes  []string
		message string
		waves   []v1alpha2.WaveStatus
	}{
		"without a rollout": {
			ready:   "2/1/0 VariantRefused",
			writes:  []string{"create" + pv + webB, status, "try to create" + pv + webA, "try to create" + pv + webB},
			message: message,
		},
		"in a rollout, one after the other": {
			rollout: &v1alpha2.Rollout{Waves: []v1alpha2.Wave{{Name: "all", Selector: &metav1.LabelSelector{}, MaxConcurrent: &one}}},
			ready:   "2/1/0 RolloutProgressing",
			writes:  []string{"create" + pv + webB, status, status, "try to create" + pv + webA, "try to create" + pv + webB},
			message: "wave all (1 of 1): 0 of 1 targets are Published with blueprints.web.v2; " + message,
			waves:   []v1alpha2.WaveStatus{{Name: "all", State: "Progressing", Targets: 1, Updated: 1, Message: "0 of 1 targets are Published with blueprints.web.v2"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := testObjects()
			set := all[0].(*v1alpha2.PackageVariantSet)
			set.Spec.ErrorPolicy, set.Spec.Rollout = v1alpha2.ErrorPolicyContinue, test.rollout
			c := newCluster(t, all...)
			c.refuse["create"+pv+webA] = true
			writes, ready := c.reconcile(t, false)
			if diff := cmp.Diff(test.writes, writes); diff != "" || ready != test.ready {
				t.Errorf("ready %q; writes (-want +got):\n%s", ready, diff)
			}
			if err := c.client.Get(t.Context(), client.ObjectKeyFromObject(set), set); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(test.message, "web-a", webA), set.Status.Conditions[0].Message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{webA + " VariantRefused"}, failureNames(set.Status.Failures)); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
			var waves []v1alpha2.WaveStatus
			if set.Status.Rollout != nil {
				waves = set.Status.Rollout.Waves
			}
			if diff := cmp.Diff(test.waves, waves, cmpopts.IgnoreTypes(metav1.Time{}, &metav1.Time{})); diff != "" {
				t.Errorf("waves (-want +got):\n%s", diff)
			}
			c.refuse = nil
			if writes, _ := c.reconcile(t, false); !slices.Contains(writes, "create"+pv+webA) && test.rollout == nil {
				t.Errorf("it is not refused any more, and not made: %v", writes)
			}
		})
	}
}

func failureNames(failures []v1alpha2.VariantFailure) (names []string) {
	for _, f := range failures {
		names = append(names, f.Variant+" "+f.Reason)
	}
	return names
}
