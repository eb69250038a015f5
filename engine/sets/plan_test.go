// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/mutate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var testOwner = owner{name: "web", uid: "uid-1"}

// wantedVariant is a variant as the expansion gives it: for the package web in a repository.
func wantedVariant(name, repo string) v1alpha1.PackageVariant {
	return v1alpha1.PackageVariant{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "fleet",
			Labels: map[string]string{v1alpha2.OwnerLabel: "uid-1"}},
		Spec: variant.Spec{
			Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(2)},
			Downstream: &variant.Downstream{Repo: repo, Package: "web"},
		},
	}
}

// ownVariant is such a variant in the cluster, with the set's marks, changed by the edits.
func ownVariant(name, repo string, edits ...func(*v1alpha1.PackageVariant)) v1alpha1.PackageVariant {
	pv := wantedVariant(name, repo)
	testOwner.take(&pv)
	for _, edit := range edits {
		edit(&pv)
	}
	return pv
}

func created(minute int) func(*v1alpha1.PackageVariant) {
	return func(pv *v1alpha1.PackageVariant) {
		pv.CreationTimestamp = metav1.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC)
	}
}

func deleted(pv *v1alpha1.PackageVariant) {
	pv.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
}

func outdated(pv *v1alpha1.PackageVariant) {
	pv.Spec.Upstream = pv.Spec.Upstream.DeepCopy()
	pv.Spec.Upstream.Revision = variant.RevisionNumber(1)
}

func suspended(pv *v1alpha1.PackageVariant) { pv.Spec.Suspend = true }

func marked(uid string) func(*v1alpha1.PackageVariant) {
	return func(pv *v1alpha1.PackageVariant) {
		pv.OwnerReferences = nil
		owner{name: "web", uid: types.UID(uid)}.take(pv)
	}
}

func unmarked(pv *v1alpha1.PackageVariant) { pv.Labels, pv.OwnerReferences = nil, nil }

func ownedByOther(pv *v1alpha1.PackageVariant) {
	unmarked(pv)
	owner{name: "other", uid: "uid-9"}.take(pv)
}

func nowhere(pv *v1alpha1.PackageVariant) { pv.Spec.Downstream = nil }

