// SPDX-License-Identifier: Apache-2.0

package show

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/changes"
	"github.com/package-variants/package-variants/engine/plans"
)

// busy returns a plan that deletes and publishes, and in which several variants share a conflict and diffs.
func busy() *plans.Plan {
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	conflict := v1alpha1.Conflict{File: "a.yaml", Field: "spec.replicas", Original: "1", Local: "5", Updated: "2", Taken: "upstream"}
	up := func(name string, steps ...plans.Step) plans.Variant {
		return plans.Variant{Name: name, Repo: name, Package: "web", Set: "sites", Action: plans.Upgrade, Steps: steps,
			Upstream: &plans.Upstream{From: "b.web.v1", To: "b.web.v2"}, Conflicts: []v1alpha1.Conflict{conflict},
			Condition: plans.Condition{Type: "Ready", Reason: "UpToDate", Message: "it is up to date with b.web.v2"},
			Drafts: []plans.Draft{{Name: name + ".web.v2", Lifecycle: "Draft", Compared: name + ".web.v1", Total: 3, Files: []plans.File{
				{Path: "Kptfile", Change: "changed"}, {Path: "a.yaml", Change: "changed"}}}}}
	}
	published := up("ldn", plans.Step{Do: "Propose", Text: "propose it"}, plans.Step{Do: "Approve", Text: "approve it"})
	published.Drafts[0].Lifecycle = "Published"
	// two that do something else, and delete nevertheless
	left := up("par", plans.Step{Do: "Create"}, plans.Step{Do: "ProposeDeletion", Revision: "par.web.v0", Text: "propose the deletion of par.web.v0"})
	moved := plans.Variant{Name: "rom", Repo: "rom", Package: "web", Action: plans.Create, Condition: left.Condition, Steps: []plans.Step{
		{Do: "Create", Text: "clone b.web.v2 into rom/web"}, {Do: "Delete", Revision: "old.web.v1", Text: "delete old.web.v1"}}}
	plan := &plans.Plan{
		About: plans.About{Over: "the cluster prod", Namespace: "fleet", Time: at},
		Sets: []plans.Set{{Name: "sites", Updated: []string{"ams", "fra", "ldn"}, Deleted: []string{"osl"}, Condition: plans.Condition{
			Type: "Reconciling", Reason: "RolloutAwaitingApproval", Message: "approve it by the annotation x=y; it is old"},
			Waves: []plans.Wave{{Name: "all", State: "AwaitingApproval", Targets: 3, Updated: 3, Reached: 3, Message: "3 of 3"}}}},
		Variants: []plans.Variant{up("ams"), up("fra"), published, left, moved,
			{Name: "osl", Repo: "osl", Package: "web", Set: "sites", Action: plans.Delete, Steps: []plans.Step{{Do: "RemoveFinalizer", Text: "let the variant go"}}},
			{Name: "same", Action: plans.Unchanged}},
		Changes: []*changes.Change{
			{Conflict: true, Lines: []string{conflict.Place() + ": " + conflict.Sides()}, Files: []string{"a.yaml"},
				Packages: []string{"ams/web", "fra/web", "ldn/web", "par/web"}},
			{Lines: []string{"- v1", "+ v2"}, Files: []string{"Kptfile"}, Packages: []string{"ams/web", "fra/web", "ldn/web", "par/web"}},
			{Lines: []string{"- 1", "+ 2 ‹x›"}, Files: []string{"a.yaml"}, Packages: []string{"ams/web", "ldn/web", "par/web"},
				Values: map[string]map[string]int{"x": {"eu": 2, "us": 1}}},
			{Lines: []string{"- 1", "+ 3"}, Files: []string{"a.yaml"}, Packages: []string{"fra/web"}}},
		Notes: []string{"a note"},
	}
	plan.Count()
	return plan
}

