// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// variantRef returns an owner reference to the variant web-eu, of a version of the API that may come.
func variantRef() metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "config.porch.kpt.dev/v1beta9", Kind: "PackageVariant", Name: "web-eu",
		UID: "uid"}
}

// c7 is a git commit.
const c7 = "c70a7c70a7c70a7c70a7c70a7c70a7c70a7c70a7"

// full returns a PackageRevision that says all it can.
func full() *porchapi.PackageRevision {
	return &porchapi.PackageRevision{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "fleet", Name: "edge.a.web.packagevariant-2", ResourceVersion: c7, UID: "pr-uid", Generation: 3,
			Labels:          map[string]string{"env": "prod", "tier": "1"},
			Annotations:     map[string]string{"big": "thing"},
			OwnerReferences: []metav1.OwnerReference{variantRef()},
			ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "porch"}},
			Finalizers:      []string{"porch"}, CreationTimestamp: metav1.Unix(100, 0),
		},
		Spec: porchapi.PackageRevisionSpec{
			RepositoryName: "edge", PackageName: "a/web", WorkspaceName: "packagevariant-2", Revision: 2,
			Lifecycle: porchapi.PackageRevisionLifecyclePublished,
			Tasks: []porchapi.Task{
				{Type: porchapi.TaskTypeEdit,
					Edit: &porchapi.PackageEditTaskSpec{Source: &porchapi.PackageRevisionRef{Name: "edge.a.web.packagevariant-1"}}},
				{Type: porchapi.TaskTypeUpgrade},
			},
			ReadinessGates: []porchapi.ReadinessGate{{ConditionType: "gate"}},
		},
		Status: porchapi.PackageRevisionStatus{
			UpstreamLock: &porchapi.UpstreamLock{Type: "git", Git: &porchapi.GitLock{
				Repo: "https://git.example.com/blueprints", Directory: "web", Ref: "web/v3", Commit: "c3",
			}},
			PublishedBy: "ada", PublishedAt: metav1.Unix(200, 0),
			Conditions: []porchapi.Condition{{Type: "gate", Status: "True"}},
		},
	}
}

