// SPDX-License-Identifier: Apache-2.0

package memorytest

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/packages"
)

// Act is something that people do in a cluster of a test. After it the controller works until nothing is left to do.
type Act[C any] = struct {
	What string
	Do   func(C)
}

// Player is a cluster in which a controller works.
type Player interface {
	// Base returns the cluster.
	Base() *Cluster
	// Start starts a controller, which knows only what is in the cluster.
	Start()
	// Run reconciles until nothing is written any more. A controller that was killed is started again.
	Run()
	// Pass lets the time pass until failed work is tried again.
	Pass()
	// Is returns the state, by the names of objects.
	Is() map[string]string
}

// Tell plays a story in a cluster, and compares with its file in testdata/stories what the controller writes and
// records, and what changes, after each act. It then checks that nothing more is written, even after a restart.
func Tell[C Player](c C, name string, story []Act[C]) {
	base := c.Base()
	base.T.Helper()
	var told strings.Builder
	for _, a := range story {
		a.Do(c)
		base.Writes()
		compare := base.foresee()
		c.Run()
		compare(a.What)
		base.checkConditions(a.What)
		_, _ = fmt.Fprintf(&told, "## %s\n%s\n", a.What, base.tell(c.Is()))
		isSilent(c, a.What)
	}
	played.Add(1)
	golden(base.T, filepath.Join("testdata", "stories", strings.ReplaceAll(name, " ", "-")+".txt"), told.String())
}

// Foresee plans what a controller will do in a cluster, and returns what compares the plan with what it did, once it is
// at rest. The binary of the tests sets it: a plan is made by controllers, so their own tests cannot import it.
var Foresee func(*Cluster) (compare func(after string))

// foresee returns what compares a plan with what the controller did. No plan knows what people do between two writes.
func (c *Cluster) foresee() (compare func(after string)) {
	if Foresee == nil || c.Unforeseen || c.Answer != nil || c.Then != nil {
		return func(string) {}
	}
	return Foresee(c)
}

// isSilent checks that nothing more is written, even after a restart, unless the controller has to find out again that
// something fails, and that a restart keeps what is due and when.
func isSilent[C Player](c C, after string) {
	base := c.Base()
	base.T.Helper()
	fails := slices.ContainsFunc(slices.Collect(maps.Values(base.Errs)), func(err error) bool { return err != nil })
	if c.Run(); !fails {
		before := c.Is()
		c.Start()
		c.Run()
		if diff := cmp.Diff(before, c.Is()); diff != "" {
			base.T.Errorf("%s: after a restart, -before +after:\n%s", after, diff)
		}
	}
	if len(base.Written) > 0 {
		base.T.Errorf("%s: at rest, the controller writes %v", after, base.Written)
		base.Written = nil
	}
}

// golden compares a text with the file at path, which is written in its place where the environment has UPDATE_GOLDEN.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path) //nolint:gosec // the path is a test's
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("not what %s says (-want +got):\n%s", path, diff)
	}
}

// tell returns what was written and recorded since the last call of tell, and how the state differs from then.
func (c *Cluster) tell(is map[string]string) string {
	var lines []string
	for _, w := range c.Written {
		lines = append(lines, w.Request()+" "+w.Name)
	}
	lines, c.Written, c.Events = append(lines, c.Events...), nil, nil
	for _, name := range slices.Sorted(maps.Keys(c.told)) {
		if _, there := is[name]; !there {
			lines = append(lines, name+" is gone")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if c.told[name] != is[name] {
			lines = append(lines, name+": "+is[name])
		}
	}
	c.told = is
	return strings.Join(lines, "\n") + "\n"
}

// Beginnings yields all beginnings of stories, each once, by the name of the story and what people do last.
func Beginnings[C any](stories map[string][]Act[C]) iter.Seq2[string, []Act[C]] {
	return func(yield func(string, []Act[C]) bool) {
		known := map[string]bool{}
		for _, name := range slices.Sorted(maps.Keys(stories)) {
			path := ""
			for at, last := range stories[name] {
				if path += "/" + last.What; known[path] {
					continue
				}
				known[path] = true
				if !yield(name+"/"+last.What, stories[name][:at+1]) {
					return
				}
			}
		}
	}
}

// Play has people do all acts, and the controller work after each, after the last one with a fault. It reports whether
// the write that was to fail happened.
func Play[C Player](c C, acts []Act[C], f Fault) (failed bool) {
	base := c.Base()
	base.T.Helper()
	for at, a := range acts {
		a.Do(c)
		if at == len(acts)-1 {
			base.Fault = &f
		}
		c.Run()
	}
	failed, base.Fault = base.Fault == nil, nil
	c.Pass()
	c.Run()
	return failed
}

// The faults of a write that each controller has to survive.
var (
	// KilledAfter is a controller that is killed after the write.
	KilledAfter = Fault{Done: true, Err: ErrKilled}
	// Stale is a write that was decided on something that has changed.
	Stale = Fault{Err: &packages.Error{Kind: packages.ErrStale, Err: errors.New("it has changed")}}
	// Refused is a write that is refused.
	Refused = Fault{Err: &packages.Error{Kind: packages.ErrRefused, Err: errors.New("no such luck")}}
	// Failing is a write that fails: it is not known whether it was done, and it was not.
	Failing = Fault{Err: &packages.Error{Kind: packages.ErrUnsure, Err: errors.New("no such luck")}}
	// Unanswered is a write that is done, and gets no answer.
	Unanswered = Fault{Done: true, Err: packages.ErrTimeout}
)
