// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
)

func TestGate(t *testing.T) {
	t.Parallel()
	name := func(s string) types.NamespacedName { return types.NamespacedName{Name: s} }
	var called []string
	g := newGate(func(v types.NamespacedName) { called = append(called, v.Name) })
	expect := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, called); diff != "" {
			t.Errorf("%s: called (-want +got):\n%s", what, diff)
		}
		called = nil
	}
	enter := func(repository, variant string, want bool) {
		t.Helper()
		if got := g.enter(name(repository), name(variant)); got != want {
			t.Errorf("%s enters %s: %v, want %v", variant, repository, got, want)
		}
	}
	enter("edge", "a", true)
	enter("other", "b", true)
	for _, v := range []string{"c", "d", "c", "e"} {
		enter("edge", v, false)
	}
	g.pass(name("c"))
	expect("while a is inside")
	g.leave(name("edge"))
	expect("a leaves", "c")
	g.pass(name("c"))
	expect("c does not enter", "d")
	enter("edge", "f", true) // before d
	enter("edge", "d", false)
	g.pass(name("d"))
	expect("d has to wait once more")
	g.leave(name("edge"))
	expect("f leaves", "e")
	enter("edge", "e", true)
	g.pass(name("e"))
	g.leave(name("edge"))
	expect("e leaves", "d")
	enter("edge", "d", true)
	g.leave(name("edge"))
	g.leave(name("other"))
	expect("nobody waits")
	if len(g.inside)+len(g.waiting)+len(g.called) != 0 {
		t.Errorf("left over: %v %v %v", g.inside, g.waiting, g.called)
	}
}
