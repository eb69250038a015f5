// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var (
	webEU = types.NamespacedName{Namespace: "fleet", Name: "web-eu"}
	webUS = types.NamespacedName{Namespace: "fleet", Name: "web-us"}
)

// clock is a time that goes on when it is told to.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }

func (c *clock) pass(d time.Duration) { c.Time = c.Add(d) }

func newMemosAt() (*memos, *clock) {
	c := &clock{time.Unix(1_000_000, 0)}
	return newMemos(c.now), c
}

// wantDone checks what is said of a digest: that there is nothing to do (forever, if wait is 0), or that there is.
func wantDone(t *testing.T, m *memos, digest string, wait time.Duration, done bool, revisions ...revision.Revision) {
	t.Helper()
	gotWait, gotDone := m.done(webEU, digest, revisions)
	if gotDone != done || done && gotWait != wait {
		t.Errorf("done(%s) is %v, %v, want %v, %v", digest, gotWait, gotDone, wait, done)
	}
}

func TestSettled(t *testing.T) {
	t.Parallel()
	m, c := newMemosAt()
	wantDone(t, m, "one", 0, false)
	m.settle(webEU, "one", 0)
	wantDone(t, m, "one", 0, true)
	wantDone(t, m, "two", 0, false)
	c.pass(24 * time.Hour)
	wantDone(t, m, "one", 0, true)
	if _, done := m.done(webUS, "one", nil); done {
		t.Error("another variant is settled")
	}
	m.settle(webEU, "two", 0)
	wantDone(t, m, "one", 0, false)
	m.settle(webEU, "two", 30*time.Second)
	c.pass(time.Hour)
	wantDone(t, m, "two", 30*time.Second, true) // whether it still is "two" is to be seen again and again
	wantDone(t, m, "one", 0, false)
	m.settle(webEU, "two", 0)
	wantDone(t, m, "two", 0, true)
	m.forget(webEU)
	wantDone(t, m, "two", 0, false)
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	unavailable := fmt.Errorf("cannot list: %w", apierrors.NewServiceUnavailable("no endpoints"))
	for name, c := range map[string]struct {
		err  error
		want []int // seconds
	}{
		"any error":   {errors.New("boom"), []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}},
		"unavailable": {unavailable, []int{1, 2, 4, 8, 10, 10, 10}},
		"no runner":   {functionError("web", fmt.Errorf("inject-config: %w", &mutate.UnavailableError{Err: errors.New("boom")})), []int{1, 2, 4, 8, 10, 10, 10}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, clock := newMemosAt()
			for i, seconds := range c.want {
				want := time.Duration(seconds) * time.Second
				wait, failures := m.fail(webEU, "one", c.err)
				if wait != want || failures != i+1 {
					t.Errorf("failure %d: got %v and %d failures, want %v", i+1, wait, failures, want)
				}
				wantDone(t, m, "one", want, true)
				wantDone(t, m, "two", 0, false) // what has changed is tried at once
				clock.pass(want - time.Millisecond)
				wantDone(t, m, "one", time.Millisecond, true)
				clock.pass(time.Millisecond)
				wantDone(t, m, "one", 0, false)
			}
		})
	}
}

func TestBackoffForever(t *testing.T) {
	t.Parallel()
	m, _ := newMemosAt()
	for range 1_000 {
		m.fail(webEU, "one", errors.New("boom"))
	}
	if wait, failures := m.fail(webEU, "one", errors.New("boom")); wait != 5*time.Minute || failures != 1_001 {
		t.Errorf("got %v and %d failures", wait, failures)
	}
}

func TestBackoffReset(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for name, reset := range map[string]func(*memos){
		"another digest": func(m *memos) { m.fail(webEU, "two", boom); m.forget(webUS) },
		"settled":        func(m *memos) { m.settle(webEU, "one", 0) },
		"settled anew":   func(m *memos) { m.settle(webEU, "two", 0) },
		"forgotten":      func(m *memos) { m.forget(webEU) },
	} {
		m, _ := newMemosAt()
		for range 5 {
			m.fail(webEU, "one", boom)
		}
		m.fail(webUS, "one", boom)
		reset(m)
		if wait, failures := m.fail(webEU, "one", boom); wait != time.Second || failures != 1 {
			t.Errorf("%s: got %v and %d failures", name, wait, failures)
		}
	}
}

