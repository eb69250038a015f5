// SPDX-License-Identifier: Apache-2.0

package contract

import (
	"strings"

	"github.com/package-variants/package-variants/engine/revision"
)

// scenarios are the scenarios, in the order of a package's life.
var scenarios = []scenario{
	{"clone", clone},
	{"clone-plain", clonePlain},
	{"clone-nested", cloneNested},
	{"clone-marked", cloneMarked},
	{"clone-again", cloneAgain},
	{"clone-of-draft", cloneOfDraft},
	{"clone-of-branch", cloneOfBranch},
	{"edit", edit},
	{"upgrade", upgrade},
	{"upgrade-both-changed", upgradeBothChanged},
	{"upgrade-removed", upgradeRemoved},
	{"ask-again", askAgain},
	{"ask-of-nothing", askOfNothing},
	{"ask-unanswered", askUnanswered},
	{"save", save},
	{"save-kptfile", saveKptfile},
	{"save-nothing", saveNothing},
	{"save-stale", saveStale},
	{"save-lock", saveLock},
	{"save-odd", saveOdd},
	{"save-not-text", saveNotText},
	{"save-bad", saveBad},
	{"save-large", saveLarge},
	{"save-pipeline", savePipeline},
	{"save-published", savePublished},
	{"save-unanswered", saveUnanswered},
	{"publish", publish},
	{"publish-again", publishAgain},
	{"reject", reject},
	{"move-stale", moveStale},
	{"move-wrong", moveWrong},
	{"move-unanswered", moveUnanswered},
	{"delete", deleted},
	{"delete-published", deletePublished},
	{"delete-unanswered", deleteUnanswered},
	{"own", own},
	{"own-stale", ownStale},
	{"own-published", ownPublished},
	{"absent", absent},
	{"published-anew", publishedAnew},
	{"number-anew", numberAnew},
	{"nested", nested},
	{"pushed", pushed},
	{"erased", erased},
	{"registered-anew", registeredAnew},
	{"seen", seen},
	{"shared", shared},
}

// clone is of a published revision into a Repository for deployments.
func clone(p *play) {
	p.tell(p.cloned())
}

// clonePlain is of one into a Repository that is not for deployments.
func clonePlain(p *play) {
	source := p.Publish(upstream, "v1", first)
	r, err := p.Ask(p.ctx, p.draft(revision.Package{Repo: "blueprints", Name: "shop"}, "one",
		revision.Task{Type: revision.Clone, Source: source}))
	p.must(err)
	p.tell(r.Name)
}

// cloneNested is of a package that has a package inside.
func cloneNested(p *play) {
	p.tell(p.clone(p.Publish(upstream, "v1", with(first, map[string]string{
		"cache/Kptfile":        kptfileOf("cache"),
		"cache/settings.yaml":  first["settings.yaml"],
		"plain/zone.yaml":      "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: zone\n",
		"package-context.yaml": "",
	}))))
}

// cloneMarked is of a package whose resources have kpt's marks, comments and merge keys of their own.
func cloneMarked(p *play) {
	p.tell(p.clone(p.Publish(upstream, "v1", with(first, map[string]string{
		"settings.yaml": "# about settings\napiVersion: v1\nkind: ConfigMap\nmetadata: # kpt-merge: /old\n" +
			"  name: settings\n  annotations:\n" +
			"    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|old'\ndata: {size: small}\n",
	}))))
}

// cloneAgain asks for a clone into a package that has a published revision.
func cloneAgain(p *play) {
	name := p.cloned()
	p.edit(p.Lister, name, changed)
	p.publishes(name)
	r, err := p.Ask(p.ctx, p.draft(web, "two", revision.Task{Type: revision.Clone, Source: "blueprints.web.v1"}))
	p.answered("a clone", err)
	if err == nil {
		p.say("it has the upstream's settings: %t",
			strings.Contains(p.read(r.Name).Files["settings.yaml"], "zone: none"))
	}
}

// cloneOfDraft asks for a clone of what is not published.
func cloneOfDraft(p *play) {
	draft := p.cloned()
	_, err := p.Ask(p.ctx, p.draft(revision.Package{Repo: "edge", Name: "shop"}, "one",
		revision.Task{Type: revision.Clone, Source: draft}))
	p.answered("a clone of a draft", err)
}