func TestConvert(t *testing.T) {
	t.Parallel()
	edited := func(edit func(*porchapi.PackageRevision)) *porchapi.PackageRevision {
		pr := full()
		edit(pr)
		return pr
	}
	want := func(edit func(*revision.Revision)) revision.Revision {
		r := revision.Revision{
			Namespace: "fleet", Name: "edge.a.web.packagevariant-2", Package: revision.Package{Repo: "edge", Name: "a/web"},
			Workspace: "packagevariant-2", Number: 2, Lifecycle: "Published",
			Version: c7, Commit: c7,
			Created: time.Unix(100, 0), PublishedAt: time.Unix(200, 0),
			Labels: map[string]string{"env": "prod", "tier": "1"}, Annotations: map[string]string{"big": "thing"},
			Owners: []metav1.OwnerReference{variantRef()},
			Lock:   &revision.Lock{Repo: "https://git.example.com/blueprints", Directory: "web", Ref: "web/v3", Commit: "c3"},
			Task:   revision.Task{Type: revision.Edit, Source: "edge.a.web.packagevariant-1"},
		}
		if edit != nil {
			edit(&r)
		}
		return r
	}
	unlocked := want(func(r *revision.Revision) { r.Lock = nil })
	for name, c := range map[string]struct {
		in   *porchapi.PackageRevision
		want revision.Revision
	}{
		"full":  {full(), want(nil)},
		"empty": {&porchapi.PackageRevision{}, revision.Revision{Lifecycle: "Draft", InParts: true}},
		"no lifecycle": {edited(func(pr *porchapi.PackageRevision) { pr.Spec.Lifecycle = "" }),
			want(func(r *revision.Revision) { r.Lifecycle = "Draft" })},
		"trimmed": {trimmed(t, full()), want(nil)},
		"trimmed, no commit": {trimmed(t, edited(func(pr *porchapi.PackageRevision) { pr.ResourceVersion = "" })),
			want(func(r *revision.Revision) { r.Version, r.Commit, r.InParts = "", "", true })},
		// Porch's cache in PostgreSQL counts the microseconds at which a revision was changed.
		"kept in PostgreSQL": {edited(func(pr *porchapi.PackageRevision) { pr.ResourceVersion = pr.Name + ".1764000000000001" }),
			want(func(r *revision.Revision) { r.Version, r.Commit, r.InParts = r.Name+".1764000000000001", "", true })},
		"a lock without a commit": {edited(func(pr *porchapi.PackageRevision) { pr.Status.UpstreamLock.Git.Commit = "" }),
			want(func(r *revision.Revision) { r.Lock.Commit = "" })},
		"no task": {edited(func(pr *porchapi.PackageRevision) { pr.Spec.Tasks = nil }),
			want(func(r *revision.Revision) { r.Task = revision.Task{} })},
		"no lock":               {edited(func(pr *porchapi.PackageRevision) { pr.Status.UpstreamLock = nil }), unlocked},
		"lock of no repository": {edited(func(pr *porchapi.PackageRevision) { pr.Status.UpstreamLock.Git = nil }), unlocked},
		// Porch gives a package without an upstream an empty lock.
		"empty lock": {edited(func(pr *porchapi.PackageRevision) { pr.Status.UpstreamLock.Git = &porchapi.GitLock{} }),
			unlocked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Revision(c.in)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func trimmed(t *testing.T, pr *porchapi.PackageRevision) *porchapi.PackageRevision {
	t.Helper()
	out, err := Trim(pr)
	if err != nil {
		t.Fatal(err)
	}
	return out.(*porchapi.PackageRevision)
}

// TestTrimVersion checks that the version changes with what the controllers read, and with nothing else: informers pass
// on an object whose version has changed, and no other.
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
		"owner added": {func(pr *porchapi.PackageRevision) {
			pr.OwnerReferences = append(pr.OwnerReferences,
				us.Reference())
		}, true},
		"owner removed":   {func(pr *porchapi.PackageRevision) { pr.OwnerReferences = nil }, true},
		"owner's name":    {func(pr *porchapi.PackageRevision) { pr.OwnerReferences[0].Name = "x" }, true},
		"owner's kind":    {func(pr *porchapi.PackageRevision) { pr.OwnerReferences[0].Kind = "x" }, true},
		"owner's UID":     {func(pr *porchapi.PackageRevision) { pr.OwnerReferences[0].UID = "x" }, true},
		"owner's version": {func(pr *porchapi.PackageRevision) { pr.OwnerReferences[0].APIVersion = "x" }, true},
		"lifecycle":       {func(pr *porchapi.PackageRevision) { pr.Spec.Lifecycle = "DeletionProposed" }, true},
		"number":          {func(pr *porchapi.PackageRevision) { pr.Spec.Revision = 3 }, true},
		"being deleted": {func(pr *porchapi.PackageRevision) { pr.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} },
			true},
		"annotations":     {func(pr *porchapi.PackageRevision) { pr.Annotations["big"] = "other" }, true},
		"managed fields":  {func(pr *porchapi.PackageRevision) { pr.ManagedFields = nil }, false},
		"generation":      {func(pr *porchapi.PackageRevision) { pr.Generation = 9 }, false},
		"tasks":           {func(pr *porchapi.PackageRevision) { pr.Spec.Tasks = nil }, false},
		"readiness gates": {func(pr *porchapi.PackageRevision) { pr.Spec.ReadinessGates = nil }, false},
		"conditions":      {func(pr *porchapi.PackageRevision) { pr.Status.Conditions = nil }, false},
		"who published":   {func(pr *porchapi.PackageRevision) { pr.Status.PublishedBy = "bob" }, false},
		"labels in order": {func(pr *porchapi.PackageRevision) { pr.Labels = map[string]string{"tier": "1", "env": "prod"} },
			false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pr := full()
			c.edit(pr)
			version := pr.ResourceVersion
			after := trimmed(t, pr)
			if got := after.ResourceVersion != before; got != c.want {
				t.Errorf("the version went from %s to %s", before, after.ResourceVersion)
			}
			if got := Revision(after).Version; got != version {
				t.Errorf("the version is %q, want %q", got, version)
			}
		})
	}
}