// TestComment checks what a reviewer reads, and in which order.
func TestComment(t *testing.T) {
	t.Parallel()
	const want = "### Plan: 1 delete, 2 prune, 1 create, 4 upgrade, 1 publish, 1 unchanged; 4 conflicts.\n\n" +
		"Over `the cluster prod`, namespace `fleet`, planned at 2026-11-23 12:00 UTC.\n" +
		"\n" +
		"#### Look at these first\n\n" +
		"| action | variant | package | upstream | files | then |\n|---|---|---|---|---|---|\n| **delete** | `osl` | `osl/web` |  |  | `let the variant go` |\n" +
		"| **create, prune** | `rom` | `rom/web` |  |  | `delete old.web.v1; UpToDate` |\n| **upgrade, prune** | `par` | `par/web` | `b.web.v1 -> b.web.v2` | 2 | `propose the deletion of par.web.v0; UpToDate (Draft)` |\n" +
		"| **upgrade, publish** | `ldn` | `ldn/web` | `b.web.v1 -> b.web.v2` | 2 | `approve it; UpToDate (Published)` |\n" +
		"\n" +
		"#### Conflicts\n\n" +
		"Conflict of all 4 packages:\n\n" +
		"```diff\nspec.replicas of a.yaml: here \"5\", upstream \"2\"; the merge took the upstream's\n```\n\n" +
		"> `a note`\n\n" +
		"#### PackageVariantSet `sites`\n\n" +
		"creates 0, updates 3 and deletes 1 variant. Then `RolloutAwaitingApproval: approve it by the annotation x=y; it is old`\n" +
		"\n" +
		"| wave | then | targets | updated | reached | failed | |\n|---|---|---|---|---|---|---|\n| `all` | `AwaitingApproval` | 3 | 3 | 3 | 0 | `3 of 3` |\n" +
		"\n" +
		"#### What else changes, and what waits\n\n" +
		"| action | variant | package | upstream | files | then |\n|---|---|---|---|---|---|\n| **upgrade** | `ams` | `ams/web` | `b.web.v1 -> b.web.v2` | 2 | `UpToDate (Draft)` |\n" +
		"| **upgrade** | `fra` | `fra/web` | `b.web.v1 -> b.web.v2` | 2 | `UpToDate (Draft)` |\n\n" +
		"Unchanged: 1 variant.\n\n" +
		"<details><summary>Change 1 of all 4 packages, in <code>Kptfile</code></summary>\n\n" +
		"```diff\n- v1\n+ v2\n```\n\n</details>\n\n" +
		"<details><summary>Change 2 of <code>ams/web, ldn/web, par/web</code>, in <code>a.yaml</code></summary>\n\n" +
		"```diff\n- 1\n+ 2 ‹x›\n‹x›: eu 2, us 1\n```\n\n</details>\n\n" +
		"<details><summary>Change 3 of <code>fra/web</code>, in <code>a.yaml</code></summary>\n\n" +
		"```diff\n- 1\n+ 3\n```\n\n</details>\n"
	var out bytes.Buffer
	if err := Markdown(&out, busy()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("comment (-want +got):\n%s", diff)
	}
}

// TestTextFirst checks what the text shows first: what is deleted, then what is published, whatever else is done.
func TestTextFirst(t *testing.T) {
	t.Parallel()
	const want = `ACTION            VARIANT  PACKAGE  DRAFT       UPSTREAM              FILES  THEN
` + red + `delete            osl      osl/web  -           -                     -      let the variant go` + plain + `
` + red + `create, prune     rom      rom/web  -           -                     -      delete old.web.v1; UpToDate` + plain + `
` + red + `upgrade, prune    par      par/web  par.web.v2  b.web.v1 -> b.web.v2  2      propose the deletion of par.web.v0; UpToDate (Draft)` + plain + `
` + green + `upgrade, publish  ldn      ldn/web  ldn.web.v2  b.web.v1 -> b.web.v2  2      approve it; UpToDate (Published)` + plain + `
` + yellow + `upgrade           ams      ams/web  ams.web.v2  b.web.v1 -> b.web.v2  2      UpToDate (Draft)` + plain + `
` + yellow + `upgrade           fra      fra/web  fra.web.v2  b.web.v1 -> b.web.v2  2      UpToDate (Draft)` + plain + `
unchanged         same     -        -           -                     -      not looked at yet
`
	var out bytes.Buffer
	if err := Text(&out, busy(), Options{Colour: true}); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out.String(), "\n\n")
	got, _, _ = strings.Cut(got, "\n\n")
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got+"\n", "\n")); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestPageFirst checks what the page shows before the fleet: what is deleted and published, and each
// conflict and each change once.
func TestPageFirst(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := HTML(&out, busy()); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{
		`<p><span class="state bad">create, prune</span> <a href="#n9" data-name="rom/web rom" data-state="create">rom/web</a></p>`,
		`<p><span class="state bad">upgrade, prune</span> <a href="#n6" data-name="par/web par" data-state="upgrade">par/web</a></p>`,
		`<li>propose the deletion of par.web.v0</li>`,
		`<p><span class="state bad">delete</span> <a href="#n7" data-name="osl/web osl" data-state="delete">osl/web</a></p>`,
		`<p><span class="state new">upgrade, publish</span> <a href="#n5" data-name="ldn/web ldn" data-state="upgrade">ldn/web</a></p>`,
		`<h3>conflict 1 <span class="dim">4 packages, a.yaml</span></h3>`, `<h3>change 2 <span class="dim">3 packages, a.yaml</span></h3>`,
		`<p class="names"><a href="#n3">ams/web</a> <a href="#n5">ldn/web</a> <a href="#n6">par/web</a> </p>`,
		`<p class="dim">‹x›: eu 2, us 1</p>`,
		`<span class="detail">Draft, 2 of 3 files, compared with ams.web.v1</span>`,
		`<span class="state wait">then AwaitingApproval</span>`,
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("there is not one %s", want)
		}
	}
	if diffs := strings.Count(text, "<pre>"); diffs != 4 {
		t.Errorf("it shows %d differences, want each of the 4 once", diffs)
	}
	if strings.Contains(text, "up to date with") {
		t.Error("it says of what is up to date with what")
	}
}
