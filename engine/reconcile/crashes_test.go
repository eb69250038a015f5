// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/memory"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
)

// crashed are the acts after each of whose writes the controller is killed, for the table in testdata/crashes.md.
var crashed = []act{
	{What: "A first draft, which approvalPolicy publishes", Do: func(c *cluster) {
		c.applies(policy(variant.ApprovalPolicyAutomatic))
	}},
	{What: "An upgrade", Do: toSecond},
	{What: "A change of the package context", Do: func(c *cluster) { c.edits(zone("b")) }},
	{What: "The deletion of the variant", Do: (*cluster).deletes},
}

// inWords are the writes of a controller in words.
var inWords = map[string]string{
	"patch packagevariants":           "finalizer",
	"patch packagevariants/status":    "status",
	"create packagerevisions":         "**draft is made**",
	"update packagerevisionresources": "**draft is saved**",
	"patch packagerevisions":          "lifecycle or owner",
	"patch packagerevisions/approval": "**published**",
	"delete packagerevisions":         "deleted",
}

const crashesPage = "testdata/crashes.md"

// TestCrashes holds testdata/crashes.md: what the controller still writes after it was killed after each of its writes, and
// that the end is the same.
func TestCrashes(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	page.WriteString("# What a crash leaves\n\nA row says what the next controller still writes if one is killed just after a " +
		"write. A status before a draft is\nmade announces it, and the last status is the report. The end is the same as " +
		"without a crash. The test `TestCrashes`\nwrites this page by playing each row in memory, and `TestFaults` does so for " +
		"every story, with writes that are refused\nor get no answer, too.\n")
	for i, last := range crashed {
		acts := crashed[:i+1]
		fmt.Fprintf(&page, "\n## %s\n\n| killed after | then |\n|---|---|\n", last.What)
		healthy, _ := killedAfter(t, acts, -1)
		for at := 1; ; at++ {
			c, writes := killedAfter(t, acts, at)
			if writes == nil {
				break
			}
			fmt.Fprintf(&page, "| %d. %s | %s |\n", at, words(writes[at-1:at]), words(writes[at:]))
			if diff := cmp.Diff(healthy.end(), c.end()); diff != "" {
				t.Errorf("%s, killed after write %d (-want +got):\n%s", last.What, at, diff)
			}
		}
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(crashesPage, []byte(page.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(crashesPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(page.String(), "\n")); diff != "" {
		t.Errorf("not what testdata/crashes.md says (-want +got):\n%s", diff)
	}
}

// killedAfter plays acts, and kills the controller after a write of the last one. It returns what was written in that,
// nil if there was no such write.
func killedAfter(t *testing.T, acts []act, at int) (*cluster, []memory.Write) {
	t.Helper()
	c, f := begin(t, true), memorytest.KilledAfter
	f.At = at
	for i, a := range acts {
		if a.Do(c); i == len(acts)-1 {
			c.Writes() // those of people
			c.Written, c.Fault = nil, &f
		}
		c.Run()
	}
	killed := c.Fault == nil
	c.Fault = nil
	c.Pass()
	if c.Run(); !killed {
		return c, nil
	}
	return c, c.Written
}

// words returns writes in words.
func words(writes []memory.Write) string {
	var said []string
	for i := range writes {
		said = append(said, inWords[writes[i].Request()])
	}
	if len(said) == 0 {
		return "nothing"
	}
	return strings.Join(said, ", ")
}
