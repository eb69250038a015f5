// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"testing"

	"github.com/package-variants/package-variants/engine/memory/memorytest"
)

// TestBeingDeleted has all revisions of the downstream, or its Repository, be deleted by half just after each write of
// the controller, after each act of each story: nothing is written to them any more, which the client of a cluster in
// memory checks. Newer Porch lost the tags of published revisions that were written then.
func TestBeingDeleted(t *testing.T) {
	t.Parallel()
	for name, acts := range memorytest.Beginnings(lives) {
		for what, halfDelete := range map[string]func(*cluster){"revisions": (*cluster).halfDeletesRevisions,
			"the Repository": (*cluster).halfDeletesRepository} {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				for at, more := 1, true; more; at++ {
					more = haveDeleted(t, acts, at, halfDelete)
				}
			})
		}
	}
}

// haveDeleted plays acts, and has something be deleted by half after a write of the last one. It reports whether there
// was such a write.
func haveDeleted(t *testing.T, acts []act, at int, halfDelete func(*cluster)) (there bool) {
	t.Helper()
	c := begin(t, true)
	for i, a := range acts {
		if a.Do(c); i < len(acts)-1 {
			c.Run()
			continue
		}
		then, writes := c.Then, 0
		c.Then = func(call memorytest.Call) {
			if then != nil {
				then(call)
			}
			if writes++; writes == at {
				there = true
				halfDelete(c)
			}
		}
		c.Run()
		c.Then = nil
		c.Pass()
		c.Run()
	}
	return there
}

// halfDeletesRevisions has all revisions in the Repository edge be being deleted.
func (c *cluster) halfDeletesRevisions() {
	for _, r := range c.Revisions() {
		if r.Package.Repo == "edge" {
			c.Packages.BeginDeletion(namespace, r.Name)
		}
	}
}

// halfDeletesRepository has the Repository edge be being deleted.
func (c *cluster) halfDeletesRepository() {
	c.Objects.BeginDeletion(memorytest.Key("edge"))
}
