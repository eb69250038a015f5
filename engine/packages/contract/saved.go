// SPDX-License-Identifier: Apache-2.0

package contract

import (
	"maps"
	"strings"
)

// changed are settings that differ from those of the blueprint.
var changed = map[string]string{"settings.yaml": strings.ReplaceAll(first["settings.yaml"], "none", "a")}

// save saves changed files, removed ones and new ones, and comments in the Kptfile.
func save(p *play) {
	name := p.cloned()
	before := p.read(name)
	files := with(before.Files, changed)
	files["added.txt"], files["Kptfile"] = "added", commented(before.Files)
	delete(files, "notes.txt")
	saved, err := p.Save(p.ctx, before, files)
	p.must(err)
	p.tell(name)
	now := p.read(name)
	p.say("the answer has the files that are read then: %t", maps.Equal(saved.Files, now.Files))
	p.say("and their version: %t; the version has changed: %t", saved.Version == now.Version,
		now.Version != before.Version)
	p.say("the revision has the same version: %t", p.get(name).Version == now.Version)
}

// saveKptfile saves Kptfiles with all that others write there: gates, conditions, comments and a second document.
func saveKptfile(p *play) {
	name := p.cloned()
	files := p.read(name).Files
	p.edit(p.Lister, name, map[string]string{
		"Kptfile": "# ours\n" + commented(files) + "  readinessGates: # wait\n  - conditionType: reviewed\n" +
			"status:\n  conditions:\n  - type: reviewed # by us\n    status: \"False\"\n",
		"inner/Kptfile": "# inner\n" + kptfileOf("inner") + "---\n# beside\napiVersion: v1\nkind: ConfigMap\n" +
			"metadata: {name: beside}\n",
	})
	p.tell(name)
}

// saveNothing saves what was read.
func saveNothing(p *play) {
	name := p.cloned()
	p.edit(p.Lister, name, changed)
	before := p.read(name)
	saved, err := p.Save(p.ctx, before, before.Files)
	p.must(err)
	p.say("the files are the same: %t", maps.Equal(saved.Files, before.Files))
	p.say("the version is the same: %t", saved.Version == before.Version)
}

// saveStale saves what was read before another client saved.
func saveStale(p *play) {
	name := p.cloned()
	before := p.read(name)
	p.edit(p.Others, name, map[string]string{"theirs.txt": "theirs\n"})
	_, err := p.Save(p.ctx, before, with(before.Files, changed))
	p.answered("save", err)
	after := p.read(name).Files
	p.say("theirs is there: %t; ours is there: %t", after["theirs.txt"] != "",
		strings.Contains(after["settings.yaml"], "zone: a"))
	p.edit(p.Lister, name, changed)
	p.say("saved again, both are there: %t", p.read(name).Files["theirs.txt"] != "")
}

// saveLock saves a Kptfile that says that the package is derived from another revision.
func saveLock(p *play) {
	name := p.cloned()
	p.Publish(upstream, "v2", second)
	files := p.read(name).Files
	moved := strings.ReplaceAll(files["Kptfile"], "ref: web/v1", "ref: web/v2")
	p.edit(p.Lister, name, map[string]string{"Kptfile": moved})
	p.tellOf(p.get(name))
}

// saveOdd saves files that are read in more than one way.
func saveOdd(p *play) {
	name := p.cloned()
	p.edit(p.Lister, name, map[string]string{
		"empty.txt":     " ",
		"windows.txt":   "a\r\nb\r\n",
		"windows.yaml":  "apiVersion: v1\r\nkind: ConfigMap\r\nmetadata:\r\n  name: windows\r\n",
		"unicode.txt":   "naïve ☃\n",
		"comments.yaml": "# only a comment\n",
		"two.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n---\n# b\n" +
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n",
		"deep/down/x.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n    name: indented\n" +
			"data:\n    list: |\n        - a\n",
		"list.yaml":          "apiVersion: v1\nkind: X\nmetadata:\n  name: list\nspec:\n- a\n-   b\n",
		"without-newline.md": "# title",
	})
	p.tell(name)
	p.publishes(name)
	p.say("the same, published:")
	p.tellFiles(p.read(name).Files)
}

// saveNotText saves a file that is not text in UTF-8, and reads it.
func saveNotText(p *play) {
	name := p.cloned()
	p.edit(p.Lister, name, map[string]string{"latin1.txt": "caf\xe9\n"})
	_, err := p.Read(p.ctx, p.Namespace, name)
	p.answered("read", err)
}

// saveBad saves files that no package can have.
func saveBad(p *play) {
	name := p.cloned()
	for _, bad := range []struct{ what, file, text string }{
		{"YAML that is none", "bad.yaml", "a: [\n"},
		{"no Kptfile", "Kptfile", ""},
		{"a Kptfile that is none", "Kptfile", "nothing\n"},
		{"JSON that is no resource", "values.json", "{\"a\": 1}\n"},
		{"a name with a space", "a b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"},
		{"a path outside of the package", "../x.txt", "x\n"},
	} {
		before := p.read(name)
		_, err := p.Save(p.ctx, before, with(before.Files, map[string]string{bad.file: bad.text}))
		p.answered(bad.what, err)
		p.say("  the files stay: %t", maps.Equal(p.read(name).Files, before.Files))
	}
}

// saveLarge saves a large file, and one that is too large.
func saveLarge(p *play) {
	name := p.cloned()
	p.edit(p.Lister, name, map[string]string{"large.txt": strings.Repeat("0123456789abcde\n", 1<<16)})
	p.say("1 MiB: %d bytes are read", len(p.read(name).Files["large.txt"]))
	before := p.read(name)
	_, err := p.Save(p.ctx, before, with(before.Files,
		map[string]string{"large.txt": strings.Repeat("0123456789abcde\n", 1<<20)}))
	p.answered("16 MiB", err)
	p.say("%d bytes are read", len(p.read(name).Files["large.txt"]))
}

// savePipeline saves a pipeline with a function that nobody has.
func savePipeline(p *play) {
	name := p.cloned()
	before := p.read(name)
	_, err := p.Save(p.ctx, before, with(before.Files, map[string]string{
		"Kptfile": before.Files["Kptfile"] + "pipeline:\n  mutators:\n    - image: registry.example.com/nobody:v1\n"}))
	p.answered("save", err)
	p.say("the files stay: %t", maps.Equal(p.read(name).Files, before.Files))
}

// savePublished saves to a revision that is proposed, and then published.
func savePublished(p *play) {
	name := p.cloned()
	p.move(p.Lister, name, "Proposed")
	before := p.read(name)
	_, err := p.Save(p.ctx, before, with(before.Files, changed))
	p.answered("proposed", err)
	p.move(p.Others, name, "Published")
	before = p.read(name)
	_, err = p.Save(p.ctx, before, with(before.Files, changed))
	p.answered("published", err)
	p.say("the files stay: %t", maps.Equal(p.read(name).Files, before.Files))
}

// saveUnanswered saves, and gets no answer although it is done.
func saveUnanswered(p *play) {
	name := p.cloned()
	before := p.read(name)
	p.LoseAnswer()
	_, err := p.Save(p.ctx, before, with(before.Files, changed))
	p.answered("save", err)
	p.say("it is saved: %t", strings.Contains(p.read(name).Files["settings.yaml"], "zone: a"))
	_, err = p.Save(p.ctx, before, with(before.Files, changed))
	p.answered("save again, as it was read first", err)
}
