// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
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
				one+" was derived from web/v0 at gone"+noBase+"blueprints.web.v2"+noBaseHelp)},
		"a draft with conflicts, the upstream's values by default": {input(all(second, conflicts(one, 1), changed(one)),
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
			input(all(second, onConflict("Stop"), conflicts(two, 1), changed(three)), down("packagevariant-2", 0, draft),
				down("packagevariant-3", 0, draft)),
			wantPending(three+" is to be changed: a.yaml, cm.yaml", "Mutate "+three)},

		"a published one with conflicts, the upstream's values": {input(all(second, conflicts(one, 1)), publishedOne),
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
		"the upstream's, by default": {input(all(second, conflicts(one, 1)), draftOne),
			told("UpstreamTaken", both+conflictText(1), 1)},
		"the upstream's": {input(all(second, onConflict("TakeUpstream"), conflicts(one, 1)), draftOne),
			told("UpstreamTaken", both+conflictText(1), 1)},
		"local ones": {input(all(second, onConflict("KeepLocal"), conflicts(one, 2)), draftOne),
			told("LocalKept", both+conflictText(1)+"; "+conflictText(2), 1, 2)},
		"stopped": {input(all(second, onConflict("Stop"), conflicts(one, 1)), draftOne),
			told("MergeStopped", both+conflictText(1), 1)},
		"of a published one": {input(all(second, conflicts(one, 1)), down("packagevariant-1", 1, published)),
			told("UpstreamTaken", both+conflictText(1), 1)},
		"many": {input(all(second, conflicts(one, 4)), draftOne), told("UpstreamTaken",
			both+conflictText(1)+"; "+conflictText(2)+"; "+conflictText(3)+" and 1 more", 1, 2, 3, 4)},
		"of two drafts": {input(all(second, conflicts(one, 1), conflicts(two, 1)), draftOne, draftTwo),
			told("UpstreamTaken", both+conflictText(1)+"; "+conflictText(1), 1, 1)},
		"the merge into one of two drafts failed": {input(all(second, mergeFails(one), conflicts(two, 1)), draftOne,
			draftTwo), told("UpstreamTaken", both+conflictText(1), 1)},
		"of one that is no target any more": {input(all(second, conflicts(one, 1)),
			down("packagevariant-1", 1, published), draftTwo), nil},
		"those of an earlier merge into the draft stay": {input(all(second, earlier(1), conflicts(one, 0)), draftOne),
			told("UpstreamTaken", both+conflictText(1), 1)},
		"one of both merges is told once": {input(all(second, earlier(1, 2), conflicts(one, 1)), draftOne),
			told("UpstreamTaken", both+conflictText(2)+"; "+conflictText(1), 2, 1)},
		"those of a draft that was published are not those of the next": {input(all(second, earlier(2), conflicts(one, 1)),
			down("packagevariant-1", 1, published)), told("UpstreamTaken", both+conflictText(1), 1)},
		"an earlier one has the upstream's value of now": {input(all(second, earlier(1), now("7", "")),
			draftOne), &Conflicted{Aspect: Aspect{"Conflicted", true, "UpstreamTaken",
			both + strings.Replace(conflictText(1), `upstream "3"`, `upstream "7"`, 1)},
			Conflicts: []v1alpha1.Conflict{valued("1", "2", "7", "")}}},
		"an earlier one ends once the merge is saved": {input(all(second, earlier(1), now("2", "")),
			draftOne), &Conflicted{Aspect: none.Aspect, Ending: []v1alpha1.Conflict{valued("1", "2", "2", "")}}},
		"an earlier one has ended": {input(all(second, earlier(1), now("2", "")),
			down("packagevariant-1", 0, draft, from("web/v2", "commit-2"))), none},
		"an earlier one, of which the upstream has taken back its change": {input(all(second, earlier(1), now("1", "local"),
			func(in *Input) {
				in.Merges[one] = Merge{Earlier: in.Merges[one].Earlier,
					Conflicts: []v1alpha1.Conflict{valued("3", "2", "1", "local")}}
			}), down("packagevariant-1", 0, draft, from("web/v2", "commit-2"))), none},
		"those of the status were checked, and one stands": {input(all(earlier(1), checked), draftOne), told("UpstreamTaken",
			"with blueprints.web.v1, both sides changed "+conflictText(1), 1)},
		"those of the status were checked, and have ended": {input(checked, draftOne), none},
		"there are none in two drafts": {input(all(second, conflicts(one, 0), conflicts(two, 0)), draftOne,
			draftTwo), none},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Decide(c.in).Conflicted); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// now says that the upstream has a value in the place of the first conflict, of which the draft has a side.
func now(value, taken string) func(*Input) {
	return func(in *Input) {
		in.Merges[one] = Merge{Earlier: []v1alpha1.Conflict{valued("1", "2", value, taken)}}
	}
}

// checked says that the conflicts were compared with the upstream that the draft is on.
func checked(in *Input) { in.Checked = true }

// valued returns the first conflict with other values.
func valued(original, local, updated, taken string) v1alpha1.Conflict {
	c := conflict(1)
	c.Original, c.Local, c.Updated, c.Taken = original, local, updated, taken
	return c
}

// TestStanding checks which conflicts of earlier merges have ended.
func TestStanding(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		conflict v1alpha1.Conflict
		want     bool
	}{
		"both differ":                               {valued("1", "2", "3", "local"), false},
		"the upstream has the package's value":      {valued("1", "2", "2", "upstream"), true},
		"the same, and the package kept it":         {valued("1", "2", "2", "local"), true},
		"the upstream's change is taken back":       {valued("1", "2", "1", "local"), true},
		"the same, and people's value is gone":      {valued("1", "2", "1", "upstream"), false},
		"the same, of a status without sides":       {valued("1", "2", "1", ""), false},
		"what both added is removed upstream":       {valued("", "2", "(removed)", "local"), true},
		"what both added is removed, also here":     {valued("", "2", "(removed)", "upstream"), false},
		"both removed it":                           {valued("1", "(removed)", "(removed)", "local"), true},
		"values that are not shown":                 {valued("(not shown)", "(not shown)", "(not shown)", "local"), false},
		"values that are shortened":                 {valued("a…", "b…", "b…", "local"), false},
		"an upstream value that came to be nothing": {valued("1", "2", "(removed)", "local"), false},
	} {
		if got := len(Standing([]v1alpha1.Conflict{c.conflict})) == 0; got != c.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

// TestInherit checks which conflicts of a merge name what people wrote before an earlier merge took the upstream's
// value.
func TestInherit(t *testing.T) {
	t.Parallel()
	mine, kept := valued("1", "2", "3", "upstream"), valued("1", "2", "3", "local")
	other := mine
	other.Field = "spec.f2"
	for name, c := range map[string]struct {
		earlier, later v1alpha1.Conflict
		edited         bool
		want           v1alpha1.Conflict
	}{
		"the draft has what was taken": {mine, valued("", "3", "4", "upstream"), true, valued("", "2", "4", "upstream")},
		"the same, of another merge that was not saved": {mine, valued("", "5", "4", "upstream"), false,
			valued("", "2", "4", "upstream")},
		"people wrote another value":     {mine, valued("", "5", "4", "upstream"), true, valued("", "5", "4", "upstream")},
		"the package's value was kept":   {kept, valued("", "2", "4", "local"), false, valued("", "2", "4", "local")},
		"another value":                  {other, valued("", "3", "4", "upstream"), false, valued("", "3", "4", "upstream")},
		"what was taken is kept now":     {mine, valued("", "3", "4", "local"), true, valued("", "2", "4", "upstream")},
		"it stops the merge":             {mine, valued("", "3", "4", ""), true, valued("", "2", "4", "upstream")},
		"the upstream has people's":      {mine, valued("", "3", "2", "upstream"), true, valued("", "2", "2", "upstream")},
		"the same, and it is not merged": {mine, valued("", "3", "2", "local"), true, valued("", "3", "2", "local")},
	} {
		got := []v1alpha1.Conflict{c.later}
		Inherit([]v1alpha1.Conflict{c.earlier}, got, c.edited)
		if diff := cmp.Diff([]v1alpha1.Conflict{c.want}, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
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
		`a.yaml (here "2", upstream "(removed)"; the draft has its own)`: {File: "a.yaml", Local: "2",
			Updated: "(removed)", Taken: "local"},
		`a.yaml (here "2", upstream "3"; the draft has the upstream's)`: {File: "a.yaml", Local: "2", Updated: "3",
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

// TestOnConflict checks that the upstream wins unless the spec says otherwise, as it does in Porch.
func TestOnConflict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		upgrade *variant.Upgrade
		want    variant.OnConflict
	}{
		"nothing is said":  {nil, "TakeUpstream"},
		"nothing of it":    {&variant.Upgrade{}, "TakeUpstream"},
		"another is asked": {&variant.Upgrade{OnConflict: "Stop"}, "Stop"},
	} {
		if got := OnConflict(&Input{Spec: &variant.Spec{Upgrade: c.upgrade}}); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}
