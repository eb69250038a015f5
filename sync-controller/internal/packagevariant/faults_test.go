// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// faults are the faults of one write, by the cache of Porch for which they are tried, and by a text.
var faults = map[string]map[string]fault{
	"git": {
		"and the controller is killed": {done: true, err: errKilled},
		"is refused by a conflict": {err: apierrors.NewConflict(schema.GroupResource{Resource: "objects"}, "web",
			errors.New("it has changed"))},
		"is refused": {err: apierrors.NewInternalError(errors.New("no such luck"))},
	},
	"PostgreSQL": {
		"and the controller is killed": {done: true, err: errKilled},
		"is refused by a conflict, as this cache does": {porch: true, err: apierrors.NewInternalError(
			errors.New("the object has been modified; please apply your changes to the latest version"))},
		"gets no answer": {done: true, err: apierrors.NewTimeoutError("no answer", 1)},
	},
}

// TestFaults checks that each act of a story has the same end whichever write of the controller fails, or is its last:
// packages, conditions, and what a user reads. Two things are left to people: a draft that was to be published, if it
// is not known whether its save was the controller's, and an old revision whose deletion was refused.
func TestFaults(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(stories)) {
		story := ""
		for at, last := range stories[name] {
			if story += "/" + last.what; tried[story] {
				continue
			}
			tried[story] = true
			for cache := range caches {
				t.Run(name+"/"+last.what+"/"+cache, func(t *testing.T) {
					t.Parallel()
					testFaults(t, cache, stories[name][:at], last)
				})
			}
		}
	}
}

// testFaults has each write of the controller fail in each way after an act.
func testFaults(t *testing.T, cache string, before []act, last act) {
	t.Helper()
	play := func(f fault) (c *cluster, failed bool) {
		c = begin(t, caches[cache])
		c.play(before)
		return c, c.playWith(last, f)
	}
	none := fault{at: -1}
	healthy, _ := play(none)
	for kind, f := range faults[cache] {
		for f.at = 1; ; f.at++ {
			c, failed := play(f)
			if !failed {
				break
			}
			want := healthy
			if draft := c.unsure(); draft != "" {
				want, _ = play(none)
				want.help(draft)
				c.help(draft)
			}
			for _, event := range healthy.events {
				if strings.Contains(event, "both sides changed") && !slices.Contains(c.events, event) {
					t.Errorf("write %d %s: there is no %s", f.at, kind, event)
				}
			}
			kept := func(event string) bool { return strings.Contains(event, "HistoryKept") }
			if diff := cmp.Diff(want.end(), c.end()); diff != "" && !slices.ContainsFunc(c.events, kept) {
				t.Errorf("write %d %s (-want +got):\n%s", f.at, kind, diff)
			}
		}
	}
}

// unsure returns the draft that others may have edited, for all the controller knows, because its save failed.
func (c *cluster) unsure() string {
	for _, pv := range c.variants() {
		if d := pv.Status.OpenDraft; c.saveFailed && d != nil && d.Reason == v1alpha1.ReasonEditedByOthers {
			return d.Name
		}
	}
	return ""
}

// help publishes a draft, unless it is published.
func (c *cluster) help(draft string) {
	c.t.Helper()
	if !porchapi.LifecycleIsPublished(c.revision(draft).Spec.Lifecycle) {
		c.publishes(draft)
		c.run()
	}
}

// play has people do all acts, and the controller work after each.
func (c *cluster) play(acts []act) {
	c.t.Helper()
	for _, a := range acts {
		a.do(c)
		c.run()
	}
}

// playWith has people do an act, and the controller work with a fault. It reports whether the fault's write happened.
func (c *cluster) playWith(a act, f fault) (failed bool) {
	c.t.Helper()
	a.do(c)
	c.fault = &f
	c.run()
	failed, c.fault = c.fault == nil, nil
	c.pass()
	c.run()
	return failed
}

// remembered matches the lines about what the controller remembers of its last steps. A fault may make it forget them.
var remembered = regexp.MustCompile(`(?m)^  (saved by the controller|approved|owns|retired)\b.*\n`)

// end returns the state, without what is only remembered.
func (c *cluster) end() map[string]string {
	all := c.is()
	for name := range all {
		all[name] = remembered.ReplaceAllString(all[name], "")
	}
	return all
}
