// SPDX-License-Identifier: Apache-2.0

package plans_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/plans"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// newFleet returns a fleet at rest: a set with a variant for each Repository that is a site, a variant that injects a
// ConfigMap, and a chain of two, whose second one waits for the first one to be published.
func newFleet(t *testing.T) *memorytest.Cluster {
	t.Helper()
	c := memorytest.New(t, true)
	c.Objects.Identify = func(_ string, k types.NamespacedName) types.UID { return types.UID("made-" + k.Name) }
	for _, name := range []string{"blueprints", "edge", "site-1", "site-2"} {
		c.Repository(name, map[string]string{"site": map[bool]string{true: "yes"}[name == "site-1"]})
	}
	files := memorytest.Files("web", "red")
	files["facts.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: facts\n  annotations:\n" +
		"    kpt.dev/config-injection: optional\ndata:\n  a: \"0\"\n"
	c.Blueprint("web", 1, files)
	c.Objects.Add(facts("1"))
	set := &v1alpha2.PackageVariantSet{ObjectMeta: memorytest.Meta("sites")}
	set.Spec = v1alpha2.PackageVariantSetSpec{AllowEmpty: true, Upstream: upstream("blueprints", "web"),
		Targets: []v1alpha2.Target{{RepositorySelector: &v1alpha2.RepositorySelector{
			LabelSelector: metav1.LabelSelector{MatchLabels: map[string]string{"site": "yes"}}}}}}
	c.Objects.Add(set)
	c.Objects.Add(newVariant("injecting", "blueprints", "web", func(s *variant.Spec) {
		s.Injectors = []variant.InjectionSelector{{Name: "facts"}}
	}))
	c.Objects.Add(newVariant("head", "blueprints", "web"))
	c.Objects.Add(newVariant("next", "edge", "head"))
	planOf(t, c, all(c), plans.Keys{})
	return c
}

func facts(value string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "facts", "namespace": memorytest.Namespace}, "data": map[string]any{"a": value}}}
}

func upstream(repo, pkg string) *variant.Upstream {
	return &variant.Upstream{Repo: repo, Package: pkg, Revision: variant.RevisionNumber(1)}
}

// newVariant returns a variant of a package, which is in the Repository edge under its own name.
func newVariant(name, repo, pkg string, edits ...func(*variant.Spec)) *v1alpha1.PackageVariant {
	pv := &v1alpha1.PackageVariant{ObjectMeta: memorytest.Meta(name), Spec: variant.Spec{Upstream: upstream(repo, pkg),
		Downstream: &variant.Downstream{Repo: "edge", Package: name}, ApprovalPolicy: variant.ApprovalPolicyManual}}
	for _, edit := range edits {
		edit(&pv.Spec)
	}
	return pv
}

// all returns all sets and variants of a cluster.
func all(c *memorytest.Cluster) plans.Keys {
	var keys plans.Keys
	for _, set := range c.Objects.AllSets() {
		keys.Sets = append(keys.Sets, objects.KeyOf(&set))
	}
	for _, pv := range c.Objects.AllVariants() {
		keys.Variants = append(keys.Variants, objects.KeyOf(&pv))
	}
	return keys
}

func planOf(t *testing.T, c *memorytest.Cluster, named, others plans.Keys) *plans.Plan {
	t.Helper()
	plan, err := plans.Make(t.Context(), plans.Of(c.World), named, plans.Options{Version: "1", Runtime: mutate.Builtin{},
		Rendered: true, Others: others})
	c.Must(err)
	return plan
}

// TestOthers checks that a plan has what becomes of sets and variants that are not named, and only of those of which
// something becomes.
func TestOthers(t *testing.T) {
	t.Parallel()
	label := func(name, site string) func(*memorytest.Cluster) {
		return func(c *memorytest.Cluster) {
			c.EditRepository(name, func(r *objects.Repository) { r.Labels = map[string]string{"site": site} })
		}
	}
	for name, c := range map[string]struct {
		change func(*memorytest.Cluster)
		named  string
		want   map[string]string
	}{
		"nothing":                         {func(*memorytest.Cluster) {}, "", map[string]string{}},
		"a named variant that is at rest": {func(*memorytest.Cluster) {}, "head", map[string]string{"head": "unchanged"}},
		"a Repository that gets a label": {label("site-2", "yes"), "",
			map[string]string{"sites": "creates 1, other", "site-2": "create, other"}},
		"a Repository that loses its label": {label("site-1", "no"), "",
			map[string]string{"sites": "deletes 1, other", "site-1": "delete, other"}},
		"a ConfigMap that is injected": {func(c *memorytest.Cluster) {
			o := facts("2")
			o.SetResourceVersion("another")
			c.Objects.Add(o)
		}, "", map[string]string{"injecting": "edit, other"}},
		"the head of a chain is published": {func(c *memorytest.Cluster) {
			c.EditVariant("head", func(pv *v1alpha1.PackageVariant) { pv.Spec.ApprovalPolicy = variant.ApprovalPolicyAutomatic })
		}, "head", map[string]string{"head": "publish", "next": "create, other"}},
		"a variant that breaks": {func(c *memorytest.Cluster) { c.Unregisters("blueprints") }, "",
			map[string]string{"sites": "fails, other", "site-1": "fail, other", "injecting": "fail, other", "head": "fail, other"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fleet := newFleet(t)
			c.change(fleet)
			named := plans.Keys{}
			if c.named != "" {
				named.Variants = []types.NamespacedName{memorytest.Key(c.named)}
			}
			if diff := cmp.Diff(c.want, summary(planOf(t, fleet, named, all(fleet)))); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOthersUntold checks that a note, and no failure, says of what that is not named nothing can be told.
func TestOthersUntold(t *testing.T) {
	t.Parallel()
	fleet := newFleet(t)
	fleet.EditVariant("head", func(pv *v1alpha1.PackageVariant) { pv.Spec.Injectors = []variant.InjectionSelector{{Name: "facts"}} })
	unread := errors.New("you may not list configmaps")
	plan, err := plans.Make(t.Context(), plans.Of(fleet.World), plans.Keys{Variants: []types.NamespacedName{memorytest.Key("next")}},
		plans.Options{Version: "1", Runtime: mutate.Builtin{}, Rendered: true, Others: all(fleet),
			Denied: func(context.Context, objects.Kind, ...string) error { return unread }})
	fleet.Must(err)
	want := []string{"The plan cannot tell what becomes of these, which are not named: head, injecting: name them to see why"}
	if diff := cmp.Diff(want, plan.Notes); diff != "" || plan.Counts[plans.Fail] > 0 {
		t.Errorf("%v, notes (-want +got):\n%s", plan.Counts, diff)
	}
}

// summary returns what becomes of sets and variants, by name, or by Repository for the variants of sets.
func summary(plan *plans.Plan) map[string]string {
	mark := map[bool]string{true: ", other"}
	got := map[string]string{}
	for i := range plan.Sets {
		s, what := &plan.Sets[i], "changes"
		switch {
		case s.Failure() != "":
			what = "fails"
		case len(s.Created) > 0:
			what = fmt.Sprint("creates ", len(s.Created))
		case len(s.Deleted) > 0:
			what = fmt.Sprint("deletes ", len(s.Deleted))
		}
		got[s.Name] = what + mark[s.Other]
	}
	for i := range plan.Variants {
		v := &plan.Variants[i]
		name := v.Name
		if v.Set != "" {
			name = v.Repo
		}
		got[name] = string(v.Action) + mark[v.Other]
	}
	return got
}
