// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

// What a message says before and after the conflicts that stop a merge.
const (
	stopped     = ", because the package and the upstream changed the same values: "
	stoppedHelp = "; change the package to the upstream's values, or set spec.upgrade.onConflict to " +
		"TakeUpstream or KeepLocal"
)

// TestMerge checks what becomes of a target on another upstream than the one asked for, by the result of the merge.
func TestMerge(t *testing.T) {
	publishedOne, draftOne := down("packagevariant-1", 1, published), down("packagevariant-1", 0, draft)
	upgraded := makes("packagevariant-2", "upgrade blueprints.web.v2 (blueprints.web.v1, "+one+")")
	upgrades := wantPending(one+" is to be upgraded from blueprints.web.v1 to blueprints.web.v2",
		upgraded...)
	changes := wantPending(one+" is to be changed: a.yaml, cm.yaml", "Mutate "+one)
	stops := wantStalled("Conflicted",
		one+" is not brought to blueprints.web.v2"+stopped+conflictText(1)+stoppedHelp)
	fails := func(name string) want {
		return want{Err: true, Condition: wantStalled("FunctionFailed",
			"cannot change "+name+": merge-upstream: boom").Condition}
	}
	testDecide(t, map[string]decideCase{
		"a draft": {input(all(second, conflicts(one, 0), changed(one)), draftOne), changes},
		"a draft back to an older upstream": {input(nil, down("packagevariant-1", 0, draft, from("web/v2", "commit-2"))),
			wantPending(one+" is to be merged with the changes from blueprints.web.v2 to blueprints.web.v1",
				"Mutate "+one)},
		"a draft whose base is not known": {input(second, down("packagevariant-1", 0, draft, from("web/v0", "gone"))),
			wantStalled("BaseNotFound",
				one+" was derived from web/v0 at gone"+noBase+"blueprints.web.v2"+noBaseHelp+ofADraft)},
		"a draft with conflicts, local values by default": {input(all(second, conflicts(one, 1), changed(one)),
			draftOne), changes},
		"a draft with conflicts, the upstream's values": {input(all(second, onConflict("TakeUpstream"),
			conflicts(one, 1), changed(one)), draftOne), changes},
		"a draft with conflicts, local values": {input(all(second, onConflict("KeepLocal"),
			conflicts(one, 1), changed(one)), draftOne), changes},
		"a draft with conflicts that stop it": {input(all(second, onConflict("Stop"), conflicts(one, 1)),
			draftOne), stops},
		"a draft with conflicts that stop it is kept in step": {input(all(second, onConflict("Stop"), conflicts(one, 1),
			changed(one)), draftOne), changes},
		"a draft without conflicts that would stop it": {input(all(second, onConflict("Stop"), conflicts(one, 0),
			changed(one)), draftOne), changes},
		"a draft with many conflicts that stop it": {input(all(second, onConflict("Stop"), conflicts(one, 5)), draftOne),
			wantStalled("Conflicted",
				one+" is not brought to blueprints.web.v2"+stopped+conflictText(1)+"; "+conflictText(2)+"; "+conflictText(3)+" and 2 more"+stoppedHelp)},
		"a draft of which the merge fails": {input(all(second, mergeFails(one)), draftOne), fails(one)},
		"a function fails over the merge": {input(all(second, conflicts(one, 0),
			func(in *Input) { in.Mutations[one] = Mutation{Err: errBoom} }), draftOne), want{
			Err: true, Condition: wantStalled("FunctionFailed",
				"cannot change "+one+": apply-package-context: boom").Condition}},
		"one of two drafts stops: the other is merged": {
			input(all(second, onConflict("Stop"), conflicts("edge.web.mine", 1), changed("edge.web.yours")),
				down("mine", 0, draft), down("yours", 0, draft)),
			wantPending("edge.web.yours is to be changed: a.yaml, cm.yaml", "Mutate edge.web.yours")},

		"a published one with conflicts, local values by default": {input(all(second, conflicts(one, 1)), publishedOne),
			upgrades},
		"a published one with conflicts, local values": {input(all(second, onConflict("KeepLocal"),
			conflicts(one, 1)), publishedOne), upgrades},
		"a published one with conflicts that stop it": {input(all(second, onConflict("Stop"), conflicts(one, 1)),
			publishedOne), stops},
		"a published one that stops, and that would be changed": {input(all(second, onConflict("Stop"), conflicts(one, 1),
			changed(one)), publishedOne), stops},
		"a published one without conflicts that would stop it": {input(all(second, onConflict("Stop"), conflicts(one, 0)),
			publishedOne), upgrades},
		"a published one of which the merge fails": {input(all(second, mergeFails(one)), publishedOne),
			fails(one)},
	})
}

