// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestVerdict plants faults in the end of a run, and checks the verdict on each.
func TestVerdict(t *testing.T) {
	t.Parallel()
	const auto2, manual1 = "edge.auto-0.packagevariant-2", "edge.manual-0.packagevariant-1"
	own, line := edit{"note-1.yaml", "note-1"}, edit{"settings.yaml", "note-2"}
	for name, c := range map[string]struct {
		plant func(*ending)
		want  []string
	}{
		"nothing": {func(*ending) {}, nil},

		"an older blueprint": {func(e *ending) { e.o.files[auto2]["settings.yaml"] = settings(1) + line.line() },
			[]string{auto2 + " has not \"version: \\\"2\\\"\" in settings.yaml:\n" + settings(1) + line.line()}},
		"an older fact": {func(e *ending) { e.d.round = 4 },
			[]string{auto2 + " has not \"api: \\\"4\\\"\" in region.yaml:\n  api: \"3\"\n",
				manual1 + " has not \"api: \\\"4\\\"\" in region.yaml:\n  api: \"3\"\n"}},
		"an older context": {func(e *ending) { e.d.contexts["manual-0"] = "7" },
			[]string{manual1 + " has not \"round: \\\"7\\\"\" in package-context.yaml:\n"}},
		"a package that nobody made": {func(e *ending) { e.o.variants["alpha/web"] = "3" },
			[]string{"alpha/web has no revision"}},
		"the newest is not published": {func(e *ending) {
			e.find(auto2).Spec.Lifecycle = porchapi.PackageRevisionLifecycleProposed
			e.o.references["edge"] = append(slices.Delete(e.o.references["edge"], 1, 2),
				"refs/heads/proposed/auto-0/packagevariant-2")
		}, []string{auto2 + " is Proposed",
			"the git repository of edge has the branch refs/heads/proposed/auto-0/packagevariant-2"}},

		"a file is lost": {func(e *ending) { delete(e.o.files[auto2], "note-1.yaml") },
			[]string{"note-1 is lost, which people wrote to note-1.yaml of edge/auto-0"}},
		"a line is lost": {func(e *ending) { e.o.files[auto2]["settings.yaml"] = settings(2) },
			[]string{"note-2 is lost, which people wrote to settings.yaml of edge/auto-0"}},
		"a comment is lost": {func(e *ending) { e.o.files[auto2]["settings.yaml"] = settings(2) + "  note-2: \"kept\"\n" },
			[]string{"note-2 is lost, which people wrote to settings.yaml of edge/auto-0"}},

		"there were two drafts": {func(e *ending) {
			e.d.see([]porchapi.PackageRevision{*e.find(manual1), *e.find(auto2), *e.find("edge.auto-0.packagevariant-1")})
		}, []string{"there was edge.auto-0.packagevariant-1 beside " + auto2}},
		"an older draft is left": {func(e *ending) {
			e.find("edge.auto-0.packagevariant-1").Spec.Lifecycle = porchapi.PackageRevisionLifecycleDraft
			e.o.references["edge"] = e.o.references["edge"][1:]
		}, []string{"edge.auto-0.packagevariant-1 is Draft, beside what is newer"}},
		"a branch is left": {func(e *ending) {
			e.o.references["edge"] = append(e.o.references["edge"], "refs/heads/drafts/auto-0/packagevariant-3")
		}, []string{"the git repository of edge has the branch refs/heads/drafts/auto-0/packagevariant-3"}},

		"no owner":      {func(e *ending) { e.find(auto2).OwnerReferences = nil }, []string{auto2 + " is owned by []"}},
		"another owner": {func(e *ending) { e.find(auto2).OwnerReferences[0].UID = "2" }, []string{auto2 + ` is owned by ["owner"]`}},
		"two owners": {func(e *ending) {
			r := e.find(auto2)
			r.OwnerReferences = append(r.OwnerReferences, metav1.OwnerReference{Name: "other", UID: "2"})
		}, []string{auto2 + ` is owned by ["owner" "other"]`}},
		"Porch does not know a revision": {func(e *ending) {
			e.o.references["edge"] = append(e.o.references["edge"], "refs/tags/auto-0/v3")
		}, []string{"the git repository has what Porch does not know: edge refs/tags/auto-0/v3"}},
		"git does not have a revision": {func(e *ending) { e.o.references["edge"] = e.o.references["edge"][1:] },
			[]string{"the git repository has not edge refs/tags/auto-0/v1"}},

		"approved in spite of Manual": {func(e *ending) { e.d.asked[manual1] = true },
			[]string{"the controller has asked to approve " + manual1 + ", in spite of approvalPolicy Manual"}},
		"approved by nobody": {func(e *ending) { delete(e.d.approved, manual1) },
			[]string{manual1 + " was approved by nobody"}},
		"approved in spite of Initial": {func(e *ending) {
			r := e.find(manual1)
			r.Spec.PackageName, r.Spec.Revision = "initial", 2
			e.o.variants["edge/initial"] = "2"
			delete(e.o.variants, "edge/manual-0")
			e.o.references["edge"][2] = "refs/tags/initial/v2"
			e.d.asked[manual1] = true
		}, []string{"the controller has asked to approve " + manual1 + ", in spite of approvalPolicy Initial"}},
		"approved with an edit": {func(e *ending) { delete(e.d.approved, auto2); e.d.asked[auto2] = true },
			[]string{"the controller has approved " + auto2 + ", in which people wrote [note-1 note-2]"}},
		"approved with an unmet gate": {func(e *ending) {
			e.find("edge.auto-0.packagevariant-1").Status.Conditions[0].Status = porchapi.ConditionFalse
		}, []string{"the controller has approved edge.auto-0.packagevariant-1, of which the readiness gates are not met"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnding(own, line)
			c.plant(e)
			if diff := cmp.Diff(c.want, verdict(e.o, e.d)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// ending is the end of a run.
type ending struct {
	o *outcome
	d *deeds
}

// newEnding returns an end without faults: the controller has published the first revision of auto-0, and people the
// second, in which they made the edits, and the first of manual-0.
func newEnding(edits ...edit) *ending {
	e := &ending{d: newDeeds(), o: &outcome{
		variants: map[string]types.UID{"edge/auto-0": "1", "edge/manual-0": "2"}, files: map[string]map[string]string{},
		references: map[string][]string{"edge": {"refs/tags/auto-0/v1", "refs/tags/auto-0/v2", "refs/tags/manual-0/v1"}},
	}}
	files := map[string]string{"settings.yaml": settings(2), "region.yaml": "  api: \"3\"\n"}
	e.add("auto-0", "packagevariant-1", 1, "1", files)
	e.add("auto-0", "packagevariant-2", 2, "1", files)
	e.add("manual-0", "packagevariant-1", 1, "2", files)
	e.d.version, e.d.round = 2, 3
	e.d.asked["edge.auto-0.packagevariant-1"] = true
	e.d.approved["edge.auto-0.packagevariant-2"], e.d.approved["edge.manual-0.packagevariant-1"] = true, true
	for _, each := range edits {
		each.into(e.o.files["edge.auto-0.packagevariant-2"])
		e.d.written[each] = "edge/auto-0"
	}
	return e
}

func (e *ending) add(pkg, workspace string, revision int, owner types.UID, files map[string]string) {
	r := porchapi.PackageRevision{ObjectMeta: metav1.ObjectMeta{Name: "edge." + pkg + "." + workspace,
		OwnerReferences: []metav1.OwnerReference{{Name: "owner", UID: owner}}}}
	r.Spec = porchapi.PackageRevisionSpec{RepositoryName: "edge", PackageName: pkg, WorkspaceName: workspace,
		Revision: revision, Lifecycle: porchapi.PackageRevisionLifecyclePublished,
		ReadinessGates: []porchapi.ReadinessGate{{ConditionType: "region"}}}
	r.Status.Conditions = []porchapi.Condition{{Type: "region", Status: porchapi.ConditionTrue}}
	e.o.revisions = append(e.o.revisions, r)
	e.o.files[r.Name] = maps.Clone(files)
}

// find returns the revision of a name.
func (e *ending) find(name string) *porchapi.PackageRevision {
	for i := range e.o.revisions {
		if e.o.revisions[i].Name == name {
			return &e.o.revisions[i]
		}
	}
	return nil
}
