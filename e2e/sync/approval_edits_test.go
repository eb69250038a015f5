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

// TestPersonPublishesBeside has a person publish a draft of their own while the variant has one open. The variant's
// draft was not made from that revision and would revert it, and no person has seen that.
func TestPersonPublishesBeside(t *testing.T) {
	w := newWorld(t)
	w.needsSecondClone()
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain))
	c := w.start()
	w.target("web")
	beside := w.cloneByHand("web", "mine")
	w.WriteFiles(beside, mine)
	w.publish(beside)
	w.quiet(c)
	w.Apply(newVariant("web", plain, automatic))
	w.neverIs("edge.web.packagevariant-1", isPublished)
}

// TestPersonPublishesFirst has a person publish an edit of what the variant has published. The variant's next draft is
// made from that revision, so the controller may publish it.
func TestPersonPublishesFirst(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	w.Publish("blueprints", "web", "v2", settingsB("9"))
	for _, name := range []string{"edit", "upgrade"} {
		w.Apply(newVariant(name, contextOnly, automatic))
	}
	c := w.start()
	for _, name := range []string{"edit", "upgrade"} {
		w.waitLifecycle("edge."+name+".packagevariant-1", isPublished)
		w.publish(w.Draft("edge", name, "mine", mine).Name)
		w.waitTarget(name, "edge."+name+".mine")
	}
	w.quiet(c)
	w.Apply(newVariant("edit", contextOnly, automatic, zone), newVariant("upgrade", contextOnly, automatic, revision(2)))
	for _, name := range []string{"edit", "upgrade"} {
		next := "edge." + name + ".packagevariant-2"
		w.waitLifecycle(next, isPublished)
		w.waitFile(next, "notes.md", "mine\n") // Porch's database has the lifecycle before all files are written again
	}
}