func TestSuperseded(t *testing.T) {
	t.Parallel()
	m, c := newMemosAt()
	old, saved := revision.Revision{Name: "draft", Commit: "c1"}, revision.Revision{Name: "draft", Commit: "c2"}
	other := revision.Revision{Name: "other", Commit: "c1"}
	m.superseded(webEU, "draft", "c1")
	m.settle(webEU, "new", 0)
	wantDone(t, m, "old", time.Second, true, other, old) // the cache is behind
	wantDone(t, m, "new", 0, true, saved)
	wantDone(t, m, "newer", 0, false, saved)
	wantDone(t, m, "newer", 0, false, other)
	c.pass(30*time.Second - time.Millisecond)
	wantDone(t, m, "old", time.Second, true, old)
	c.pass(time.Millisecond)
	wantDone(t, m, "old", 0, false, old) // somebody has put it back
	if got := len(m.of[webEU].stale); got != 1 {
		t.Errorf("%d commits are remembered, want 1", got)
	}
	c.pass(time.Millisecond)
	m.settle(webEU, "old", 0)
	if got := len(m.of[webEU].stale); got != 0 {
		t.Errorf("%d commits are remembered for good", got)
	}
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	m, _ := newMemosAt()
	web, api := revision.Package{Repo: "edge", Name: "web"}, revision.Package{Repo: "edge", Name: "api"}
	if got := m.attempt(webEU, web); got != "" {
		t.Errorf("before any: %q", got)
	}
	m.attempted(webEU, web, "packagevariant-1")
	m.attempted(webEU, web, "packagevariant-2")
	for name, got := range map[string]string{"": m.attempt(webEU, api), "packagevariant-2": m.attempt(webEU, web)} {
		if got != name {
			t.Errorf("got %q, want %q", got, name)
		}
	}
	if got := m.attempt(webUS, web); got != "" {
		t.Errorf("of another variant: %q", got)
	}
	m.fail(webEU, "one", errors.New("boom"))
	if got := m.attempt(webEU, web); got != "packagevariant-2" {
		t.Errorf("after a failure: %q", got)
	}
	m.settle(webEU, "one", 0)
	if got := m.attempt(webEU, web); got != "" {
		t.Errorf("once settled: %q", got)
	}
}

