// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/fleet/fleettest"
	"github.com/package-variants/package-variants/local/programs"
	"github.com/spf13/cobra"
)

// TestDiff compares a draft with nothing, with what is published, and with the upstream.
func TestDiff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fleettest.Web)
	if got := w.run(exitDiffers, "diff", draft1); !strings.Contains(got, "\n+++ b/"+draft1+"/settings.yaml\n") {
		t.Error(got)
	}
	w.run(exitDone, "approve", "web", "--yes")
	w.run(exitDone, "sync", w.dir())
	w.Equal("no draft", "web has no draft: "+draft1+" is published\n", w.run(exitDone, "diff", "web"))
	w.Push("main", "Hotfix, and version 2", map[string]string{"edge/web/settings.yaml": fleettest.Settings("mine"),
		"blueprints/web/settings.yaml": fleettest.Settings("huge")}, "HEAD:refs/tags/blueprints/web/v2")
	w.run(exitDone, "sync", w.dir())
	got := w.run(exitDiffers, "diff", "web")
	for _, want := range []string{"+    ref: blueprints/web/v2\n", `conflict in settings.yaml, ConfigMap "settings", data.size
  original: small
  local:    mine  (in the draft)
  updated:  huge
`} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in %s", want, got)
		}
	}
	if got := w.run(exitDiffers, "diff", "web", "--against", "upstream"); !strings.Contains(got, "-  size: huge\n+  size: mine\n") {
		t.Error(got)
	}
	w.Push("drafts/edge/web/packagevariant-2", "Resolve", map[string]string{"edge/web/settings.yaml": fleettest.Settings("huge")})
	if got := w.run(exitDiffers, "diff", "web"); !strings.Contains(got, "  local:    mine\n  updated:  huge  (in the draft)\n") {
		t.Error(got)
	}
	w.run(exitDone, "sync", w.dir())
	if got := w.run(exitDiffers, "diff", "web"); strings.Contains(got, "conflict in") {
		t.Error(got)
	}
	w.Equal("against", "error: --against \"x\" is neither published nor upstream\n", w.run(exitError, "diff", "web", "--against", "x"))
}

// TestDiffOfSet shows what is different in the drafts of a set, and compares nothing else.
func TestDiffOfSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fleettest.WebSet)
	w.run(exitDone, "sync", w.dir())
	w.run(exitDone, "approve", "edge/web", "--yes")
	w.run(exitDone, "sync", w.dir())
	w.Equal("nothing", "", w.run(exitDone, "diff", "--set", "webs"))
	w.Push("main", "Hotfix, and version 2", map[string]string{"edge/web/settings.yaml": fleettest.Settings("mine"),
		"blueprints/web/settings.yaml": strings.Replace(fleettest.Settings("huge"), "zone: none", "zone: edge", 1)},
		"HEAD:refs/tags/blueprints/web/v2")
	w.run(exitDone, "sync", w.dir())
	w.Equal("a draft", `1 package, 1 change, 1 conflict

CONFLICT  1: edge/web
  data.size of ConfigMap "settings" in settings.yaml: here "mine", upstream "huge"; the merge kept its own
CHANGE 1  1: edge/web, in settings.yaml
  -   zone: none
  +   zone: edge
`, w.run(exitDiffers, "diff", "--set", "webs"))
	for args, want := range map[string]string{
		"--set web": `error: there is no PackageVariantSet "web" in the namespace "default": did you mean "webs"?`,
		"":          "error: diff takes one draft, or variant, or --set: write variants diff [DRAFT]",
		"a --set b": "error: diff takes one draft, or variant, or --set: write variants diff [DRAFT]"} {
		w.Equal(args, want+"\n", w.run(exitError, append([]string{"diff"}, strings.Fields(args)...)...))
	}
}

// TestTrace shows the tree of a set, with the waves of its rollout.
func TestTrace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fleettest.WebSet+"  rollout: {waves: [{name: first, selector: {matchLabels: {tier: edge}}}]}\n")
	ages := regexp.MustCompile(`  +`)
	got := ages.ReplaceAllString(regexp.MustCompile(`\b\d+s\b`).ReplaceAllString(w.run(exitDone, "trace", "blueprints/web"), "AGE"), " ")
	w.Equal("tree", `OBJECT REVISION STATE REASON AGE MESSAGE
Package blueprints/web v1 Published - AGE
└─ PackageVariantSet webs - Reconciling RolloutProgressing AGE wave first (1 of 1): 0 of 1 targets are Published with blueprints.web.v1, 1 waiting for...
 └─ Wave first - Progressing 0/1 AGE 0 of 1 targets are Published with blueprints.web.v1, 1 waiting for a person: webs-edge-...
 └─ PackageVariant webs-edge-web-akg5t4nb51 v1 Ready UpToDate AGE
 └─ PackageRevision edge.web.packagevariant-1 - Draft clone AGE made from blueprints.web.v1
`, got)
	w.Equal("format", "error: --output \"x\" is none of dot, json, text, wide\n", w.run(exitError, "trace", "web", "-o", "x"))
}