// cloneOfBranch asks for a clone of what is on a branch.
func cloneOfBranch(p *play) {
	name := p.OnBranch(upstream, first)
	p.say("%s: number %d", name, p.get(name).Number)
	r, err := p.Ask(p.ctx, p.draft(web, "one", revision.Task{Type: revision.Clone, Source: name}))
	if p.answered("clone", err); err == nil {
		p.tellOf(&r)
		p.tell(r.Name)
	}
}

// edit is a copy of a published revision, with comments of people.
func edit(p *play) {
	name := p.cloned()
	p.edit(p.Lister, name, map[string]string{
		"mine.yaml": "# mine\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\n"})
	p.publishes(name)
	r, err := p.Ask(p.ctx, p.draft(web, "two", revision.Task{Type: revision.Edit, Source: name}))
	p.must(err)
	p.tell(r.Name)
}

// upgraded publishes a clone with changes, asks for its upgrade to another revision of the blueprint, and returns the
// name of the upgrade.
func (p *play) upgraded(changes, to map[string]string) string {
	p.Helper()
	base := p.Publish(upstream, "v1", first)
	local := p.clone(base)
	p.edit(p.Lister, local, changes)
	p.publishes(local)
	next := p.Publish(upstream, "v2", to)
	r, err := p.Ask(p.ctx, p.draft(web, "two",
		revision.Task{Type: revision.Upgrade, Base: base, Source: next, Local: local}))
	p.must(err)
	return r.Name
}

// upgrade is one without conflicts.
func upgrade(p *play) {
	p.tell(p.upgraded(map[string]string{"mine.txt": "mine\n"}, second))
}

// upgradeBothChanged is one in which the blueprint and the package have changed the same value, and its comment.
func upgradeBothChanged(p *play) {
	p.tell(p.upgraded(map[string]string{
		"settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n" +
			"  zone: a # mine\n  size: medium # as agreed\n",
		"notes.txt": "Call them.\n",
	}, with(second, map[string]string{"notes.txt": "Call nobody.\n"})))
}

// upgradeRemoved is one in which the package has removed what the blueprint changed, and the reverse.
func upgradeRemoved(p *play) {
	p.tell(p.upgraded(map[string]string{"settings.yaml": "", "notes.txt": "Call them.\n"},
		with(second, map[string]string{"notes.txt": ""})))
}

// askAgain asks for a draft under a name that another one has.
func askAgain(p *play) {
	name := p.cloned()
	p.edit(p.Lister, name, map[string]string{"mine.txt": "mine\n"})
	_, err := p.Ask(p.ctx, p.draft(web, "one", revision.Task{Type: revision.Clone, Source: "blueprints.web.v1"}))
	p.answered("again", err)
	p.publishes(name)
	_, err = p.Ask(p.ctx, p.draft(web, "one", revision.Task{Type: revision.Edit, Source: name}))
	p.answered("again, when it is published", err)
	p.say("it has what was saved: %t", p.read(name).Files["mine.txt"] == "mine\n")
}

// askOfNothing asks for drafts that cannot be made.
func askOfNothing(p *play) {
	name := p.cloned()
	_, err := p.Ask(p.ctx, p.draft(web, "two", revision.Task{Type: revision.Clone, Source: "blueprints.web.v7"}))
	p.answered("clone of a revision that is absent", err)
	_, err = p.Ask(p.ctx, p.draft(web, "two", revision.Task{Type: revision.Edit, Source: "edge.web.seven"}))
	p.answered("edit of a revision that is absent", err)
	_, err = p.Ask(p.ctx, p.draft(web, "two", revision.Task{Type: revision.Edit, Source: name}))
	p.answered("edit of a draft", err)
	_, err = p.Ask(p.ctx, p.draft(revision.Package{Repo: "nowhere", Name: "web"}, "one",
		revision.Task{Type: revision.Clone, Source: "blueprints.web.v1"}))
	p.answered("clone into a Repository that is absent", err)
	p.list("afterwards", web)
}

// askUnanswered asks for a draft, and gets no answer although it is made.
func askUnanswered(p *play) {
	source := p.Publish(upstream, "v1", first)
	p.LoseAnswer()
	_, err := p.Ask(p.ctx, p.draft(web, "one", revision.Task{Type: revision.Clone, Source: source}))
	p.answered("clone", err)
	p.tell("edge.web.one")
	_, err = p.Ask(p.ctx, p.draft(web, "one", revision.Task{Type: revision.Clone, Source: source}))
	p.answered("clone again", err)
}
