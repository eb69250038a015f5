// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/local/home"
)

// TestHappened has what a report says of a package.
func TestHappened(t *testing.T) {
	t.Parallel()
	event := func(did home.Did, workspace string, number int) home.Event {
		return home.Event{Did: did, Workspace: workspace, Number: number}
	}
	const first, second = "packagevariant-1", "packagevariant-2"
	ended := home.Event{Did: home.Ended, Workspace: first, Branch: "drafts/fra/web/packagevariant-1", Commit: "1234"}
	for want, all := range map[string][]home.Event{
		"":                             {event(home.MadeByPorch, "v1", 0)},
		first + " drafted":             {event(home.Drafted, first, 0), event(home.Changed, first, 0)},
		first + " changed":             {event(home.Changed, first, 0), event(home.Changed, first, 0)},
		"v1 published (" + first + ")": {event(home.Drafted, first, 0), event(home.Published, first, 1), ended},
		"v1 published (" + first + " was merged)": {event(home.Arrived, first, 1), event(home.Merged, first, 0),
			event(home.Published, first, 1), ended},
		"v1 published (" + first + " was merged, with a person's changes in settings.yaml); " + second + " drafted": {
			event(home.Arrived, first, 1), {Did: home.Merged, Workspace: first, Files: []string{"settings.yaml"}},
			event(home.Published, first, 1), event(home.Drafted, second, 0)},
		"v1 is to be published (" + first + " was merged)": {event(home.Arrived, first, 1), event(home.Merged, first, 0)},
		"v2 published (the main branch has changed); what is published was merged into " + second: {
			event(home.Arrived, "v2", 2), event(home.Published, "v2", 2), event(home.BroughtUp, second, 0),
			event(home.Changed, second, 0)},
		"v3 published (the main branch has what was before it again)": {
			{Did: home.Arrived, Workspace: "v3", Number: 3, Back: true}, event(home.Published, "v3", 3)},
		"v2 published again (its tag was gone)": {
			{Did: home.Arrived, Workspace: "v2", Number: 2, Again: true}, event(home.Published, "v2", 2)},
		"v1 published (the main branch has it, and web adopted it)": {
			{Did: home.Adopted, Workspace: "v1", Why: "web"}, event(home.Published, "v1", 1)},
		"web adopted it":        {{Did: home.Adopted, Workspace: "v1", Why: "web"}},
		first + " was rejected": {event(home.Rejected, first, 0), ended}, // it was reset
		"the branch drafts/fra/web/packagevariant-1 removed, which was at 1234": {ended},
		first + " was rejected; " + second + " drafted":                         {event(home.Rejected, first, 0), event(home.Drafted, second, 0)},
		"the merge of " + first + " was taken back":                             {event(home.TakenBack, first, 0)},
		"a person has to merge what is published into " + first + ": both sides changed a.yaml": {
			{Did: home.Overtaken, Workspace: first, Why: "both sides changed a.yaml"}},
		"removed, as was merged": {event(home.RemovalMerged, "", 0), {Did: home.Ended, Branch: "removals/fra/web", Commit: "1234"}},
	} {
		of := events{}
		of.add(all...)
		if got := of.packages()[0].Text; got != want {
			t.Errorf("%v:\n got %s\nwant %s", all, got, want)
		}
	}
}

// TestTable has what people read of packages: what a person has to look at is in the column STATE.
func TestTable(t *testing.T) {
	t.Parallel()
	line := func(namespace, name string, change ...func(*Line)) Line {
		l := Line{Namespace: namespace, Name: name + "-web", Package: name + "/web", State: v1alpha1.ConditionReady,
			Reason: v1alpha1.ReasonUpToDate, Revision: "v1", Upstream: "blueprints.web.v2", From: "blueprints/web v2"}
		for _, c := range change {
			c(&l)
		}
		return l
	}
	draft := func(reason, message string) func(*Line) {
		return func(l *Line) {
			l.Draft, l.Workspace, l.Waits, l.Message = "x.web.packagevariant-2", "packagevariant-2", reason, message
		}
	}
	stalled := func(reason, message string) func(*Line) {
		return func(l *Line) { l.State, l.Reason, l.Message = v1alpha1.ConditionStalled, reason, message }
	}
	var got strings.Builder
	report := Report{Variants: []Line{
		line("default", "nyc", draft(v1alpha1.ReasonManualApproval, "a person publishes it")),
		line("default", "fra", draft(v1alpha1.ReasonConflicted, "both changed image"), func(l *Line) { l.Conflicted = "both changed image" }),
		line("default", "lon", func(l *Line) { l.Injection = "ConfigMap region: no injector" }),
		line("edge", "par", draft(v1alpha1.ReasonLeftToPeople, "the server refuses its merge")),
		line("default", "ams", stalled(v1alpha1.ReasonRejected, "its draft was rejected")),
		line("default", "ber", stalled(v1alpha1.ReasonPushRefused, "no right")),
	}, Failures: []string{"PackageVariant default/ber-web: no right"}}
	if err := report.Table(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`PACKAGE       STATE           REVISION  UPSTREAM           DRAFT
ams/web       Rejected        v1        blueprints/web v2  -
ber/web       PushRefused     v1        blueprints/web v2  -
fra/web       Conflicted      v1        blueprints/web v2  packagevariant-2
lon/web       InjectionUnmet  v1        blueprints/web v2  -
nyc/web       UpToDate        v1        blueprints/web v2  packagevariant-2
edge/par/web  LeftToPeople    v1        blueprints/web v2  packagevariant-2
ams/web: its draft was rejected
fra/web: both changed image
lon/web: ConfigMap region: no injector
edge/par/web: the server refuses its merge
Failed: PackageVariant default/ber-web: no right
`, got.String()); diff != "" {
		t.Error(diff)
	}
}
