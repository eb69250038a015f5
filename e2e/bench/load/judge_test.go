// SPDX-License-Identifier: Apache-2.0

package load

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/bench/simulation"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// files are the files of variant 13's package, as the model wants them after the changes in asked.
func files() map[string]string {
	return map[string]string{
		"package-context.yaml": "data:\n  name: web\n  site: site-0001\n  tier: tier-2\n",
		"endpoints.yaml":       "data:\n  payment: payment-1.site-0001.example.com # who takes the money\n",
		"service.yaml":         "metadata:\n  namespace: web-site-0001\n",
		"deployment.yaml": "metadata:\n  namespace: web-site-0001\nspec:\n        image: " +
			"registry.example.com/web:1.2\n",
	}
}

// asked is a model of a hundred variants after two edits of the set's template, one change of a site's facts, and the
// publication of a second version of the upstream.
func asked() *model {
	m := newModel(layout{variants: 100})
	m.next(m.tiers, 0)
	m.next(m.tiers, 0)
	m.next(m.payments, 1)
	m.next(m.versions, 0)
	return m
}

// settled is a variant in the state that the model wants, with its draft.
func settled() (*v1alpha1.PackageVariant, []simulation.Revision) {
	pv := &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Generation: 4}}
	pv.Status = v1alpha1.PackageVariantStatus{
		ObservedGeneration: 4,
		Conditions:         []metav1.Condition{{Type: "Ready", Status: "True", ObservedGeneration: 4}},
		Upstream:           &v1alpha1.ResolvedUpstream{Name: "blueprints.web-00.v2"},
		DownstreamTargets:  []v1alpha1.DownstreamTarget{{Name: "site-0001.web-3.packagevariant-2"}},
	}
	return pv, []simulation.Revision{
		{Name: "site-0001.web-3.packagevariant-1", Number: 1, Lifecycle: porchapi.PackageRevisionLifecyclePublished},
		{Name: "site-0001.web-3.packagevariant-2", Lifecycle: porchapi.PackageRevisionLifecycleDraft,
			Upstream: "web-00/v2", Files: files()},
	}
}

// TestJudge checks that faults of a variant or its package are found, one at a time.
func TestJudge(t *testing.T) {
	t.Parallel()
	type state struct {
		model     *model
		pv        *v1alpha1.PackageVariant
		revisions []simulation.Revision
	}
	const variant = 13
	for name, c := range map[string]struct {
		change func(*state)
		want   string
	}{
		"right": {func(*state) {}, ""},
		"right, published": {func(s *state) {
			s.revisions[1].Lifecycle, s.revisions[1].Number = porchapi.PackageRevisionLifecyclePublished, 2
		}, ""},
		"no variant":     {func(s *state) { s.pv = nil }, "there is no variant"},
		"no package":     {func(s *state) { s.revisions = nil }, "there is no package"},
		"being deleted":  {func(s *state) { s.pv.DeletionTimestamp = &metav1.Time{} }, "the variant is being deleted"},
		"suspended":      {func(s *state) { s.pv.Spec.Suspend = true }, "spec.suspend is true"},
		"a newer spec":   {func(s *state) { s.pv.Generation = 5 }, "generation 4 of 5 was observed"},
		"not ready":      {func(s *state) { s.pv.Status.Conditions[0].Status = "False" }, "it is not Ready: "},
		"no condition":   {func(s *state) { s.pv.Status.Conditions = nil }, "it is not Ready: nil"},
		"ready before":   {func(s *state) { s.pv.Status.Conditions[0].ObservedGeneration = 3 }, "Ready is of an older generation"},
		"older upstream": {func(s *state) { s.pv.Status.Upstream.Name = "blueprints.web-00.v1" }, "the upstream is "},
		"other target": {func(s *state) { s.pv.Status.DownstreamTargets[0].Name = "x" },
			"the status names [{Name:x Lifecycle: RenderStatus:<nil>}], not site-0001.web-3.packagevariant-2"},
		"two drafts": {func(s *state) {
			s.revisions = append(s.revisions, s.revisions[1])
		}, "there are 2 drafts"},
		"made from the older upstream": {func(s *state) { s.revisions[1].Upstream = "web-00/v1" },
			"site-0001.web-3.packagevariant-2 is made from web-00/v1, not web-00/v2"},
		"older facts": {func(s *state) { s.model.next(s.model.payments, 1) },
			`endpoints.yaml of site-0001.web-3.packagevariant-2 has no "  payment: payment-2.site-0001.example.com # who ` +
				`takes the money"`},
		"older template": {func(s *state) { s.model.next(s.model.tiers, 0) },
			`package-context.yaml of site-0001.web-3.packagevariant-2 has no "  tier: tier-3"`},
		"a line that is longer": {func(s *state) { s.revisions[1].Files["service.yaml"] = "  namespace: web-site-00010" },
			`service.yaml of site-0001.web-3.packagevariant-2 has no "  namespace: web-site-0001"`},
		"not gone": {func(s *state) { s.model.move(1, true) }, "the variant is there"},
		"its package is not gone": {func(s *state) {
			s.model.move(1, true)
			s.pv = nil
		}, "site-0001.web-3.packagevariant-1 is there"},
		"gone": {func(s *state) {
			s.model.move(1, true)
			s.pv, s.revisions = nil, nil
		}, ""},
		"moved there and back": {func(s *state) {
			s.model.move(1, true)
			s.model.move(1, false)
		}, ""},
		"not suspended": {func(s *state) { s.model.suspend(variant, files()) }, "spec.suspend is false"},
		"suspended, and not said": {func(s *state) {
			s.model.suspend(variant, files())
			s.pv.Spec.Suspend = true
		}, "the condition Suspended is not True"},
		"suspended, and changed": {func(s *state) {
			suspendAll(s.model, s.pv)
			s.revisions[1].Files["service.yaml"] += "# a comment\n"
		}, "site-0001.web-3.packagevariant-2 has changed since the variant was suspended"},
		"suspended, whatever changes": {func(s *state) {
			suspendAll(s.model, s.pv)
			s.model.next(s.model.versions, 0)
			s.model.next(s.model.payments, 1)
		}, ""},
		"resumed": {func(s *state) {
			suspendAll(s.model, s.pv)
			s.model.suspend(variant, nil)
			s.pv.Spec.Suspend = false
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := state{model: asked()}
			s.pv, s.revisions = settled()
			c.change(&s)
			got := judge(s.model.of(variant), s.pv, s.revisions)
			exact := !strings.HasSuffix(c.want, ": ") && !strings.HasSuffix(c.want, "is ")
			if exact && got != c.want || !exact && !strings.HasPrefix(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// suspendAll suspends variant 13, in the model and as it is.
func suspendAll(m *model, pv *v1alpha1.PackageVariant) {
	m.suspend(13, files())
	pv.Spec.Suspend = true
	pv.Status.Conditions = append(pv.Status.Conditions, metav1.Condition{Type: "Suspended", Status: "True"})
}

// TestOwn checks what a variant without a set must be: it has its note, and it stays when its site leaves the set.
func TestOwn(t *testing.T) {
	t.Parallel()
	m := asked()
	m.next(m.notes, 1)
	m.move(1, true)
	want := m.of(19)
	if got := want.lines["package-context.yaml"]; want.gone || len(got) != 2 || got[1] != "  note: note-1" {
		t.Errorf("wanted is %+v", want)
	}
}
