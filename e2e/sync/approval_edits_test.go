// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"regexp"
	"strings"
	"testing"
)

// TestKptfileEdits edits the Kptfiles of drafts in all kinds of ways: each is an edit, and waits for a person.
func TestKptfileEdits(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	files := simple()
	files["Kptfile"] = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\ninfo:\n  description: web\n" +
		"  readinessGates:\n  - conditionType: checked\nstatus:\n  conditions:\n  - type: checked\n    status: \"True\"\n"
	files["sub/Kptfile"] = strings.Replace(files["Kptfile"], "name: web", "name: sub", 1)
	w.Publish("blueprints", "web", "v1", files)
	replace := func(from, to string) func(string) string {
		return func(s string) string { return strings.Replace(s, from, to, 1) }
	}
	gate := regexp.MustCompile(`  readinessGates:\n *- conditionType: checked\n`) // Porch indents it, or not
	const document = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: hidden\n"
	edits := map[string]func(string) string{
		"second-document": func(s string) string { return s + "---\n" + document },
		"end-comment":     func(s string) string { return s + "# mine\n" },
		"head-comment":    func(s string) string { return "# mine\n" + s },
		"line-comment":    replace("kind: Kptfile\n", "kind: Kptfile # mine\n"),
		"status-comment":  replace("status:\n", "status: # mine\n"),
		"site":            replace("info:\n", "info:\n  site: https://mine.example.com\n"),
		"gate-removed":    func(s string) string { return gate.ReplaceAllString(s, "") },
		"sub-site":        replace("info:\n", "info:\n  site: https://mine.example.com\n"),
		"sub-document":    func(s string) string { return s + "---\n" + document },
		"sub-conditions":  replace(`status: "True"`, `status: "False"`),
		"gate-renamed":    replace("conditionType: checked", "conditionType: mine"),
	}
	for name := range edits {
		w.Apply(newVariant(name, plain))
	}
	c := w.start()
	for name, edit := range edits {
		draft, file := w.target(name), "Kptfile"
		if strings.HasPrefix(name, "sub-") {
			file = "sub/Kptfile"
		}
		before := w.Files(draft)[file]
		w.WriteFiles(draft, map[string]string{file: edit(before)})
		added := strings.Contains(edit(before), "mine") || strings.Contains(edit(before), "hidden")
		after := w.Files(draft)[file]
		if after == before || added && !strings.Contains(after, "mine") && !strings.Contains(after, "hidden") {
			t.Logf("%s: Porch keeps no such edit:\n%s\n%s", name, before, after)
			delete(edits, name)
		}
	}
	if len(edits) == 0 {
		t.Fatal("Porch keeps none of the edits, so nothing is tested")
	}
	w.quiet(c)
	for name := range edits {
		w.Apply(newVariant(name, plain, automatic))
	}
	w.quiet(c)
	for name := range edits {
		if r := w.Revision("edge." + name + ".packagevariant-1"); r.Spec.Lifecycle != isDraft {
			t.Errorf("%s: it is %s:\n%s", name, r.Spec.Lifecycle, w.Files(r.Name)["Kptfile"])
		}
	}
}