func TestInterests(t *testing.T) {
	t.Parallel()
	m, _ := newMemosAt()
	if got := m.interests(webEU); got != nil {
		t.Errorf("got %v", got)
	}
	want := []objects.Interest{{Kind: objects.Kind{Kind: "ConfigMap"}, Names: []string{"a"}}}
	m.interested(webEU, want)
	m.settle(webEU, "one", 0)
	if diff := cmp.Diff(want, m.interests(webEU)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	m.forget(webEU)
	if got := m.interests(webEU); got != nil {
		t.Errorf("forgotten, but %v", got)
	}
}

// gathered returns a snapshot with something of everything: edge/web, published, derived from the blueprint's first
// revision, and the second asked for.
func gathered() *snapshot {
	us := revision.Owner{Name: "web-eu", UID: "uid"}
	owned := []metav1.OwnerReference{us.Reference()}
	blueprint := func(number int) revision.Revision {
		return revision.Revision{
			Name: fmt.Sprintf("blueprints.web.v%d", number), Package: revision.Package{Repo: "blueprints", Name: "web"},
			Number: number, Lifecycle: "Published", Commit: fmt.Sprintf("b%d", number), Labels: map[string]string{"l": "1"},
		}
	}
	down := func(repo, workspace string, number int, lock string) revision.Revision {
		return revision.Revision{
			Name: repo + ".web." + workspace, Package: revision.Package{Repo: repo, Name: "web"}, Workspace: workspace,
			Number: number, Lifecycle: "Published", Commit: "c-" + workspace, Labels: map[string]string{"l": "1"}, Owners: owned,
			Lock: &revision.Lock{Repo: "https://git/blueprints", Directory: "web", Ref: "web/v1", Commit: lock},
		}
	}
	upstream := blueprint(2)
	pv := &v1alpha1.PackageVariant{
		ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: "web-eu", UID: "uid", Generation: 3},
		Spec: variant.Spec{
			Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(2)},
			Downstream: &variant.Downstream{Repo: "edge", Package: "web"},
		},
	}
	published, main := down("edge", "packagevariant-1", 1, "b1"), down("edge", "main", -1, "b1")
	return &snapshot{
		pv: pv,
		in: decide.Input{
			Spec: &pv.Spec, Owner: us, Upstream: &upstream, Revisions: []revision.Revision{main, published},
			Bases: []revision.Revision{blueprint(1), blueprint(2)},
			Repositories: map[string]decide.Repository{
				"blueprints": {Ready: true, Address: "https://git/blueprints"}, "edge": {Ready: true, Address: "https://git/edge"},
			},
		},
		owned:    []revision.Revision{main, published, down("before", "packagevariant-1", 1, "b1"), down("before", "main", -1, "b1")},
		versions: []string{"a 1", "b 1"},
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	before := gathered().digest()
	for name, c := range map[string]struct {
		edit func(*snapshot)
		want bool // whether the digest changes
	}{
		"nothing": {func(*snapshot) {}, false},

		"UID":                  {func(s *snapshot) { s.pv.UID = "x" }, true},
		"generation":           {func(s *snapshot) { s.pv.Generation++ }, true},
		"rival":                {func(s *snapshot) { s.in.Rival = "web-us" }, true},
		"Repository not ready": {func(s *snapshot) { s.in.Repositories["edge"] = decide.Repository{Address: "https://git/edge"} }, true},
		"message of a Repository": {func(s *snapshot) {
			s.in.Repositories["edge"] = decide.Repository{Ready: true, Address: "https://git/edge", Message: "m"}
		}, true},
		"address of a Repository":   {func(s *snapshot) { s.in.Repositories["edge"] = decide.Repository{Ready: true, Address: "x"} }, true},
		"Repository not registered": {func(s *snapshot) { delete(s.in.Repositories, "edge") }, true},
		"version of an object":      {func(s *snapshot) { s.versions[1] = "b 2" }, true},
		"another object":            {func(s *snapshot) { s.versions = append(s.versions, "c 1") }, true},
		"no upstream":               {func(s *snapshot) { s.in.Upstream = nil }, true},
		"another upstream":          {func(s *snapshot) { s.in.Upstream.Name = "x" }, true},
		"commit of the upstream":    {func(s *snapshot) { s.in.Upstream.Commit = "x" }, true},
		"lifecycle of the upstream": {func(s *snapshot) { s.in.Upstream.Lifecycle = "DeletionProposed" }, true},
		"name of a revision":        {func(s *snapshot) { s.in.Revisions[1].Name = "x" }, true},
		"commit of a revision":      {func(s *snapshot) { s.in.Revisions[1].Commit = "x" }, true},
		"lifecycle of a revision":   {func(s *snapshot) { s.in.Revisions[1].Lifecycle = "DeletionProposed" }, true},
		"number of a revision":      {func(s *snapshot) { s.in.Revisions[1].Number = 2 }, true},
		"another revision":          {func(s *snapshot) { s.in.Revisions = append(s.in.Revisions, revision.Revision{Name: "x"}) }, true},
		"revision gone":             {func(s *snapshot) { s.in.Revisions = s.in.Revisions[:1] }, true},
		"owner taken away":          {func(s *snapshot) { s.in.Revisions[1].Owners = nil }, true},
		"owner of another UID":      {func(s *snapshot) { s.in.Revisions[1].Owners = owners("web-eu", "before") }, true},
		"another owner beside": {func(s *snapshot) {
			s.in.Revisions[1].Owners = slices.Concat(s.in.Revisions[1].Owners, owners("web-us", "u"))
		}, true},
		"revision left behind":         {func(s *snapshot) { s.owned[2].Lifecycle = "DeletionProposed" }, true},
		"another left behind":          {func(s *snapshot) { s.owned = append(s.owned, revision.Revision{Name: "x"}) }, true},
		"the base is found":            {func(s *snapshot) { s.in.Bases = s.in.Bases[1:] }, true},
		"the base is another":          {func(s *snapshot) { s.in.Bases[0].Name = "mirror.web.v1" }, true},
		"labels":                       {func(s *snapshot) { s.in.Revisions[1].Labels = nil; s.in.Upstream.Labels = nil; s.owned[2].Labels = nil }, false},
		"main branch":                  {func(s *snapshot) { s.in.Revisions[0].Commit = "x"; s.owned[3].Commit = "x" }, false},
		"main branch gone":             {func(s *snapshot) { s.in.Revisions = s.in.Revisions[1:]; s.owned = s.owned[1:3] }, false},
		"owned in the package, twice":  {func(s *snapshot) { s.owned[1].Commit = "x" }, false}, // is among the revisions
		"another revision of upstream": {func(s *snapshot) { s.in.Bases = append(s.in.Bases, revision.Revision{Name: "x", Number: 3}) }, false},
		"an owner of another kind": {func(s *snapshot) {
			s.in.Revisions[1].Owners = slices.Concat(s.in.Revisions[1].Owners, []metav1.OwnerReference{{APIVersion: "v1", Kind: "X", Name: "x"}})
		}, false},
		"resource version, annotations": {func(s *snapshot) { s.pv.ResourceVersion = "x"; s.pv.Annotations = map[string]string{"a": "b"} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := gathered()
			c.edit(s)
			if got := s.digest() != before; got != c.want {
				t.Errorf("the digest changes: %v, want %v", got, c.want)
			}
		})
	}
}

func owners(name, uid string) []metav1.OwnerReference {
	return []metav1.OwnerReference{revision.Owner{Name: name, UID: types.UID(uid)}.Reference()}
}

// TestDigestInvalid holds that a variant whose spec lacks everything has a digest.
func TestDigestInvalid(t *testing.T) {
	t.Parallel()
	s := gathered()
	s.in.Spec.Downstream, s.in.Spec.Upstream, s.in.Upstream, s.in.Revisions, s.in.Bases = nil, nil, nil, nil, nil
	if s.digest() == gathered().digest() {
		t.Error("it is that of a valid one")
	}
}
