// SPDX-License-Identifier: Apache-2.0

package contract

import (
	"maps"
	"strings"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// publish proposes a draft that has a comment in its Kptfile, and another client approves it.
func publish(p *play) {
	name := p.cloned()
	p.comment(name)
	drafted := p.read(name)
	proposed, err := p.Move(p.ctx, p.get(name), revision.Proposed)
	p.must(err)
	p.say("the answer to the proposal: %s", proposed.Lifecycle)
	p.say("the version is that of the draft: %t", p.get(name).Version == drafted.Version)
	p.move(p.Others, name, revision.Published)
	p.tell(name)
	p.say("it has a time of publication: %t", !p.get(name).PublishedAt.IsZero())
}

// publishAgain publishes an edit of what is published.
func publishAgain(p *play) {
	name := p.cloned()
	p.publishes(name)
	r, err := p.Ask(p.ctx, p.draft(web, "two", revision.Task{Type: revision.Edit, Source: name}))
	p.must(err)
	p.edit(p.Lister, r.Name, changed)
	p.publishes(r.Name)
	p.list("afterwards", web)
	p.say("the first one stays as it was: %t", !strings.Contains(p.read(name).Files["settings.yaml"], "zone: a"))
}

// reject has another client reject a proposal, and the home withdraw one.
func reject(p *play) {
	name := p.cloned()
	before := p.read(name).Files
	p.move(p.Lister, name, revision.Proposed)
	p.move(p.Others, name, revision.Draft)
	p.tellOf(p.get(name))
	p.move(p.Lister, name, revision.Proposed, revision.Draft)
	p.tellOf(p.get(name))
	p.say("the files are what they were: %t", maps.Equal(p.read(name).Files, before))
	p.edit(p.Lister, name, changed)
	p.publishes(name)
	p.tellOf(p.get(name))
}

// moveStale moves a draft that has changed since it was read.
func moveStale(p *play) {
	name := p.cloned()
	before := p.get(name)
	p.edit(p.Others, name, changed)
	_, err := p.Move(p.ctx, before, revision.Proposed)
	p.answered("a proposal", err)
	p.tellOf(p.get(name))
	p.move(p.Lister, name, revision.Proposed)
	proposed := p.get(name)
	p.move(p.Others, name, revision.Draft)
	p.edit(p.Others, name, map[string]string{"theirs.txt": "theirs\n"})
	p.move(p.Others, name, revision.Proposed)
	_, err = p.Move(p.ctx, proposed, revision.Published)
	p.answered("an approval", err)
	p.tellOf(p.get(name))
}

// moveWrong asks for lifecycles that do not follow.
func moveWrong(p *play) {
	name := p.cloned()
	_, err := p.Move(p.ctx, p.get(name), revision.Published)
	p.answered("a draft is published", err)
	p.say("%s is %s", name, p.get(name).Lifecycle)
	p.publishes(name)
	_, err = p.Move(p.ctx, p.get(name), revision.Draft)
	p.answered("a published revision becomes a draft", err)
	p.say("%s is %s", name, p.get(name).Lifecycle)
}

// moveUnanswered proposes and approves, and gets no answers although both are done.
func moveUnanswered(p *play) {
	name := p.cloned()
	r := p.get(name)
	p.LoseAnswer()
	_, err := p.Move(p.ctx, r, revision.Proposed)
	p.answered("a proposal", err)
	p.tellOf(p.get(name))
	r = p.get(name)
	p.LoseAnswer()
	_, err = p.Move(p.ctx, r, revision.Published)
	p.answered("an approval", err)
	p.tellOf(p.get(name))
}

// deleted deletes a draft and a proposal, and makes drafts under their names.
func deleted(p *play) {
	name := p.cloned()
	before := p.get(name)
	p.answered("a draft", p.Delete(p.ctx, before))
	p.answered("again", p.Delete(p.ctx, before))
	_, err := p.Get(p.ctx, p.Namespace, name)
	p.answered("get", err)
	_, err = p.Read(p.ctx, p.Namespace, name)
	p.answered("read", err)
	p.list("afterwards", web)
	p.clone("blueprints.web.v1")
	p.move(p.Lister, name, revision.Proposed)
	p.answered("a proposal", p.Delete(p.ctx, p.get(name)))
	p.clone("blueprints.web.v1")
	p.tellOf(p.get(name))
}

// deletePublished proposes a deletion, takes it back, and has another client do it.
func deletePublished(p *play) {
	name := p.cloned()
	p.publishes(name)
	p.answered("delete", p.Delete(p.ctx, p.get(name)))
	p.move(p.Lister, name, revision.DeletionProposed)
	p.tellOf(p.get(name))
	p.move(p.Lister, name, revision.Published)
	p.tellOf(p.get(name))
	p.move(p.Lister, name, revision.DeletionProposed)
	p.Remove(name)
	_, err := p.Get(p.ctx, p.Namespace, name)
	p.answered("get", err)
	p.list("afterwards", web)
}

// deleteUnanswered deletes a draft, and gets no answer although it is done.
func deleteUnanswered(p *play) {
	name := p.cloned()
	r := p.get(name)
	p.LoseAnswer()
	p.answered("delete", p.Delete(p.ctx, r))
	_, err := p.Get(p.ctx, p.Namespace, name)
	p.answered("get", err)
	p.answered("delete again", p.Delete(p.ctx, r))
}

// theirs is an owner that does not control what it owns.
var theirs = metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "theirs", UID: "theirs"}

// addOwner gives a revision one more owner and one more label, and writes it down.
func (p *play) addOwner(name string) {
	p.Helper()
	r := p.get(name)
	p.must(p.Own(p.ctx, r, append(r.Owners, theirs), packages.Metadata{Labels: map[string]string{"more": "c"}}))
	p.tellOf(p.get(name))
}

// own gives a draft other owners and more labels. Its files stay byte for byte.
func own(p *play) {
	name := p.cloned()
	p.comment(name)
	before := p.read(name)
	p.addOwner(name)
	p.say("the files are what they were: %t", maps.Equal(p.read(name).Files, before.Files))
	p.must(p.Own(p.ctx, p.get(name), nil, packages.Metadata{}))
	p.tellOf(p.get(name))
	p.edit(p.Lister, name, changed)
	p.tellOf(p.get(name))
}

// ownStale gives a draft owners as it was before somebody edited it.
func ownStale(p *play) {
	name := p.cloned()
	before := p.get(name)
	p.edit(p.Others, name, changed)
	p.answered("own", p.Own(p.ctx, before, nil, packages.Metadata{}))
	p.tellOf(p.get(name))
}

// ownPublished gives a published revision other owners and more labels.
func ownPublished(p *play) {
	name := p.cloned()
	p.publishes(name)
	before := p.read(name)
	p.addOwner(name)
	p.move(p.Lister, name, revision.DeletionProposed, revision.Published)
	p.tellOf(p.get(name))
	p.say("the files are what they were: %t", maps.Equal(p.read(name).Files, before.Files))
	p.say("their version is what it was: %t", p.read(name).Version == before.Version)
}
