// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/functions/krm"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestDigest checks which changes of a set's variants cause another expansion: not their status, nor their order.
func TestDigest(t *testing.T) {
	t.Parallel()
	of := func(change func(set *v1alpha2.PackageVariantSet, variants []v1alpha1.PackageVariant,
		versions []string)) string {
		set := &v1alpha2.PackageVariantSet{ObjectMeta: metav1.ObjectMeta{UID: "uid-1", Generation: 1}}
		variants := []v1alpha1.PackageVariant{ownVariant("web-a", "a"), ownVariant("web-b", "b")}
		variants[0].UID, variants[1].UID = "a", "b"
		versions := []string{"repository/1", "revision/1"}
		change(set, variants, versions)
		return digest("v1", set, versions, variants)
	}
	type (
		set      = *v1alpha2.PackageVariantSet
		variants = []v1alpha1.PackageVariant
	)
	same := of(func(set, variants, []string) {})
	for name, c := range map[string]struct {
		change func(set, variants, []string)
		differ bool
	}{
		"status": {func(_ set, v variants, _ []string) { v[0].Status.Conditions = []metav1.Condition{{Type: "Ready"}} },
			false},
		"order":       {func(_ set, v variants, of []string) { v[0], v[1], of[0], of[1] = v[1], v[0], of[1], of[0] }, false},
		"set":         {func(s set, _ variants, _ []string) { s.Generation++ }, true},
		"another set": {func(s set, _ variants, _ []string) { s.UID = "uid-2" }, true},
		"repository":  {func(_ set, _ variants, of []string) { of[0] = "repository/2" }, true},
		"spec":        {func(_ set, v variants, _ []string) { v[0].Generation++ }, true},
		"variant":     {func(_ set, v variants, _ []string) { v[0].UID = "c" }, true},
		"label":       {func(_ set, v variants, _ []string) { delete(v[1].Labels, v1alpha2.OwnerLabel) }, true},
		"owner":       {func(_ set, v variants, _ []string) { v[1].OwnerReferences[0].UID = "uid-2" }, true},
		"deletion":    {func(_ set, v variants, _ []string) { now := metav1.Now(); v[0].DeletionTimestamp = &now }, true},
	} {
		if got := of(c.change) != same; got != c.differ {
			t.Errorf("%s: the digest differs: %v", name, got)
		}
	}
}

// TestSettled checks that a change that no plan depends on causes no expansion.
func TestSettled(t *testing.T) {
	c := newCluster(t, testObjects()...)
	counted := &counting{}
	c.runtime = counted
	expect := func(step string, want int) {
		t.Helper()
		if c.reconcile(t, false); counted.runs != want {
			t.Errorf("%s: %d expansions, want %d", step, counted.runs, want)
		}
	}
	expect("it makes the variants", 1)
	expect("it finds them made", 2)
	expect("it knows", 2)
	c.version = "v2"
	expect("the controller is another version", 3)
	expect("it knows again", 3)
}

// counting runs functions in this process, and counts how often.
type counting struct {
	mutate.Builtin
	runs int
}

func (c *counting) Run(ctx context.Context, function string, config *yaml.RNode,
	items []*yaml.RNode) (krm.Output, error) {
	c.runs++
	return c.Builtin.Run(ctx, function, config, items)
}
