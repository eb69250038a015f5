// SPDX-License-Identifier: Apache-2.0

package review

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const git = "https://git/blueprints"

// blueprint is a published revision of the blueprint.
func blueprint(number int) revision.Revision {
	name := "v" + string(rune('0'+number))
	return revision.Revision{Name: "blueprints.web." + name, Package: revision.Package{Repo: "blueprints", Name: "web"},
		Workspace: name, Number: number, Lifecycle: revision.Published, Commit: "commit-" + name}
}

// down is a revision of the variant's package, made from a revision of the blueprint.
func down(workspace string, number int, lifecycle revision.Lifecycle, from int) revision.Revision {
	base := blueprint(from)
	return revision.Revision{Name: "edge.web." + workspace, Package: revision.Package{Repo: "edge", Name: "web"},
		Workspace: workspace, Number: number, Lifecycle: lifecycle, Commit: "commit",
		Owners: []metav1.OwnerReference{revision.Owner{Name: "web", UID: "uid"}.Reference()},
		Lock:   &revision.Lock{Repo: git, Directory: "web", Ref: "web/" + base.Workspace, Commit: base.Commit},
		Task:   revision.Task{Type: revision.Upgrade, Source: base.Name}}
}

// input is a variant with a published revision based on the blueprint's first revision, and a draft based on its
// second.
func input(changes ...func(*Input)) *Input {
	pv := &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: "web", UID: "uid", Generation: 3}, Spec: variant.Spec{
		Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.Revision{Str: "latest"}},
		Downstream: &variant.Downstream{Repo: "edge", Package: "web"}}}
	pv.Status.ObservedGeneration = 3
	pv.Status.Conditions = []metav1.Condition{
		{Type: "Ready", Status: "True", Reason: "UpToDate"}, {Type: "Stalled", Status: "False", Reason: "Valid"},
		{Type: "Conflicted", Status: "False", Reason: "NoConflicts"}, {Type: "Approved", Status: "False", Reason: "LaterRevision"},
	}
	in := &Input{Home: words.Home{Command: "kubectl variants", Controller: "the controller", Wait: "wait for the controller"}, Variant: pv, Repositories: map[string]revision.Repository{"blueprints": {Address: git}},
		Revisions: []revision.Revision{blueprint(1), blueprint(2), down("packagevariant-1", 1, revision.Published, 1),
			down("packagevariant-2", 0, revision.Draft, 2)},
		Files: map[string]map[string]string{"edge.web.packagevariant-1": {"a": "1", "b": "1", "c": "1"},
			"edge.web.packagevariant-2": {"a": "1", "b": "2", "d": "1"}},
		Gates: map[string][]string{}}
	for _, change := range changes {
		change(in)
	}
	return in
}

func notReady(reason, message string) func(*Input) {
	return func(in *Input) {
		in.Variant.Status.Conditions[0] = metav1.Condition{Type: "Ready", Status: "False", Reason: reason, Message: message}
	}
}

func conflicting(in *Input) {
	in.Variant.Status.Conflicts = []v1alpha1.Conflict{{File: "a.yaml", Resource: `ConfigMap "a"`, Field: "data.a\x1b",
		Original: "1", Local: "2", Updated: "3", Taken: v1alpha1.TakenUpstream}}
	in.Variant.Status.Conditions[2] = metav1.Condition{Type: "Conflicted", Status: "True", Reason: "UpstreamTaken"}
}

func proposed(in *Input) { in.Revisions[3].Lifecycle = revision.Proposed }