// TestMerging checks from which upstream revision changes are merged into a target.
func TestMerging(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Input)
		target revision.Revision
		want   string
	}{
		"on the upstream": {nil, down("packagevariant-1", 0, draft), ""},
		"a draft":         {second, down("packagevariant-1", 0, draft), "blueprints.web.v1"},
		"a published one": {second, down("packagevariant-1", 1, published), "blueprints.web.v1"},
		"to an older": {nil, down("packagevariant-1", 0, draft, from("web/v2", "commit-2")),
			"blueprints.web.v2"},
		"made from a branch": {second, down("packagevariant-1", 0, draft, from("main", "head"), at(1)),
			"blueprints.web.v1"},
		"without a base":                 {second, down("packagevariant-1", 0, draft, from("web/v0", "gone")), ""},
		"without a lock":                 {second, down("packagevariant-1", 0, draft, unlocked), ""},
		"proposed":                       {second, down("packagevariant-1", 0, isProposed), ""},
		"to be deleted":                  {second, down("packagevariant-1", 1, deletionProposal), ""},
		"the branch asked for has moved": {branch("later"), down("packagevariant-1", 0, draft, from("main", "head")), ""},
		"from a revision to a branch":    {branch("later"), down("packagevariant-1", 0, draft), "blueprints.web.v1"},
		"from another branch to a branch": {branch("later"), down("packagevariant-1", 0, draft, from("main", "head"),
			func(r *revision.Revision) { r.Lock.Repo = "https://example.com/other" }), ""},
		"of the package of another branch": {second, down("packagevariant-1", 0, draft, from("main", "head"), at(0)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(c.change, c.target)
			got := ""
			if base := Merging(in, &c.target); base != nil {
				got = base.Name
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestConflicted checks how the conflicts of merges are reported.
func TestConflicted(t *testing.T) {
	t.Parallel()
	draftOne, draftTwo := down("packagevariant-1", 0, draft), down("packagevariant-2", 0, draft)
	list := func(numbers ...int) (all []v1alpha1.Conflict) {
		for _, i := range numbers {
			all = append(all, conflict(i))
		}
		return all
	}
	none := NoConflicts("the upstream and the downstream package changed nothing to different values")
	told := func(reason, message string, numbers ...int) *Conflicted {
		return &Conflicted{Aspect: Aspect{"Conflicted", true, reason, message}, Conflicts: list(numbers...)}
	}
	const both = "with blueprints.web.v2, both sides changed "
	for name, c := range map[string]struct {
		in   *Input
		want *Conflicted
	}{
		"nothing is merged": {input(nil, draftOne), nil},
		"the merge failed":  {input(all(second, mergeFails(one)), draftOne), nil},
		"a guard holds": {input(all(second, conflicts(one, 1), func(in *Input) { in.Conflicting = "web-us" }),
			draftOne), nil},
		"it is being deleted": {input(all(second, deleting, conflicts(one, 1)), draftOne), nil},
		"no conflicts":        {input(all(second, conflicts(one, 0)), draftOne), none},
		"local ones, by default": {input(all(second, conflicts(one, 1)), draftOne),
			told("LocalKept", both+conflictText(1), 1)},
		"the upstream's": {input(all(second, onConflict("TakeUpstream"), conflicts(one, 1)), draftOne),
			told("UpstreamTaken", both+conflictText(1), 1)},
		"local ones": {input(all(second, onConflict("KeepLocal"), conflicts(one, 2)), draftOne),
			told("LocalKept", both+conflictText(1)+"; "+conflictText(2), 1, 2)},
		"stopped": {input(all(second, onConflict("Stop"), conflicts(one, 1)), draftOne),
			told("MergeStopped", both+conflictText(1), 1)},
		"of a published one": {input(all(second, conflicts(one, 1)), down("packagevariant-1", 1, published)),
			told("LocalKept", both+conflictText(1), 1)},
		"many": {input(all(second, conflicts(one, 4)), draftOne), told("LocalKept",
			both+conflictText(1)+"; "+conflictText(2)+"; "+conflictText(3)+" and 1 more", 1, 2, 3, 4)},
		"of two drafts": {input(all(second, conflicts(one, 1), conflicts(two, 1)), draftOne, draftTwo),
			told("LocalKept", both+conflictText(1)+"; "+conflictText(1), 1, 1)},
		"the merge into one of two drafts failed": {input(all(second, mergeFails(one), conflicts(two, 1)), draftOne,
			draftTwo), told("LocalKept", both+conflictText(1), 1)},
		"of one that is no target any more": {input(all(second, conflicts(one, 1)),
			down("packagevariant-1", 1, published), draftTwo), nil},
		"those of an earlier merge into the draft stay": {input(all(second, earlier(1), conflicts(one, 0)), draftOne),
			told("LocalKept", both+conflictText(1), 1)},
		"people have settled one": {input(all(earlier(1, 2), settles(one, 1)), draftOne),
			told("LocalKept", "with blueprints.web.v1, both sides changed "+conflictText(2), 2)},
		"people have settled all": {input(all(earlier(1), settles(one, 1)), draftOne),
			NoConflicts("people have decided in the draft what both sides had changed")},
		"people have settled one before another merge": {input(all(second, earlier(1), conflicts(one, 2), settles(one, 1)),
			draftOne), told("LocalKept", both+conflictText(1)+"; "+conflictText(2), 1, 2)},
		"one of both merges is told once": {input(all(second, earlier(1, 2), conflicts(one, 1)), draftOne),
			told("LocalKept", both+conflictText(2)+"; "+conflictText(1), 2, 1)},
		"those of a draft that was published are not those of the next": {input(all(second, earlier(2), conflicts(one, 1)),
			down("packagevariant-1", 1, published)), told("LocalKept", both+conflictText(1), 1)},
		"there are none in two drafts": {input(all(second, conflicts(one, 0), conflicts(two, 0)), draftOne,
			draftTwo), none},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Decide(c.in).Conflicted,
				cmpopts.IgnoreFields(Conflicted{}, "Pending", "Before")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestPendingMerge checks which conflicts the status names, and which the draft has, until a merge is saved.
func TestPendingMerge(t *testing.T) {
	t.Parallel()
	const v2, v3 = "blueprints.web.v2", "blueprints.web.v3"
	onFirst, onSecond := down("packagevariant-1", 0, draft), down("packagevariant-1", 0, draft, from("web/v2", "commit-2"))
	of := func(merge string, numbers ...int) (all []v1alpha1.Conflict) {
		for _, i := range numbers {
			c := conflict(i)
			c.PendingMerge, c.Taken = merge, v1alpha1.TakenUpstream
			all = append(all, c)
		}
		return all
	}
	for name, c := range map[string]struct {
		known  []v1alpha1.Conflict
		change func(*Input)
		target revision.Revision
		want   []v1alpha1.Conflict
	}{
		"it is decided":                                {of("", 1), all(second, conflicts(one, 2)), onFirst, append(of("", 1), of(v2, 2)...)},
		"an upgrade is decided":                        {nil, all(second, conflicts(one, 1)), down("packagevariant-1", 1, published), of(v2, 1)},
		"it is saved":                                  {append(of("", 1), of(v2, 2)...), all(second, conflicts(one, 2)), onSecond, of("", 1, 2)},
		"it was saved, in a kill":                      {append(of("", 1), of(v2, 2)...), second, onSecond, of("", 1, 2)},
		"it was not saved, and again":                  {append(of("", 1), of(v2, 2)...), all(second, conflicts(one, 3)), onFirst, append(of("", 1), of(v2, 2, 3)...)},
		"it was not saved, and is not wanted any more": {append(of("", 1), of(v2, 2)...), nil, onFirst, of("", 1)},
		"it was saved, and is not wanted any more": {append(of("", 1), of(v2, 2)...), conflicts(one, 0), onSecond,
			of("", 1, 2)},
		"it was stopped, and somebody has resolved it": {[]v1alpha1.Conflict{{File: "a.yaml", PendingMerge: v2}},
			all(second, conflicts(one, 0)), onSecond, nil},
		"another one was not saved": {of(v3, 1), second, onSecond, nil},
		"the draft is published":    {of("", 1), all(second, conflicts(one, 0)), down("packagevariant-1", 1, published), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(c.change, c.target)
			in.Conflicts = c.known
			for _, m := range in.Merges {
				for i := range m.Conflicts {
					m.Conflicts[i].Taken = v1alpha1.TakenUpstream
				}
			}
			if diff := cmp.Diff(c.want, Decide(in).Conflicted.All(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// earlier says that the merges into the open draft had conflicts of these numbers.
func earlier(numbers ...int) func(*Input) {
	return func(in *Input) {
		for _, i := range numbers {
			in.Conflicts = append(in.Conflicts, conflict(i))
		}
	}
}

// TestNameOf checks how a conflict is named.
func TestNameOf(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]v1alpha1.Conflict{
		`spec.replicas of Deployment web in a.yaml (here "2", upstream "3")`: {File: "a.yaml", Resource: "Deployment web",
			Field: "spec.replicas", Original: "1", Local: "2", Updated: "3"},
		`a.yaml (here "7", upstream "x\"y\"")`: {File: "a.yaml", Local: `"7"`, Updated: `x"y"`},
		`Deployment web in a.yaml (here "changed", upstream "")`: {File: "a.yaml", Resource: "Deployment web",
			Local: "changed"},
		`README.md (here "x\ny", upstream "z")`: {File: "README.md", Local: "x\ny",
			Updated: "z"},
		`a.yaml (here "2", upstream "(removed)"; the merge kept its own)`: {File: "a.yaml", Local: "2",
			Updated: "(removed)", Taken: "local"},
		`a.yaml (here "2", upstream "3"; the merge took the upstream's)`: {File: "a.yaml", Local: "2", Updated: "3",
			Taken: "upstream"},
	} {
		if got := nameOf(&c); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestResolved checks which side the reason names, where a policy may keep what one side removed.
func TestResolved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy variant.OnConflict
		taken  []string
		want   string
	}{
		"TakeUpstream":                            {"TakeUpstream", []string{"upstream", "upstream"}, "UpstreamTaken"},
		"TakeUpstream, but for one":               {"TakeUpstream", []string{"upstream", "local"}, "UpstreamTaken"},
		"TakeUpstream, where the package's is it": {"TakeUpstream", []string{"local", "local"}, "LocalKept"},
		"KeepLocal":                               {"KeepLocal", []string{"local"}, "LocalKept"},
		"KeepLocal, but for one":                  {"KeepLocal", []string{"upstream", "local"}, "LocalKept"},
		"KeepLocal, where the upstream's is it":   {"KeepLocal", []string{"upstream"}, "UpstreamTaken"},
		"Stop":                                    {"Stop", []string{""}, "MergeStopped"},
		"Stop, and an earlier one":                {"Stop", []string{"upstream", ""}, "MergeStopped"},
		"Stop, and nothing but earlier ones":      {"Stop", []string{"upstream"}, "UpstreamTaken"},
		"of an older version":                     {"TakeUpstream", []string{"", ""}, "UpstreamTaken"},
	} {
		var conflicts []v1alpha1.Conflict
		for _, side := range c.taken {
			conflicts = append(conflicts, v1alpha1.Conflict{Taken: side})
		}
		if got := resolved(c.policy, conflicts); got != c.want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// TestOnConflict checks that what is in the package stays unless the spec says otherwise.
func TestOnConflict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		upgrade *variant.Upgrade
		want    variant.OnConflict
	}{
		"nothing is said":  {nil, "KeepLocal"},
		"nothing of it":    {&variant.Upgrade{}, "KeepLocal"},
		"another is asked": {&variant.Upgrade{OnConflict: "Stop"}, "Stop"},
	} {
		if got := OnConflict(&Input{Observed: Observed{Variant: Variant{Spec: &variant.Spec{Upgrade: c.upgrade}}}}); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}
