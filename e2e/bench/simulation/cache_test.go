// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/package-variants/package-variants/e2e/stack"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
)

// TestVersions checks the version of a draft with each cache, what changes it, and that the lock of a clone has a
// commit with both.
func TestVersions(t *testing.T) {
	t.Parallel()
	commit := regexp.MustCompile(`^[0-9a-f]{40}$`)
	for cache, c := range map[stack.Cache]struct {
		version *regexp.Regexp
		// touched reports whether an annotation gives a draft a new version.
		touched bool
	}{
		stack.CRCache: {commit, false},
		stack.DBCache: {regexp.MustCompile(`^site\.web\.packagevariant-1\.[0-9]+$`), true},
	} {
		p := newPorchWith(t, cache)
		get := func() porchapi.PackageRevision {
			t.Helper()
			var r porchapi.PackageRevision
			if _, body := ask(p, "GET", own+"/"+draft, ""); json.Unmarshal(body, &r) != nil {
				t.Fatalf("%s: %s", cache, body)
			}
			return r
		}
		before := get()
		if !c.version.MatchString(before.ResourceVersion) {
			t.Errorf("%s: the version is %s", cache, before.ResourceVersion)
		}
		if lock := before.Status.UpstreamLock; lock == nil || !commit.MatchString(lock.Git.Commit) {
			t.Errorf("%s: the lock is %+v", cache, lock)
		}
		if err := p.Touch("fleet", draft, "value"); err != nil {
			t.Fatal(err)
		}
		if touched := get().ResourceVersion != before.ResourceVersion; touched != c.touched {
			t.Errorf("%s: an annotation gives a new version: %t", cache, touched)
		}
	}
}
