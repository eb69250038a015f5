// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/revision"
)

// TestInspections checks that the functions run over the files of only those revisions that a decision needs.
func TestInspections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   *Input
		want []string
	}{
		"the upstream before it is cloned":        {input(nil), []string{"blueprints.web.v1"}},
		"nothing of a package that is somebody's": {input(nil, down("mine", 1, published, foreign)), nil},
		"a published one on the upstream":         {input(nil, down("packagevariant-1", 1, published)), []string{one}},
		"only the latest published one": {input(nil, down("packagevariant-1", 1, published),
			down("packagevariant-2", 2, published)), []string{two}},
		"a published one that is to be upgraded": {input(second, down("packagevariant-1", 1, published)), []string{one}},
		"no published one whose base is not known": {input(second,
			down("packagevariant-1", 1, published, from("web/v0", "gone"))), nil},
		"a published one of a branch that has moved": {input(branch("later"),
			down("packagevariant-1", 1, published, from("main", "head"))), []string{one}},
		"a draft on another upstream":         {input(second, down("packagevariant-1", 0, draft)), []string{one}},
		"no proposed one on another upstream": {input(second, down("packagevariant-1", 0, isProposed)), nil},
		"a proposed one on the upstream":      {input(nil, down("packagevariant-1", 0, isProposed)), []string{one}},
		"one without a lock": {input(second, down("packagevariant-1", 1, published, unlocked)),
			[]string{one}},
		"none whose deletion is proposed": {input(nil, down("packagevariant-1", 1, deletionProposal)), nil},
		"a draft without a lock that was asked for": {input(requests("packagevariant-1", revision.Clone, "blueprints.web.v1"),
			down("packagevariant-1", 0, draft, unlocked, made(revision.Clone, "blueprints.web.v1"))), []string{one}},
		"no draft before it is adopted":    {input(adopt, down("mine", 0, draft, foreign)), nil},
		"no draft before it is taken back": {input(nil, down("packagevariant-1", 0, draft, restored)), nil},
		"a published one that is not touched": {input(adopt, down("mine", 1, published, foreign)),
			[]string{"edge.web.mine"}},
		"all drafts": {input(nil, down("packagevariant-2", 0, draft),
			down("packagevariant-1", 0, draft)), []string{one, two}},
		"nothing while a guard holds": {input(func(in *Input) { in.Conflicting = "web-us" },
			down("packagevariant-1", 0, draft)), nil},
		"nothing while a Repository is not ready": {input(repository("edge", revision.Repository{}),
			down("packagevariant-1", 0, draft)), nil},
		"nothing of a variant that is being deleted": {input(deleting, down("packagevariant-1", 0, draft)), nil},
		"nothing of one without upstream and downstream": {input(func(in *Input) {
			in.Spec.Upstream, in.Spec.Downstream, in.Upstream = nil, nil, nil
		}), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Inspections(c.in)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestInjected checks the condition ConfigInjected.
func TestInjected(t *testing.T) {
	t.Parallel()
	required := Point{Condition: "config.injection.A.r", Required: true, Message: "no A named r"}
	optional := Point{Condition: "config.injection.A.o", Message: "no A named o"}
	filled := Point{Condition: "config.injection.A.f", Required: true, Filled: true, Message: "injected"}
	points := func(name string, points ...Point) func(*Input) {
		return func(in *Input) { in.Mutations[name] = Mutation{Points: points} }
	}
	draftOne, draftTwo := down("packagevariant-1", 0, draft), down("packagevariant-2", 0, draft)
	for name, c := range map[string]struct {
		in   *Input
		want *Aspect
	}{
		"no files were looked at": {input(second, down("packagevariant-1", 1, published)), nil},
		"a function failed":       {input(fails(one), draftOne), nil},
		"a guard holds": {input(all(points(one, required), func(in *Input) { in.Conflicting = "web-us" }),
			draftOne), nil},
		"only the upstream was looked at, of which the clone may differ": {input(points("blueprints.web.v1", required)), nil},
		"no points": {input(points(one), draftOne), &Aspect{"ConfigInjected", true, "NoInjectionPoints",
			"the package has no injection points"}},
		"all are filled": {input(points(one, filled, filled), draftOne),
			&Aspect{"ConfigInjected", true, "ConfigInjected", "all of 2 injection points are filled"}},
		"an optional one not": {input(points(one, filled, optional), draftOne),
			&Aspect{"ConfigInjected", true, "ConfigInjected",
				"all required injection points are filled; optional ones are not: config.injection.A.o: no A named o"}},
		"a required one not": {input(points(one, filled, required), draftOne), &Aspect{"ConfigInjected", false, "InjectionUnmet",
			one + " waits for config.injection.A.r: no A named r"}},
		"neither": {input(points(one, optional, required, filled), draftOne), &Aspect{"ConfigInjected", false, "InjectionUnmet",
			one + " waits for config.injection.A.r: no A named r; config.injection.A.o: no A named o"}},
		"a required one of one of two drafts": {input(all(points(one, filled), points(two, required)), draftOne, draftTwo),
			&Aspect{"ConfigInjected", false, "InjectionUnmet",
				two + " waits for config.injection.A.r: no A named r"}},
		"a function failed over one of two drafts": {input(all(points(one, filled), fails(two)), draftOne, draftTwo),
			&Aspect{"ConfigInjected", true, "ConfigInjected",
				"all of 1 injection points are filled"}},
		"one that stalls for another reason": {input(all(second, points(one, required)), draftOne),
			&Aspect{"ConfigInjected", false, "InjectionUnmet",
				one + " waits for config.injection.A.r: no A named r"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Decide(c.in).Injected); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
