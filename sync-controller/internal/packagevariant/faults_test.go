// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/memory/memorytest"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// faults are the faults of one write, by the cache of Porch for which they are tried, and by a text.
var faults = map[string]map[string]memorytest.Fault{
	"git": {
		"and the controller is killed": memorytest.KilledAfter,
		"is refused by a conflict":     memorytest.Conflicting,
		"is refused":                   memorytest.Refused,
		"gets no answer":               memorytest.Unanswered,
		"is done, repeated, and refused by a conflict": {Of: isPorchs, Done: true, Err: apierrors.NewInternalError(
			errors.New("reference not found"))},
	},
	"PostgreSQL": {
		"and the controller is killed": memorytest.KilledAfter,
		"is refused by a conflict, as this cache does": {Of: isPorchs, Err: apierrors.NewInternalError(
			errors.New("the object has been modified; please apply your changes to the latest version"))},
		"gets no answer": memorytest.Unanswered,
	},
}

// isPorchs reports whether an object is written to Porch.
func isPorchs(o client.Object) bool {
	_, isVariant := o.(*v1alpha1.PackageVariant)
	return !isVariant
}

// TestFaults checks that each act of a story has the same end whichever write of the controller fails, or is its last:
// packages, conditions, and what a user reads. Two things are left to people: a draft that was to be published, if
// another save than its first failed, and an old revision whose deletion was refused.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, acts := range memorytest.Beginnings(lives) {
		for cache := range caches {
			t.Run(name+"/"+cache, func(t *testing.T) {
				t.Parallel()
				testFaults(t, cache, acts)
			})
		}
	}
}

// testFaults has each write of the controller fail in each way after the last act.
func testFaults(t *testing.T, cache string, acts []act) {
	t.Helper()
	play := func(f memorytest.Fault) (c *cluster, failed bool) {
		c = begin(t, caches[cache])
		return c, memorytest.Play(c, acts, f)
	}
	none := memorytest.Fault{At: -1}
	healthy, _ := play(none)
	c := begin(t, caches[cache])
	memorytest.Play(c, acts[:len(acts)-1], none)
	before := c.Is()
	for kind, f := range faults[cache] {
		for f.At = 1; ; f.At++ {
			c, failed := play(f)
			if !failed {
				break
			}
			want := healthy
			if draft := c.unsure(before); draft != "" {
				want, _ = play(none)
				want.help(draft)
				c.help(draft)
			}
			kept := func(event string) bool { return strings.Contains(event, "HistoryKept") }
			if diff := cmp.Diff(want.end(), c.end()); diff != "" && !slices.ContainsFunc(c.Events, kept) {
				t.Errorf("write %d %s (-want +got):\n%s", f.At, kind, diff)
			}
		}
	}
}

// unsure returns the draft that others may have edited, for all the controller knows, because its save failed. The draft
// was there before: whether a draft that was just made is as the controller saved it can be told.
func (c *cluster) unsure(before map[string]string) string {
	_, saveFailed := c.Failed.(*porchapi.PackageRevisionResources)
	for _, pv := range c.variants() {
		d := pv.Status.OpenDraft
		if !saveFailed || d == nil || d.Reason != v1alpha1.ReasonEditedByOthers {
			continue
		}
		if _, there := before[d.Name]; there {
			return d.Name
		}
	}
	return ""
}

// help publishes a draft, unless it is published.
func (c *cluster) help(draft string) {
	c.T.Helper()
	if !porchapi.LifecycleIsPublished(c.Revision(draft).Spec.Lifecycle) {
		c.Publishes(draft)
		c.Run()
	}
}

// remembered matches the lines about what the controller remembers of its last steps. A fault may make it forget them.
var remembered = regexp.MustCompile(`(?m)^  (saved by the controller|approved|owns|retired)\b.*\n`)

// end returns the state, without what is only remembered.
func (c *cluster) end() map[string]string {
	all := c.Is()
	for name := range all {
		all[name] = remembered.ReplaceAllString(all[name], "")
	}
	return all
}
