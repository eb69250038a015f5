// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
)

const (
	liesAround = "the package edge/web would lie around edge/web/inner, which "
	liesInside = "the package edge/web would lie inside edge/outer, which "
	nestsText  = ": publishing the outer package would remove the inner one from the branch; name another in " +
		"spec.downstream, or delete that "
	overInnerText = " waits for a person, because publishing it would remove the package edge/web/inner, which lies " +
		"inside it, from the branch: delete that package, or publish the draft, and publish that package again"
)

// inner is a package inside the downstream package, with a revision that is not the variant's, of a workspace.
func inner(workspace string, number int, lifecycle revision.Lifecycle) Neighbor {
	return Neighbor{Package: "edge/web/inner", Inside: true, Revisions: []revision.Revision{
		{Name: "edge.web.inner." + workspace, Workspace: workspace, Number: number, Lifecycle: lifecycle}}}
}

// outer is a package around it.
func outer(workspace string, number int, lifecycle revision.Lifecycle) Neighbor {
	return Neighbor{Package: "edge/outer", Revisions: []revision.Revision{
		{Name: "edge.outer." + workspace, Workspace: workspace, Number: number, Lifecycle: lifecycle}}}
}

// of says that a neighbor belongs to a variant.
func (n Neighbor) of(pv string) Neighbor {
	n.Variant = pv
	return n
}

// and adds the revisions of another neighbor.
func (n Neighbor) and(other Neighbor) Neighbor {
	n.Revisions = append(n.Revisions, other.Revisions...)
	return n
}

func beside(neighbors ...Neighbor) func(*Input) {
	return func(in *Input) { in.Neighbors = neighbors }
}

func TestNested(t *testing.T) {
	makesOne := wantPending(cloned, makes("packagevariant-1", cloneOfOne)...)
	testDecide(t, map[string]decideCase{
		"a package inside is published": {input(beside(inner("v1", 1, published))), wantStalled("DownstreamExists",
			liesAround+"exists (edge.web.inner.v1 is Published)"+nestsText+"package")},
		"a package inside is a draft": {input(beside(inner("v1", 0, draft))), wantStalled("DownstreamExists",
			liesAround+"exists (edge.web.inner.v1 is Draft)"+nestsText+"package")},
		"a package around is published": {input(beside(outer("v1", 1, published))), wantStalled("DownstreamExists",
			liesInside+"exists (edge.outer.v1 is Published)"+nestsText+"package")},
		"it may adopt": {input(all(adopt, beside(outer("v1", 1, published)))), wantStalled("DownstreamExists",
			liesInside+"exists (edge.outer.v1 is Published)"+nestsText+"package")},
		"a variant makes one inside": {input(beside(Neighbor{Package: "edge/web/inner", Inside: true}.of("web-in"))),
			wantStalled("DownstreamClaimed", liesAround+`belongs to the PackageVariant "web-in"`+nestsText+"variant")},
		"a variant has published one around": {input(beside(outer("v1", 1, published).of("out"))),
			wantStalled("DownstreamClaimed", liesInside+`belongs to the PackageVariant "out"`+nestsText+"variant")},
		"a variant is to make one, and has no claim": {input(beside(Neighbor{Package: "edge/web/inner", Inside: true})),
			makesOne},
		"one is to be deleted":                  {input(beside(outer("v1", 1, deletionProposal))), makesOne},
		"one is to be deleted, and on a branch": {input(beside(outer("v1", 1, deletionProposal).and(outer("main", -1, published)))), makesOne},
		"one inside is on a branch only": {input(beside(inner("main", -1, published))), wantStalled("DownstreamExists",
			liesAround+"exists (edge.web.inner.main is Published)"+nestsText+"package")},
		"one inside is a subpackage of what is to be replaced": {input(all(adopt, beside(inner("main", -1, published))),
			down("main", -1, published, foreign)), makesOne},
		"one around is on a branch only": {input(beside(outer("main", -1, published))), wantStalled("DownstreamExists",
			liesInside+"exists (edge.outer.main is Published)"+nestsText+"package")},
		"both were there before, and are settled": {input(beside(inner("v1", 1, published).of("web-in")), down("packagevariant-1", 1, published)),
			wantReady(one + " (Published) is up to date with blueprints.web.v1")},
	})
}

// TestOverInner checks that a package that is published inside a draft's package is only removed by a person.
func TestOverInner(t *testing.T) {
	t.Parallel()
	waitsText := one + overInnerText
	for name, c := range map[string]struct {
		neighbors []Neighbor
		want      *Aspect
	}{
		"none":                       {nil, nil},
		"one around":                 {[]Neighbor{outer("v1", 1, published)}, nil},
		"one inside":                 {[]Neighbor{inner("v1", 1, published)}, waits(v1alpha1.ReasonDownstreamExists, "%s", waitsText)},
		"one inside, a draft":        {[]Neighbor{inner("v1", 0, draft)}, nil},
		"one inside, to be deleted":  {[]Neighbor{inner("v1", 1, deletionProposal)}, nil},
		"the second, of a variant's": {[]Neighbor{outer("v1", 1, published), inner("v1", 1, published).of("web-in")}, waits(v1alpha1.ReasonDownstreamExists, "%s", waitsText)},
	} {
		in := input(beside(c.neighbors...), down("packagevariant-1", 0, draft))
		if diff := cmp.Diff(c.want, overInner(in, &in.Revisions[0])); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	in := input(beside(inner("main", -1, published)), down("packagevariant-1", 1, published), down("packagevariant-2", 0, draft))
	if got := overInner(in, &in.Revisions[1]); got != nil {
		t.Errorf("a subpackage of what is published keeps its next draft: %v", got)
	}
	in = input(beside(inner("v1", 1, published)), down("packagevariant-1", 0, draft))
	d := Decide(in)
	if open := Waiting(in, &d, d.Condition); open.Message != waitsText {
		t.Errorf("the draft waits for %q", open.Message)
	}
}
