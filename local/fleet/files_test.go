// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
)

// TestForeignFiles has an upstream with files of other tools: a clone and an upgrade have them byte for byte, and nobody
// has changed them.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"chart/templates/x.yaml":    "{{ if .Values.x }}\nfoo: bar\n{{ end }}\n",
		"chart/templates/y.yaml":    "{{- include \"common\" . }}\na: b\n",
		"chart/templates/name.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.name }}\n",
		"chart/values.yaml":         "# Values of the chart\n# replicas: 3\n",
		"line-ends.yaml":            "a:   1\r\nb:   2\r\n",
	}
	publish := func(w *world, version string) {
		pushed := map[string]string{}
		for name, text := range files {
			pushed["blueprints/web/"+name] = text
		}
		w.Push("main", "Version "+version, pushed, "HEAD:refs/tags/blueprints/web/v"+version)
	}
	same := func(w *world, draft string) {
		for name, text := range files {
			w.Equal(name, text, w.Remote.Git("show", strings.TrimPrefix(draft, "heads/")+":edge/web/"+name))
		}
	}
	w := newWorld(t, web)
	publish(w, "2")
	w.Equal("cloned", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(w.sync()))
	same(w, draft1)
	w.Merge(strings.TrimPrefix(draft1, "heads/"))
	w.sync()
	for name, text := range maps.Clone(files) {
		files[name] = strings.NewReplacer("bar", "baz", "3", "4", "a:", "c:", "name:", "title:").Replace(text)
	}
	publish(w, "3")
	report := w.sync()
	w.Equal("upgraded", []string{"web: UpToDate v1 edge.web.packagevariant-2"}, lines(report))
	w.Equal("conflicts", "", report.Variants[0].Conflicted)
	same(w, draft2)
	w.idle()
}

// TestLinkOfBoth has a person lead a symbolic link elsewhere that the upstream makes a file: no upgrade is published
// without a person.
func TestLinkOfBoth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"  approvalPolicy: Automatic\n")
	link := func(to, name string, refs ...string) {
		w.People.Update()
		file := w.People.Dir + "/" + name
		_ = os.Remove(file)
		if err := os.Symlink(to, file); err != nil {
			t.Fatal(err)
		}
		w.People.Push("Link", nil, refs...)
	}
	link("settings.yaml", "blueprints/web/link", "HEAD:refs/heads/main", "HEAD:refs/tags/blueprints/web/v2")
	w.sync()
	link("Kptfile", "edge/web/link", "HEAD:refs/heads/main")
	w.Equal("changed", []string{"web: UpToDate v2"}, lines(w.sync()))
	w.People.Update()
	w.People.Git("rm", "-q", "blueprints/web/link")
	w.People.Push("A file", map[string]string{"blueprints/web/link": "text"}, "HEAD:refs/heads/main",
		"HEAD:refs/tags/blueprints/web/v3")
	report := w.sync()
	w.Equal("upgraded", []string{"web: UpToDate v2 edge.web.packagevariant-2"}, lines(report))
	w.Equal("where it leads", "Kptfile", w.Remote.Git("show", strings.TrimPrefix(draft2, "heads/")+":edge/web/link"))
	w.Equal("it says so", true, strings.Contains(report.Variants[0].Message, "symbolic link (link)"))
	w.idle()
}

// TestFilesNotTaken names the file of an upstream that is not worked on, in a clone and in an upgrade.
func TestFilesNotTaken(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
	unread := func(why string) string {
		return "cannot read the Kptfile: " + why + ": correct it, and publish that as another version"
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"a control character": {"a\nb.yaml", "a: b\n", `"a\nb.yaml" is the path of a file, which has control characters in ` +
			`it: rename the file`},
		"a field of another type":    {"Kptfile", head + "inventory: [a]\n", unread("inventory, in line 5, is not a map")},
		"a pipeline of another type": {"Kptfile", head + "pipeline: 5\n", unread("pipeline, in line 5, is not a map")},
		"a function and what is none": {"Kptfile", head + "pipeline:\n  mutators:\n  - image: set-labels:v1\n  - x\n",
			unread("pipeline.mutators[1], in line 8, is not a map")},
		"another kind": {"Kptfile", "apiVersion: v1\nkind: ConfigMap\n", `blueprints/web/Kptfile: it is of the kind "ConfigMap", not ` +
			"Kptfile: correct it, and publish that as another version"},
		"empty": {"Kptfile", "\n", "blueprints/web/Kptfile: it is empty: correct it, and publish that as another version"},
	} {
		for _, of := range []string{"v1", "v2"} {
			t.Run(name+"/"+of, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, web)
				if of == "v2" {
					w.sync()
				}
				w.Push("main", "A version", map[string]string{"blueprints/web/" + c.file: c.text},
					"+HEAD:refs/tags/blueprints/web/"+of)
				report := w.sync()
				w.Equal("refused", "PackageRefused", report.Variants[0].Reason)
				w.Equal("why", "blueprints.web."+of+" is not worked on: "+c.want, report.Variants[0].Message)
			})
		}
	}
}