// TestApprovals checks which drafts are not approved, and the reason.
func TestApprovals(t *testing.T) {
	t.Parallel()
	const draft = "edge.web.packagevariant-2"
	for name, c := range map[string]struct {
		in   *Input
		want []string // the target and why it is refused, or that there is none
	}{
		"a draft":              {input(), []string{draft + ": "}},
		"one that is proposed": {input(proposed), []string{draft + ": "}},
		"no draft":             {input(func(in *Input) { in.Revisions = in.Revisions[:3] }), []string{"none: "}},
		"no package":           {input(func(in *Input) { in.Revisions = in.Revisions[:2] }), []string{"none: "}},
		"nobody's draft":       {input(func(in *Input) { in.Revisions[3].Owners = nil }), []string{"none: "}},
		"one that Porch lost the owner of": {input(func(in *Input) {
			in.Revisions[3].Owners, in.Variant.Status.OwnedRevisions = nil, []string{draft}
		}), []string{draft + ": "}},
		"two drafts, one of them stale": {input(func(in *Input) {
			in.Revisions = append(in.Revisions, down("packagevariant-3", 0, revision.Draft, 1))
		}), []string{draft + ": ", "edge.web.packagevariant-3: edge.web.packagevariant-3 was made from blueprints.web.v1, and web " +
			"asks for blueprints.web.v2: wait for the controller, or see why it is not Ready"}},
		"the variant is being deleted": {input(func(in *Input) { in.Variant.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }),
			[]string{draft + ": web is being deleted, and " + draft + " with it"}},
		"not looked at yet": {input(func(in *Input) { in.Variant.Generation = 4 }), []string{draft + ": " + draft + " may not be " +
			"what web asks for: the controller has not looked at its generation 4 yet: wait for the controller"}},
		"the upstream is newer": {input(func(in *Input) { in.Revisions = append(in.Revisions, blueprint(3)) }), []string{
			draft + ": " + draft + " was made from blueprints.web.v2, and web asks for blueprints.web.v3: wait for the " +
				"controller, or see why it is not Ready"}},
		"made from nobody knows what": {input(func(in *Input) { in.Revisions[3].Lock = nil }), []string{draft + ": " + draft +
			" was made from another revision, and web asks for blueprints.web.v2: wait for the controller, or see why it is not Ready"}},
		"the upstream is gone": {input(func(in *Input) { in.Revisions = in.Revisions[2:] }), []string{draft + ": there is no PackageRevision of blueprints/web that is " +
			"published, which web asks for: publish it, or correct spec.upstream"}},
		"its pipeline failed": {input(func(in *Input) {
			in.Variant.Status.DownstreamTargets = []v1alpha1.DownstreamTarget{{Name: draft,
				RenderStatus: &v1alpha1.RenderStatus{Err: "pkg.render:\n  no image"}}}
		}, notReady("RenderFailed", "it failed")), []string{draft + ": the pipeline in the Kptfile of " + draft + " failed: pkg.render: no image"}},
		"not ready": {input(notReady("Pending", "is to be changed")), []string{draft + ": " + draft +
			" is not what web asks for: Pending: is to be changed"}},
		"never said to be": {input(func(in *Input) { in.Variant.Status.Conditions = nil }), []string{draft + ": " + draft +
			" is not what web asks for: the controller has not said that it is"}},
		"conflicts": {input(conflicting), []string{draft + ": " + draft + " has values that the upstream and the package both " +
			"changed: look at them by kubectl variants diff web, and allow them by --allow-conflicts"}},
		"conflicts, allowed": {input(conflicting, func(in *Input) { in.AllowConflicts = true }), []string{draft + ": "}},
		"a conflict of git": {input(func(in *Input) {
			in.Files[draft] = map[string]string{"a.md": "<<<<<<< no\n", "b.yaml": "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> main\n"}
		}), []string{draft + ": " + draft + " has a conflict of git in b.yaml, line 2: solve it there, and remove the lines that mark it"}},
		"gates": {input(func(in *Input) { in.Gates[draft] = []string{"a (no)", "b"} }), []string{draft + ": " + draft + " has " +
			"readiness gates in its Kptfile that are not met: a (no), b; meet them, or allow it by --allow-unmet-gates"}},
		"gates, allowed": {input(func(in *Input) {
			in.Gates[draft], in.AllowGates = []string{"a"}, true
		}), []string{draft + ": "}},
		"conflicts and gates, one of them allowed": {input(conflicting, func(in *Input) {
			in.Gates[draft], in.AllowConflicts = []string{"a"}, true
		}), []string{draft + ": " + draft + " has readiness gates in its Kptfile that are not met: a; meet them, or allow it by " +
			"--allow-unmet-gates"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, told(Approvals(c.in))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func told(items []Item) []string {
	var out []string
	for _, item := range items {
		name := "none"
		if item.Target != nil {
			name = item.Target.Name
		}
		out = append(out, name+": "+item.Refused)
	}
	return out
}

// TestRejections checks that only proposed revisions are rejected, in any state of the variant.
func TestRejections(t *testing.T) {
	t.Parallel()
	const draft = "edge.web.packagevariant-2"
	for name, c := range map[string]struct {
		in   *Input
		want []string
	}{
		"proposed":            {input(proposed), []string{draft + ": "}},
		"proposed, and stale": {input(proposed, notReady("Pending", "x"), conflicting), []string{draft + ": "}},
		"a draft": {input(), []string{draft + ": " + draft + " is a draft that nobody has proposed, so there is nothing to " +
			"reject: edit it, or suspend web"}},
		"no draft": {input(func(in *Input) { in.Revisions = in.Revisions[:3] }), []string{"none: "}},
	} {
		if diff := cmp.Diff(c.want, told(Rejections(c.in))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestShow checks what the user sees before anything is done.
func TestShow(t *testing.T) {
	t.Parallel()
	const conditions = "  conditions: Ready=True (UpToDate), Approved=False (LaterRevision)\n"
	for name, c := range map[string]struct {
		in   *Input
		want string
	}{
		"a draft": {input(), "web: edge.web.packagevariant-2 (Draft), made by upgrade of blueprints.web.v2\n" +
			"  files:      1 added, 1 changed, 1 removed since edge.web.packagevariant-1\n  conflicts:  0\n" + conditions},
		"a draft that was moved to another upstream": {input(func(in *Input) {
			in.Revisions[3].Task = revision.Task{Type: revision.Clone, Source: "blueprints.web.v1"}
		}), "web: edge.web.packagevariant-2 (Draft), made by clone of blueprints.web.v1, now with blueprints.web.v2\n" +
			"  files:      1 added, 1 changed, 1 removed since edge.web.packagevariant-1\n  conflicts:  0\n" + conditions},
		"the first": {input(func(in *Input) {
			in.Revisions = append(in.Revisions[:2], in.Revisions[3])
			in.Revisions[2].Task = revision.Task{}
		}), "web: edge.web.packagevariant-2 (Draft)\n  files:      3 added, 0 changed, 0 removed\n  conflicts:  0\n" + conditions},
		"refused": {input(conflicting, proposed), "web: edge.web.packagevariant-2 (Proposed), made by upgrade of blueprints.web.v2\n" +
			"  files:      1 added, 1 changed, 1 removed since edge.web.packagevariant-1\n  conflicts:  1\n" +
			"    data.a\\x1b of ConfigMap \"a\" in a.yaml (here \"2\", upstream \"3\"; the merge took the upstream's)\n" +
			"  conditions: Ready=True (UpToDate), Conflicted=True (UpstreamTaken), Approved=False (LaterRevision)\n" +
			"  refused:    edge.web.packagevariant-2 has values that the upstream and the package both changed: look at them by " +
			"kubectl variants diff web, and allow them by --allow-conflicts\n"},
		"as many conflicts as a status names": {input(func(in *Input) {
			in.Variant.Status.Conflicts = slices.Repeat([]v1alpha1.Conflict{{File: "a.yaml", Local: "2", Updated: "3"}}, 100)
		}), "web: edge.web.packagevariant-2 (Draft), made by upgrade of blueprints.web.v2\n" +
			"  files:      1 added, 1 changed, 1 removed since edge.web.packagevariant-1\n  conflicts:  100\n" +
			strings.Repeat("    a.yaml (here \"2\", upstream \"3\")\n", 100) +
			"    and there may be more: the status has the first 100\n" + conditions},
		"no draft":   {input(func(in *Input) { in.Revisions = in.Revisions[:3] }), "web: no draft; edge.web.packagevariant-1 is published\n"},
		"no package": {input(func(in *Input) { in.Revisions = in.Revisions[:2] }), "web: no draft; it has no package yet\n"},
	} {
		items := Approvals(c.in)
		if diff := cmp.Diff(c.want, Show(&items[0])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestConfirm checks when the user is asked, and what counts as yes.
func TestConfirm(t *testing.T) {
	t.Parallel()
	const no, none = "nothing is done", "there is no terminal to ask on: look at what would be done, and do it with --yes"
	const question = "approve 1 package revision? [y/N] "
	for name, c := range map[string]struct {
		yes, terminal bool
		answer        string
		asked, want   string
	}{
		"yes before":                {true, false, "", "", ""},
		"yes before, on a terminal": {true, true, "n\n", "", ""},
		"no terminal":               {false, false, "y\n", "", none},
		"y":                         {false, true, "y\n", question, ""},
		"Yes":                       {false, true, " Yes \n", question, ""},
		"n":                         {false, true, "n\n", question, no},
		"only return":               {false, true, "\n", question, no},
		"something else":            {false, true, "yep\n", question, no},
		"the end, without a line":   {false, true, "y", question, ""},
		"the end":                   {false, true, "", question, no},
	} {
		var out strings.Builder
		got := ""
		if err := Confirm("approve 1 package revision?", c.yes, c.terminal, strings.NewReader(c.answer), &out); err != nil {
			got = err.Error()
		}
		if got != c.want || out.String() != c.asked {
			t.Errorf("%s: got %q after %q, want %q after %q", name, got, out.String(), c.want, c.asked)
		}
	}
}
