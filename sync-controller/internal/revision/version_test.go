// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func trimmed(t *testing.T, pr *porchapi.PackageRevision) *porchapi.PackageRevision {
	t.Helper()
	out, err := Trim(pr)
	if err != nil {
		t.Fatal(err)
	}
	return out.(*porchapi.PackageRevision)
}

// TestTrimVersion holds that the version tells of what the controllers read, and of nothing else: informers pass on
// an object whose version has changed, and no other.
func TestTrimVersion(t *testing.T) {
	t.Parallel()
	before := trimmed(t, full()).ResourceVersion
	for name, c := range map[string]struct {
		edit func(*porchapi.PackageRevision)
		want bool
	}{
		"nothing":         {func(*porchapi.PackageRevision) {}, false},
		"commit":          {func(pr *porchapi.PackageRevision) { pr.ResourceVersion = "c8" }, true},
		"label added":     {func(pr *porchapi.PackageRevision) { pr.Labels["new"] = "" }, true},
		"label removed":   {func(pr *porchapi.PackageRevision) { delete(pr.Labels, "env") }, true},
		"label changed":   {func(pr *porchapi.PackageRevision) { pr.Labels["env"] = "test" }, true},
		"labels swapped":  {func(pr *porchapi.PackageRevision) { pr.Labels["env"], pr.Labels["tier"] = "1", "prod" }, true},
		"labels run over": {func(pr *porchapi.PackageRevision) { pr.Labels = map[string]string{"env": "prod\"\n\"tier\"=\"1"} }, true},
		"owner added":     {func(pr *porchapi.PackageRevision) { pr.OwnerReferences = append(pr.OwnerReferences, us.Reference()) }, true},
		"owner removed":   {func(pr *porchapi.PackageRevision) { pr.OwnerReferences = nil }, true},
		"owner's name":    {func(pr *porchapi.PackageRevision) { pr.OwnerReferences[0].Name = "x" }, true},
		"owner's kind":    {func(pr *porchapi.PackageRevision) { pr.OwnerReferences[0].Kind = "x" }, true},
		"owner's UID":     {func(pr *porchapi.PackageRevision) { pr.OwnerReferences[0].UID = "x" }, true},
		"owner's version": {func(pr *porchapi.PackageRevision) { pr.OwnerReferences[0].APIVersion = "x" }, true},
		"lifecycle":       {func(pr *porchapi.PackageRevision) { pr.Spec.Lifecycle = "DeletionProposed" }, true},
		"number":          {func(pr *porchapi.PackageRevision) { pr.Spec.Revision = 3 }, true},
		"being deleted":   {func(pr *porchapi.PackageRevision) { pr.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }, true},
		"annotations":     {func(pr *porchapi.PackageRevision) { pr.Annotations["big"] = "other" }, true},
		"managed fields":  {func(pr *porchapi.PackageRevision) { pr.ManagedFields = nil }, false},
		"generation":      {func(pr *porchapi.PackageRevision) { pr.Generation = 9 }, false},
		"tasks":           {func(pr *porchapi.PackageRevision) { pr.Spec.Tasks = nil }, false},
		"readiness gates": {func(pr *porchapi.PackageRevision) { pr.Spec.ReadinessGates = nil }, false},
		"conditions":      {func(pr *porchapi.PackageRevision) { pr.Status.Conditions = nil }, false},
		"who published":   {func(pr *porchapi.PackageRevision) { pr.Status.PublishedBy = "bob" }, false},
		"labels in order": {func(pr *porchapi.PackageRevision) { pr.Labels = map[string]string{"tier": "1", "env": "prod"} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pr := full()
			c.edit(pr)
			commit := pr.ResourceVersion
			after := trimmed(t, pr)
			if got := after.ResourceVersion != before; got != c.want {
				t.Errorf("the version went from %s to %s", before, after.ResourceVersion)
			}
			if got := From(after).Commit; got != commit {
				t.Errorf("the commit is %q, want %q", got, commit)
			}
		})
	}
}

// TestTrimKeeps holds that what From reads is there after Trim, and that the rest is not.
func TestTrimKeeps(t *testing.T) {
	t.Parallel()
	got := trimmed(t, full())
	if diff := cmp.Diff(From(full()), From(got)); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	want := full()
	want.ManagedFields, want.Spec.Tasks, want.Spec.ReadinessGates = nil, nil, nil
	want.Status = porchapi.PackageRevisionStatus{UpstreamLock: want.Status.UpstreamLock, PublishedAt: want.Status.PublishedAt}
	want.ResourceVersion = got.ResourceVersion
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !strings.HasPrefix(got.ResourceVersion, "c7+") {
		t.Errorf("the version is %q", got.ResourceVersion)
	}
}

func TestTrimOthers(t *testing.T) {
	t.Parallel()
	list := &porchapi.PackageRevisionList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	if got, err := Trim(list); err != nil || got != any(list) || list.ResourceVersion != "1" {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := Trim("tombstone"); err != nil || got != "tombstone" {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestTrimRelist holds that an object which is listed again, and has not changed, keeps its version, whatever it is:
// else each relist would reconcile everything.
func TestTrimRelist(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		letters := []string{"a", "b", "\"", "\n", "=", "+", "é", ""}
		return letters[random.IntN(len(letters))] + letters[random.IntN(len(letters))]
	}
	versions := map[string]*porchapi.PackageRevision{}
	for range 2_000 {
		pr := full()
		pr.Labels, pr.OwnerReferences = nil, nil
		for range random.IntN(4) {
			metav1.SetMetaDataLabel(&pr.ObjectMeta, word(), word())
		}
		for range random.IntN(3) {
			pr.OwnerReferences = append(pr.OwnerReferences, metav1.OwnerReference{APIVersion: word(), Kind: word(), Name: word(), UID: types.UID(word())})
		}
		pr.Spec.Lifecycle = porchapi.PackageRevisionLifecycle(word())
		pr.Spec.Revision = random.IntN(3) - 1
		first, second := trimmed(t, pr.DeepCopy()), trimmed(t, pr.DeepCopy())
		if first.ResourceVersion != second.ResourceVersion {
			t.Fatalf("two versions, %s and %s, of %+v", first.ResourceVersion, second.ResourceVersion, pr)
		}
		if other := versions[first.ResourceVersion]; other != nil && !cmp.Equal(other, first) {
			t.Fatalf("one version of two objects:\n%s", cmp.Diff(other, first))
		}
		versions[first.ResourceVersion] = first
	}
	if len(versions) < 1_000 {
		t.Errorf("only %d different objects were tried", len(versions))
	}
}

func TestPackageString(t *testing.T) {
	t.Parallel()
	if got := (Package{Repo: "edge", Name: "a/web"}).String(); got != "edge/a/web" {
		t.Errorf("got %q", got)
	}
}