// TestUnknownFields has a blueprint with fields of a newer kpt in its Kptfile, and a person add one of the package: they
// stay in the clone and in the upgrade, which brings another value.
func TestUnknownFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	kptfile := func(number string) string {
		return "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\ninfo:\n  newer: {a: [" + number +
			"]}\npipeline:\n  resourceFileRegexp: ^[a-" + number + "]\nnewest: " + number + "\n"
	}
	w.Push("main", "Version 1, anew", map[string]string{"blueprints/web/Kptfile": kptfile("1")},
		"+HEAD:refs/tags/blueprints/web/v1")
	w.Equal("cloned", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(w.sync()))
	w.Merge(strings.TrimPrefix(draft1, "heads/"))
	text := w.Remote.Git("show", "main:edge/web/Kptfile")
	w.Push("main", "Keep nulls", map[string]string{"edge/web/Kptfile": strings.Replace(text, "upstream:\n  type: git\n",
		"upstream:\n  type: git\n  preserveExplicitNull: true\n", 1)})
	w.sync()
	w.Push("main", "Version 2", map[string]string{"blueprints/web/Kptfile": kptfile("2")},
		"HEAD:refs/tags/blueprints/web/v2")
	w.sync()
	got := w.Remote.Git("grep", "-hE", "newe|Regexp|Null", "drafts/edge/web/packagevariant-2", "--", "edge/web/Kptfile")
	w.Equal("upgraded", "  preserveExplicitNull: true\n  newer: {a: [2]}\n  resourceFileRegexp: ^[a-2]\nnewest: 2\n", got)
}

// TestDraftNotTaken has a file on the branch of a draft that is not worked on: the draft waits for a person, whether the
// branch goes or is merged, and other packages are kept in step.
func TestDraftNotTaken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(w *world)
		want string
	}{
		"rejected": {func(w *world) { w.People.Git("push", "-q", "origin", ":refs/"+draft1) }, "web: Rejected"},
		"merged":   {func(w *world) { w.Merge(strings.TrimPrefix(draft1, "heads/")) }, "web: PackageRefused v1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, web)
			w.sync()
			w.Push(strings.TrimPrefix(draft1, "heads/"), "A file", map[string]string{"edge/web/a\x1b.yaml": "a: b\n"})
			w.Equal("refused", "web: PackageRefused  edge.web.packagevariant-1", lines(w.sync())[0])
			c.end(w)
			w.Equal("ended", c.want, lines(w.sync())[0])
			w.idle()
		})
	}
}

// TestHotfixNotTaken has a hotfix with a file that is not worked on come below an open draft, which nobody has edited, or
// a person has: the variant names the file, and nothing is published, until it is corrected.
func TestHotfixNotTaken(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"Manual", "Automatic"} {
		for _, edited := range []bool{false, true} {
			t.Run(fmt.Sprint(policy, edited), func(t *testing.T) {
				t.Parallel()
				w := published(t, web)
				w.secondVersion()
				w.sync()
				if edited {
					w.Push(strings.TrimPrefix(draft2, "heads/"), "Edit", map[string]string{"edge/web/more.yaml": "kind: More\n"})
				}
				w.Push("main", "A hotfix", map[string]string{"edge/web/logo": "\xff\xfe",
					"fleet/web.yaml": web + "  approvalPolicy: " + policy + "\n"})
				report := w.sync()
				w.Equal("refused", []string{"web: PackageRefused v2 edge.web.packagevariant-2", "PackageVariant default/web: " +
					"edge.web.main is not worked on: logo is not text in UTF-8: convert it, or take it out of the package"}, lines(report))
				w.Equal("notes", []string(nil), report.Notes)
				w.idle()
				w.Push("main", "Correct it", map[string]string{"edge/web/logo": "text\n"})
				want := "web: UpToDate v3 edge.web.packagevariant-2"
				if policy == "Automatic" && !edited {
					want = "web: UpToDate v4"
				}
				w.Equal("corrected", []string{want}, lines(w.sync()))
				w.idle()
			})
		}
	}
}