func TestPlan(t *testing.T) {
	type variants = []v1alpha1.PackageVariant
	both := variants{wantedVariant("web-a", "a"), wantedVariant("web-b", "b")}
	none := []string{"spec.targets[1].repositorySelector"}
	for name, test := range map[string]struct {
		wanted, existing variants
		empty            []string
		allowEmpty       bool
		want             []string // action, name, and the downstream repository that results
	}{
		"nothing wanted, nothing there": {},
		"create":                        {wanted: both, want: []string{"create web-a a", "create web-b b"}},
		"keep what is as it is to be": {wanted: both, existing: variants{ownVariant("web-b", "b"),
			ownVariant("web-a", "a")}, want: []string{"keep web-a a", "keep web-b b"}},
		"update a spec": {wanted: both[:1], existing: variants{ownVariant("web-a", "a", outdated)},
			want: []string{"update web-a a"}},
		"keep what a person suspended": {wanted: both[:1], existing: variants{ownVariant("web-a", "a", suspended)},
			want: []string{"keep web-a a"}},
		"update what a person suspended": {wanted: both[:1], existing: variants{ownVariant("web-a", "a", suspended,
			outdated)}, want: []string{"update web-a a"}},
		"keep under another name": {wanted: both[:1], existing: variants{ownVariant("porch-x", "a")},
			want: []string{"keep porch-x a"}},
		"update under another name": {wanted: both[:1], existing: variants{ownVariant("porch-x", "a", outdated)},
			want: []string{"update porch-x a"}},
		"delete what is not wanted": {wanted: both[:1], existing: variants{ownVariant("web-a", "a"),
			ownVariant("web-c", "c")}, want: []string{"keep web-a a", "remove web-c c"}},
		"delete what has no downstream": {wanted: both[:1], existing: variants{ownVariant("x", "", nowhere)},
			want: []string{"create web-a a", "remove x"}},
		"leave what another set owns": {wanted: both[:1], existing: variants{ownVariant("x", "a", ownedByOther)},
			want: []string{"create web-a a"}},
		"leave what nobody owns": {wanted: both[:1], existing: variants{ownVariant("x", "c", unmarked)},
			want: []string{"create web-a a"}},
		"an empty selection keeps all": {empty: none,
			existing: variants{ownVariant("web-a", "a", outdated), ownVariant("web-b", "b")},
			want:     []string{"keep web-a a", "keep web-b b"}},
		"an empty selection takes back": {empty: none, existing: variants{ownVariant("web-a", "a", marked("uid-0"))},
			want: []string{"update web-a a"}},
		"allowEmpty deletes all": {empty: none, allowEmpty: true, existing: variants{ownVariant("web-a", "a")},
			want: []string{"remove web-a a"}},
		"a target that selects nothing beside others keeps what none wants": {empty: none, wanted: both,
			existing: variants{ownVariant("web-a", "a", outdated), ownVariant("web-c", "c")},
			want:     []string{"update web-a a", "create web-b b", "keep web-c c"}},
		"allowEmpty deletes what none wants": {empty: none, allowEmpty: true, wanted: both[:1],
			existing: variants{ownVariant("web-a", "a"), ownVariant("web-c", "c")},
			want:     []string{"keep web-a a", "remove web-c c"}},
		"restored": {wanted: both[:1], existing: variants{ownVariant("web-a", "a", marked("uid-0"))},
			want: []string{"update web-a a"}},
		"the older of two stays": {
			wanted:   both[:1],
			existing: variants{ownVariant("web-a", "a", created(2)), ownVariant("x", "a", created(1))},
			want:     []string{"keep x a", "remove web-a a"},
		},
		"of two that are as old the first by name stays": {wanted: both[:1],
			existing: variants{ownVariant("y", "a"), ownVariant("x", "a")}, want: []string{"keep x a", "remove y a"}},
		"one that is being deleted does not stay": {
			wanted:   both[:1],
			existing: variants{ownVariant("x", "a", created(1), deleted), ownVariant("web-a", "a", created(2))},
			want:     []string{"keep web-a a"},
		},
		"wait for one that is being deleted": {wanted: both[:1], existing: variants{ownVariant("web-a", "a", deleted)},
			want: []string{"waiting web-a a"}},
		"do not delete twice": {wanted: both[:1], existing: variants{ownVariant("web-c", "c", deleted)},
			want: []string{"create web-a a"}},
		"a name that is taken": {wanted: both, existing: variants{ownVariant("web-a", "z", unmarked)},
			want: []string{"taken web-a z", "create web-b b"}},
		"a name that another set took": {wanted: both[:1], existing: variants{ownVariant("web-a", "a", ownedByOther)},
			want: []string{"taken web-a a"}},
		"a downstream that a user changed": {wanted: both[:1], existing: variants{ownVariant("web-a", "z")},
			want: []string{"update web-a a"}},
		"names that are swapped": {wanted: both, existing: variants{ownVariant("web-a", "b"),
			ownVariant("web-b", "a")}, want: []string{"keep web-b a", "keep web-a b"}},
	} {
		t.Run(name, func(t *testing.T) {
			steps, held := planOf(&input{owner: testOwner, spec: &v1alpha2.PackageVariantSetSpec{AllowEmpty: test.allowEmpty},
				wanted: test.wanted, desired: len(test.wanted), existing: test.existing, empty: test.empty})
			if held != (hold{}) {
				t.Errorf("it is held back: %v", held)
			}
			got := describe(steps)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPlanOfSettled checks that a variant which is being deleted is not counted among those that a settled set keeps:
// it is not wanted any more, and was not when the set was found settled.
func TestPlanOfSettled(t *testing.T) {
	steps, _ := planOf(&input{owner: testOwner, spec: &v1alpha2.PackageVariantSetSpec{}, settled: true,
		existing: []v1alpha1.PackageVariant{ownVariant("web-a", "a"), ownVariant("web-c", "c", deleted)}})
	if diff := cmp.Diff([]string{"keep web-a a"}, describe(steps)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// planOf returns the plan for a set without a rollout.
func planOf(in *input) ([]step, hold) {
	steps := in.steps(in.match())
	return steps, in.hold(steps)
}

// TestPlanWithoutSome checks which variants stay where targets fail: those for a failing target's downstream, and all
// of them where a target has none, for what it is called may have changed.
func TestPlanWithoutSome(t *testing.T) {
	type variants = []v1alpha1.PackageVariant
	both := variants{ownVariant("web-a", "a", outdated), ownVariant("porch-x", "b")}
	fails := func(repo, pkg string) mutate.Excluded {
		return mutate.Excluded{Name: "any", Downstream: variant.Downstream{Repo: repo, Package: pkg}}
	}
	for name, test := range map[string]struct {
		wanted            variants
		excluded, refused []mutate.Excluded
		existing          variants
		want              []string
	}{
		"its variant stays, whatever its name": {excluded: []mutate.Excluded{fails("b", "web")}, existing: both,
			want: []string{"keep porch-x b", "remove web-a a"}},
		"both fail": {excluded: []mutate.Excluded{fails("a", "web"), fails("b", "web")}, existing: both,
			want: []string{"keep porch-x b", "keep web-a a"}},
		"both fail after their packages were renamed": {excluded: []mutate.Excluded{fails("a", "new"), fails("b", "new")},
			existing: both, want: []string{"keep porch-x b", "keep web-a a"}},
		"one of them fails": {wanted: variants{wantedVariant("web-c", "c")}, excluded: []mutate.Excluded{fails("b", "new")},
			existing: both, want: []string{"create web-c c", "keep porch-x b", "keep web-a a"}},
		"both are refused after their packages were renamed": {refused: []mutate.Excluded{fails("a", "new"), fails("b", "new")},
			existing: both, want: []string{"keep porch-x b", "keep web-a a"}},
		"nothing is known of it": {excluded: []mutate.Excluded{{}}, existing: both,
			want: []string{"keep porch-x b", "keep web-a a"}},
		"it keeps a variant that has the name of another's": {wanted: variants{wantedVariant("web-a", "a")},
			excluded: []mutate.Excluded{fails("b", "web")}, existing: variants{ownVariant("web-a", "b")},
			want: []string{"taken web-a b", "keep web-a b"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := &input{owner: testOwner, spec: &v1alpha2.PackageVariantSetSpec{AllowEmpty: true}, wanted: test.wanted,
				excluded: test.excluded, refused: test.refused, existing: test.existing,
				desired: len(test.wanted) + len(test.excluded) + len(test.refused)}
			steps, _ := planOf(in)
			if diff := cmp.Diff(test.want, describe(steps)); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTakenBy checks how a variant is named that has the name of a wanted one: as the set's own, where it stays for a
// target that fails.
func TestTakenBy(t *testing.T) {
	failing := mutate.Excluded{Name: "web-b", Downstream: variant.Downstream{Repo: "b", Package: "web"}}
	foreign := wantedVariant("web-a", "b")
	foreign.Labels = nil
	for want, existing := range map[string]v1alpha1.PackageVariant{
		`"web-a"`: foreign,
		`"web-a" (this one is, for a target that fails: correct that)`: ownVariant("web-a", "b"),
	} {
		steps, _ := planOf(&input{owner: testOwner, spec: &v1alpha2.PackageVariantSetSpec{AllowEmpty: true},
			wanted: []v1alpha1.PackageVariant{wantedVariant("web-a", "a")}, excluded: []mutate.Excluded{failing},
			existing: []v1alpha1.PackageVariant{existing}, desired: 2})
		if steps[0].do != taken || steps[0].takenBy() != want {
			t.Errorf("got %d %s, want %s", steps[0].do, steps[0].takenBy(), want)
		}
	}
}

func describe(steps []step) []string {
	names := map[action]string{keep: "keep", create: "create", update: "update", remove: "remove", waiting: "waiting",
		taken: "taken"}
	var out []string
	for _, s := range steps {
		pv := s.want
		if pv == nil {
			pv = s.have
		}
		text := names[s.do] + " " + pv.Name
		if d := pv.Spec.Downstream; d != nil {
			text += " " + d.Repo
		}
		out = append(out, text)
	}
	return out
}

func TestCreateMarksTheVariant(t *testing.T) {
	wanted := wantedVariant("web-a", "a")
	steps, _ := planOf(&input{owner: testOwner, spec: &v1alpha2.PackageVariantSetSpec{},
		wanted: []v1alpha1.PackageVariant{wanted}})
	got := steps[0].want
	controller := true
	want := wantedVariant("web-a", "a")
	want.Finalizers = []string{v1alpha1.Finalizer}
	want.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "config.porch.kpt.dev/v1alpha2", Kind: "PackageVariantSet", Name: "web", UID: "uid-1",
		Controller: &controller,
	}}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("variant (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantedVariant("web-a", "a"), wanted); diff != "" {
		t.Errorf("the wanted variant, which is shared, was changed (-want +got):\n%s", diff)
	}
}

func TestUpdateLeavesWhatIsNotTheSets(t *testing.T) {
	controller, no := true, false
	foreign := metav1.OwnerReference{APIVersion: "example.com/v1", Kind: "Fleet", Name: "f", UID: "uid-f",
		Controller: &controller}
	have := ownVariant("porch-x", "a", outdated, suspended, marked("uid-0"), func(pv *v1alpha1.PackageVariant) {
		pv.Labels["team"], pv.Annotations, pv.Finalizers = "edge", map[string]string{"note": "mine"},
			[]string{"example.com/f"}
		pv.OwnerReferences = append(pv.OwnerReferences, foreign)
	})
	before := have.DeepCopy()
	steps, _ := planOf(&input{owner: testOwner, spec: &v1alpha2.PackageVariantSetSpec{},
		wanted:   []v1alpha1.PackageVariant{wantedVariant("web-a", "a")},
		existing: []v1alpha1.PackageVariant{have}})
	got := steps[0].want

	want := before.DeepCopy()
	want.Spec = wantedVariant("", "a").Spec
	want.Spec.Suspend = true
	want.Labels[v1alpha2.OwnerLabel] = "uid-1"
	want.OwnerReferences = []metav1.OwnerReference{foreign, {
		APIVersion: "config.porch.kpt.dev/v1alpha2", Kind: "PackageVariantSet", Name: "web", UID: "uid-1", Controller: &no,
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("variant (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, &have); diff != "" {
		t.Errorf("the variant in the cache was changed (-want +got):\n%s", diff)
	}
}

func TestOneSetGivesAVariantUpToTheOther(t *testing.T) {
	pv := ownVariant("x", "a")
	other := owner{name: "other", uid: "uid-9"}
	pv.OwnerReferences = append(pv.OwnerReferences, metav1.OwnerReference{APIVersion: "config.porch.kpt.dev/v1alpha2",
		Kind: "PackageVariantSet", Name: "other", UID: "uid-9"})
	pv.OwnerReferences[0].Controller = nil
	if !testOwner.owns(&pv) || !other.owns(&pv) || testOwner.isCurrent(&pv) || other.isCurrent(&pv) {
		t.Fatal("a variant with the marks of two sets, neither of which controls it, is to be both's, and current for none")
	}
	testOwner.take(&pv)
	if other.owns(&pv) || !testOwner.isCurrent(&pv) {
		t.Error("a variant that one set took is still the other's, so that the two would take it in turns")
	}
}

// TestForgedOwner checks that a variant which a set controls is no other set's, whatever marks a person adds.
func TestForgedOwner(t *testing.T) {
	pv := ownVariant("x", "a")
	forger := owner{name: "forger", uid: "uid-9"}
	pv.Labels[v1alpha2.OwnerLabel] = string(forger.uid)
	pv.OwnerReferences = append(pv.OwnerReferences, metav1.OwnerReference{APIVersion: "config.porch.kpt.dev/v1alpha2",
		Kind: "PackageVariantSet", Name: forger.name, UID: forger.uid})
	if !testOwner.owns(&pv) || forger.owns(&pv) {
		t.Errorf("owned by its set: %v, by the other: %v", testOwner.owns(&pv), forger.owns(&pv))
	}
	testOwner.take(&pv)
	if !testOwner.isCurrent(&pv) || len(pv.OwnerReferences) != 1 {
		t.Errorf("the marks of the other set stay: %v", pv.OwnerReferences)
	}
}