// TestTrimKeeps checks that what Revision reads is there after Trim, and that the rest is not.
func TestTrimKeeps(t *testing.T) {
	t.Parallel()
	got := trimmed(t, full())
	if diff := cmp.Diff(Revision(full()), Revision(got)); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	want := full()
	want.ManagedFields, want.Spec.Tasks, want.Spec.ReadinessGates = nil, want.Spec.Tasks[:1], nil
	want.Status = porchapi.PackageRevisionStatus{UpstreamLock: want.Status.UpstreamLock,
		PublishedAt: want.Status.PublishedAt}
	want.ResourceVersion = got.ResourceVersion
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !strings.HasPrefix(got.ResourceVersion, c7+"+") {
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

// TestTrimRelist checks that an object which is listed again, and has not changed, keeps its version: otherwise each
// relist would reconcile everything.
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
			pr.OwnerReferences = append(pr.OwnerReferences, metav1.OwnerReference{APIVersion: word(), Kind: word(), Name: word(),
				UID: types.UID(word())})
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

// TestTasks checks that a task reads as it was written, from the cache too: by it a draft is known for the one that was
// asked for.
func TestTasks(t *testing.T) {
	t.Parallel()
	ref := func(name string) *porchapi.PackageRevisionRef { return &porchapi.PackageRevisionRef{Name: name} }
	for name, c := range map[string]struct {
		in   porchapi.Task
		want revision.Task
		// others says that variants do not use such a task, so that its content is not kept.
		others bool
	}{
		"clone": {porchapi.Task{Type: "clone",
			Clone: &porchapi.PackageCloneTaskSpec{Upstream: porchapi.UpstreamPackage{UpstreamRef: ref("b.web.v1")}}},
			revision.Task{Type: revision.Clone, Source: "b.web.v1"}, false},
		"upgrade": {porchapi.Task{Type: "upgrade", Upgrade: &porchapi.PackageUpgradeTaskSpec{
			OldUpstream: *ref("b.web.v1"), NewUpstream: *ref("b.web.v2"), LocalPackageRevisionRef: *ref("e.web.v1"),
			Strategy: "resource-merge"}},
			revision.Task{Type: revision.Upgrade, Source: "b.web.v2", Base: "b.web.v1", Local: "e.web.v1"}, false},
		"edit": {porchapi.Task{Type: "edit", Edit: &porchapi.PackageEditTaskSpec{Source: ref("e.web.v1")}},
			revision.Task{Type: revision.Edit, Source: "e.web.v1"}, false},
		"clone of a git repository": {porchapi.Task{Type: "clone",
			Clone: &porchapi.PackageCloneTaskSpec{Upstream: porchapi.UpstreamPackage{
				Type: "git", Git: &porchapi.GitPackage{Repo: "https://git.example.com/blueprints"}}}},
			revision.Task{Type: revision.Clone}, true},
		"init": {porchapi.Task{Type: "init", Init: &porchapi.PackageInitTaskSpec{Description: "mine"}},
			revision.Task{Type: "init"}, true},
		"edit without a source": {porchapi.Task{Type: "edit"}, revision.Task{Type: revision.Edit}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, taskOf(&c.in)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			pr := full()
			pr.Spec.Tasks = []porchapi.Task{c.in}
			if diff := cmp.Diff(c.want, Revision(trimmed(t, pr)).Task); diff != "" {
				t.Errorf("in the cache, -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.in, task(c.want)); !c.others && diff != "" {
				t.Errorf("as it is sent, -want +got:\n%s", diff)
			}
		})
	}
}
