// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	"k8s.io/apimachinery/pkg/types"
)

// digest stands for all that a reconcile depends on and that the caches know. Two equal digests have the same outcome,
// so that no content is read, and nothing tried again, for an event that changes nothing for the variant.
func (s *snapshot) digest() string {
	h := sha256.New()
	write := func(parts ...any) { _, _ = fmt.Fprintln(h, parts...) } // a hash never fails
	write(s.pv.UID, s.pv.Generation, s.in.Rival, s.in.Repositories, len(s.versions))
	for _, v := range s.versions {
		write(v)
	}
	if u := s.in.Upstream; u != nil {
		write("upstream", u.Name, u.Commit, u.Lifecycle)
		for _, target := range decide.Targets(&s.in) {
			if base := decide.Base(&s.in, &target); base != nil && !decide.OnUpstream(&s.in, &target) {
				write("base", target.Name, base.Name)
			}
		}
	}
	for i := range s.in.Revisions {
		s.write(h, &s.in.Revisions[i])
	}
	for i := range s.owned {
		if s.in.Spec.Downstream == nil || s.owned[i].Package != s.downstream() {
			s.write(h, &s.owned[i])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// write writes what a reconcile asks of a downstream revision.
func (s *snapshot) write(w io.Writer, r *revision.Revision) {
	if r.Main() {
		return
	}
	owned, current := r.Of(s.in.Owner)
	_, _ = fmt.Fprintln(w, r.Name, r.Commit, r.Lifecycle, r.Number, owned, current, r.OtherOwner(s.in.Owner))
}

// memo is what is remembered of a variant. It is lost with the process, and costs one reading of the contents then.
type memo struct {
	digest    string
	failures  int
	insisted  int
	retryAt   time.Time     // zero if there is nothing to try again
	recheck   time.Duration // how often to gather anew; 0 for never
	interests []objects.Interest
	// tried are the workspaces that Porch was asked to make, by package, until all is well.
	tried map[revision.Package]string
	// stale are commits of drafts that saves of ours have replaced; a cache that shows one is behind.
	stale map[string]time.Time
}

type memos struct {
	now func() time.Time

	mu sync.Mutex
	of map[types.NamespacedName]*memo
}

func newMemos(now func() time.Time) *memos {
	return &memos{now: now, of: map[types.NamespacedName]*memo{}}
}

const (
	firstRetry       = time.Second
	unavailableRetry = 10 * time.Second // at most, for a Porch or a function-runner that does not answer
	lastRetry        = 5 * time.Minute  // at most, for what an event would end too
	staleFor         = 30 * time.Second
	staleDelay       = time.Second
)

// done reports whether there is nothing to do for the digest, and after what time there is, if ever. Revisions that our
// own saves have replaced are to be waited for.
func (m *memos) done(key types.NamespacedName, digest string, revisions []revision.Revision) (time.Duration, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	memo := m.of[key]
	if memo == nil {
		return 0, false
	}
	for i := range revisions {
		if until, stale := memo.stale[revisions[i].Name+" "+revisions[i].Commit]; stale && m.now().Before(until) {
			return staleDelay, true
		}
	}
	if memo.digest != digest {
		return 0, false
	}
	if memo.retryAt.IsZero() {
		return memo.recheck, true
	}
	wait := memo.retryAt.Sub(m.now())
	return wait, wait > 0
}

// settle remembers that there is nothing left to do for the digest, and how often to see whether it still is the digest;
// 0 is to wait for an event.
func (m *memos) settle(key types.NamespacedName, digest string, recheck time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	memo := m.get(key)
	memo.digest, memo.retryAt, memo.recheck, memo.failures, memo.insisted = digest, time.Time{}, recheck, 0, 0
	clear(memo.tried)
	for commit, until := range memo.stale {
		if m.now().After(until) {
			delete(memo.stale, commit)
		}
	}
}

// fail remembers that the work for the digest failed, and returns when to try again and how often in a row it failed.
func (m *memos) fail(key types.NamespacedName, digest string, err error) (wait time.Duration, failures int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	memo := m.get(key)
	if memo.digest != digest {
		memo.failures = 0
	}
	limit := lastRetry
	if _, noRunner := errors.AsType[*mutate.UnavailableError](err); noRunner || porch.Unavailable(err) {
		limit = unavailableRetry
	}
	wait = min(firstRetry<<min(memo.failures, 16), limit)
	memo.failures, memo.insisted = memo.failures+1, 0
	memo.digest, memo.retryAt = digest, m.now().Add(wait)
	return wait, memo.failures
}

// insist returns how often in a row a variant has come again at once.
func (m *memos) insist(key types.NamespacedName) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	memo := m.get(key)
	memo.insisted++
	return memo.insisted
}

// get returns the memo of a variant, made if need be. The lock must be held.
func (m *memos) get(key types.NamespacedName) *memo {
	if m.of[key] == nil {
		m.of[key] = &memo{stale: map[string]time.Time{}, tried: map[revision.Package]string{}}
	}
	return m.of[key]
}

// superseded remembers that a commit of a draft is not the newest any more.
func (m *memos) superseded(key types.NamespacedName, name, commit string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.get(key).stale[name+" "+commit] = m.now().Add(staleFor)
}

// attempted remembers that Porch was asked to make a draft in a workspace of a package.
func (m *memos) attempted(key types.NamespacedName, pkg revision.Package, workspace string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.get(key).tried[pkg] = workspace
}

// attempt returns the workspace that was last attempted in a package, or "".
func (m *memos) attempt(key types.NamespacedName, pkg revision.Package) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if memo := m.of[key]; memo != nil {
		return memo.tried[pkg]
	}
	return ""
}

// interested remembers what objects a variant may inject.
func (m *memos) interested(key types.NamespacedName, interests []objects.Interest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.get(key).interests = interests
}

func (m *memos) interests(key types.NamespacedName) []objects.Interest {
	m.mu.Lock()
	defer m.mu.Unlock()
	if memo := m.of[key]; memo != nil {
		return memo.interests
	}
	return nil
}

func (m *memos) forget(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of, key)
}