// TestStatus shows where the package of a set stands: it waits for a person, is published, and has a conflict. One of its
// waves selects nothing.
func TestStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fleettest.WebSet+"  rollout: {waves: [{name: cannary, selector: {matchLabels: {tier: egde}}}]}\n")
	spaces, ages := regexp.MustCompile(`  +`), regexp.MustCompile(`\b\d+m?s\b`)
	shown := func(args ...string) string {
		refs := w.Remote.Refs()
		out := w.run(exitDone, append([]string{"status", w.dir()}, args...)...)
		w.Equal("it writes nothing", refs, w.Remote.Refs())
		_, out, _ = strings.Cut(ages.ReplaceAllString(out, "AGE"), "\n\n")
		return spaces.ReplaceAllString(out, "  ")
	}
	const note = "Note: the wave cannary of the PackageVariantSet webs selects no target: correct its selector, or give " +
		"targets the labels\n"
	const head = "PACKAGE  SET  WAVE  STATE  PUBLISHED  FROM  NEWEST  WAITS FOR  SINCE  DRAFT\n"
	w.Equal("a draft", head+"edge/web  webs  rest  draft  -  -  v1  a person (ManualApproval)  AGE  drafts/edge/web/packagevariant-1\n"+
		"1 package: 1 draft\n"+note, shown())
	w.Equal("another wave", "0 packages: none\n"+note, shown("--set", "webs", "--wave", "cannary"))
	w.run(exitDone, "approve", "edge/web", "--yes")
	w.run(exitDone, "sync", w.dir())
	w.Equal("published", head+"edge/web  webs  rest  newest  v1  v1  v1  -  -  -\n1 package: 1 newest\n"+note, shown())
	if got := w.run(exitDone, "plan", w.dir()); !strings.HasSuffix(got, note) {
		t.Errorf("the plan does not say which wave selects nothing: %s", got)
	}
	w.Push("main", "Hotfix, and version 2", map[string]string{"edge/web/settings.yaml": fleettest.Settings("mine"),
		"blueprints/web/settings.yaml": fleettest.Settings("huge")}, "HEAD:refs/tags/blueprints/web/v2")
	w.run(exitDone, "sync", w.dir())
	w.Equal("a conflict", head+
		"edge/web  webs  rest  conflicted  v2  v1  v2  a person (Conflicted)  AGE  drafts/edge/web/packagevariant-2\n"+
		`edge/web: conflict: data.size of ConfigMap "settings" in settings.yaml: here "mine", upstream "huge"; the merge kept its own`+
		"\n1 package: 1 conflicted\n"+note, shown("--set", "webs", "-n", "default"))
	w.Equal("another namespace", "0 packages: none\n", w.run(exitDone, "status", w.dir(), "-n", "other"))
	if got := w.run(exitDone, "status", w.dir(), "-o", "json"); !strings.Contains(got, `"branch": "drafts/edge/web/packagevariant-2"`) {
		t.Error(got)
	}
	if got := w.run(exitDone, "status", w.dir(), "-o", "html"); !strings.Contains(got, `title="edge/web: conflicted, v2 on v1, newest v2"`) {
		t.Error(got)
	}
	for args, want := range map[string]string{
		"-o yaml":               `--output "yaml" is none of text, json, html`,
		"--set web":             `there is no PackageVariantSet "web" in the namespace "default": did you mean "webs"?`,
		"--wave rest":           "--wave is of a set: name it by --set",
		"--set webs --wave all": `the PackageVariantSet "webs" has no wave "all": it has cannary, rest`,
		"-l a=b=c":              `--selector "a=b=c" is not one: found '=', expected: ',' or 'end of string'`,
	} {
		w.Equal(args, "error: "+want+"\n", w.run(exitError, append([]string{"status", w.dir()}, strings.Fields(args)...)...))
	}
}

// TestNotContacted has a proposal that names another git repository: each command says that it is not contacted.
func TestNotContacted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fleettest.Web)
	const address = "https://git.invalid/x.git"
	w.Push("proposal", "Propose", map[string]string{"fleet/new.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\n" +
		"metadata: {name: new}\nspec: {type: git, git: {repo: \"" + address + "\"}}\n"})
	w.People.Checkout("proposal")
	const note = "note: " + address + " is not contacted before it is merged; --allow " + address + " plans it\n"
	for _, args := range [][]string{{"trace", "web"}, {"diff", "web"}, {"reject", "web", "-y"}, {"approve", "web", "-y"}} {
		var out bytes.Buffer
		code := Run(t.Context(), append(args, "--cache", w.Cache, "--dir", w.dir()), programs.Streams{Out: &out, Err: &out})
		if code != exitDiffers || !strings.HasSuffix(out.String(), note) {
			t.Errorf("%v: %d: %s", args, code, out.String())
		}
	}
}

// TestAboutItself has the program complete its own arguments, and say its version.
func TestAboutItself(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{"# bash completion V2 for variants": {"completion", "bash"},
		"variants ": {"--version"}} {
		var out bytes.Buffer
		if code := Run(t.Context(), args, programs.Streams{Out: &out, Err: &out}); code != exitDone || !strings.HasPrefix(out.String(), want) {
			t.Error(code, out.String())
		}
	}
}

// TestExamples checks that the help of each command has examples, and that the command accepts them.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, of := range New(programs.Streams{}).Commands() {
		count := 0
		for line := range strings.Lines(of.Example) {
			_, after, found := strings.Cut(line, "variants ")
			if strings.HasPrefix(strings.TrimSpace(line), "#") || !found {
				continue
			}
			count++
			root, ran := New(programs.Streams{}), false
			for _, cmd := range root.Commands() {
				cmd.RunE = func(cmd *cobra.Command, _ []string) error { ran = cmd.Name() == of.Name(); return nil }
			}
			after, _, _ = strings.Cut(after, " > ")
			root.SetArgs(strings.Fields(after))
			if err := root.ExecuteContext(t.Context()); err != nil || !ran {
				t.Errorf("variants %s: ran %v, %v", after, ran, err)
			}
		}
		if count == 0 || of.Long == "" || of.Short == "" {
			t.Errorf("%s has no examples or no description", of.Name())
		}
	}
}
