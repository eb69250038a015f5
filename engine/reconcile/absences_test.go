// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestAbsences has Porch lose sight of a draft. The controller waits for it before it makes another one, where Porch
// keeps drafts in git, and does nothing if the draft comes back in time.
func TestAbsences(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		git, back bool
		patience  time.Duration
		want      []string // the drafts in the end
	}{
		"it comes back in time":    {true, true, time.Hour, []string{first}},
		"it has not come back yet": {true, false, time.Hour, nil},
		"it does not come back":    {true, false, time.Nanosecond, []string{second}},
		"drafts are in a database": {false, false, time.Hour, []string{second}},
		"it comes back from there": {false, true, time.Hour, []string{first, second}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, test.git)
			c.repositories("blueprints", "edge")
			c.blueprint(1, files("red"))
			c.applies()
			c.Run()
			c.options.Patience = test.patience
			c.Start()
			c.loses(first)
			c.reconcile("web")
			c.reconcile("web")
			if test.back {
				c.finds()
			}
			c.Run()
			var got []string
			for _, draft := range []string{first, second} {
				if _, there := c.Is()[draft]; there {
					got = append(got, draft)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("drafts, -want +got:\n%s", diff)
			}
		})
	}
}
