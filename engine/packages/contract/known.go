// SPDX-License-Identifier: Apache-2.0

package contract

import (
	"strings"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// absent asks for what was never there.
func absent(p *play) {
	p.Publish(upstream, "v1", first)
	r := &revision.Revision{Namespace: p.Namespace, Name: "edge.web.nine", Package: web, Workspace: "nine",
		Lifecycle: revision.Draft, Version: "1"}
	_, err := p.Get(p.ctx, p.Namespace, r.Name)
	p.answered("get", err)
	_, err = p.Read(p.ctx, p.Namespace, r.Name)
	p.answered("read", err)
	_, err = p.Save(p.ctx, packages.Content{Namespace: p.Namespace, Name: r.Name, Version: "1"}, first)
	p.answered("save", err)
	_, err = p.Move(p.ctx, r, revision.Proposed)
	p.answered("propose", err)
	p.answered("own", p.Own(p.ctx, r, nil, packages.Metadata{}))
	p.answered("delete", p.Delete(p.ctx, r))
	p.list("that nobody made", web)
}

// publishedAnew has people delete a published revision and publish another one in its workspace.
func publishedAnew(p *play) {
	name := p.cloned()
	p.publishes(name)
	before := p.get(name)
	p.move(p.Lister, name, revision.DeletionProposed)
	p.Remove(name)
	p.clone("blueprints.web.v1")
	p.edit(p.Lister, name, changed)
	p.move(p.Lister, name, revision.Proposed)
	_, err := p.Others.Move(p.ctx, p.get(name), revision.Published)
	p.answered("published again", err)
	p.tellOf(p.get(name))
	p.say("the version is that of the one before: %t", p.get(name).Version == before.Version)
	p.list("afterwards", web)
}

// numberAnew has people delete the latest of two published revisions, and publish another one under its number.
func numberAnew(p *play) {
	name := p.cloned()
	p.publishes(name)
	for range 2 {
		r, err := p.Ask(p.ctx, p.draft(web, "two", revision.Task{Type: revision.Edit, Source: name}))
		if err != nil {
			p.answered("an edit of the first", err)
			break
		}
		p.edit(p.Lister, r.Name, map[string]string{"mine.txt": "mine\n"})
		p.publishes(r.Name)
		p.tellOf(p.get(r.Name))
		p.move(p.Lister, r.Name, revision.DeletionProposed)
		p.Remove(r.Name)
	}
	p.list("afterwards", web)
}

// nested has packages inside and beside others whose names begin alike.
func nested(p *play) {
	source := p.Publish(upstream, "v1", first)
	for _, pkg := range []string{"web", "web/inner", "a/web", "web-1"} {
		r, err := p.Ask(p.ctx, p.draft(revision.Package{Repo: "edge", Name: pkg}, "one",
			revision.Task{Type: revision.Clone, Source: source}))
		p.must(err)
		p.tellOf(p.get(r.Name))
	}
	p.publishes("edge.web.inner.one")
	p.publishes("edge.a.web.one")
	for _, pkg := range []string{"web", "web/inner", "a/web", "web-1"} {
		p.list("in the end", revision.Package{Repo: "edge", Name: pkg})
	}
	p.say("web/inner: %s", p.plain(p.read("edge.web.inner.one").Files["Kptfile"]))
}

// pushed has people push two packages to the branch past the home: one of which there is a draft, and one of which
// there is nothing.
func pushed(p *play) {
	source := p.Publish(upstream, "v1", first)
	p.clone(source)
	p.Push(first, web, shop)
	for _, pkg := range []revision.Package{web, shop} {
		r, err := p.Get(p.ctx, p.Namespace, pkg.NameOf("main"))
		if p.answered("what is on the branch of "+pkg.String(), err); err == nil {
			p.tellOf(&r)
		}
	}
	_, err := p.Ask(p.ctx, p.draft(shop, "one", revision.Task{Type: revision.Clone, Source: source}))
	p.answered("a clone over it", err)
	p.list("then", shop)
}

// erased has people remove a published package from the branch past the home.
func erased(p *play) {
	name := p.OnBranch(upstream, first)
	p.say("%s: number %d", name, p.get(name).Number)
	p.Erase(upstream)
	_, err := p.Get(p.ctx, p.Namespace, name)
	p.answered("what is on the branch then", err)
	_, err = p.Get(p.ctx, p.Namespace, upstream.NameOf("v1"))
	p.answered("what is published", err)
}

// registeredAnew has people unregister and register a Repository with a published revision and a draft.
func registeredAnew(p *play) {
	name := p.cloned()
	p.publishes(name)
	draft, err := p.Ask(p.ctx, p.draft(shop, "one", revision.Task{Type: revision.Clone, Source: "blueprints.web.v1"}))
	p.must(err)
	p.RegisterAnew(web.Repo)
	p.comes(name)
	for _, name := range []string{name, draft.Name} {
		r, err := p.Get(p.ctx, p.Namespace, name)
		if p.answered(name, err); err == nil {
			p.tellOf(&r)
		}
	}
	p.list("then", web)
	p.list("then", shop)
}

// seen lists and gets a draft right after each write, of the home and of another client.
func seen(p *play) {
	name := p.cloned()
	look := func(when string) {
		p.Helper()
		found, now := p.list(when, web), p.get(name)
		for i := range found {
			if found[i].Name == name {
				p.say("  the version is that of a get: %t, and of a read: %t", found[i].Version == now.Version,
					p.read(name).Version == now.Version)
			}
		}
	}
	look("after a clone")
	p.edit(p.Lister, name, changed)
	look("after a save")
	p.edit(p.Others, name, map[string]string{"theirs.txt": "theirs\n"})
	look("after a save by another client")
	p.must(p.Own(p.ctx, p.get(name), nil, packages.Metadata{}))
	look("after the owners have gone")
	p.move(p.Lister, name, revision.Proposed)
	look("after a proposal")
	p.move(p.Others, name, revision.Published)
	look("after an approval by another client")
	p.move(p.Lister, name, revision.DeletionProposed)
	look("after the proposal of a deletion")
	p.Remove(name)
	p.list("after a deletion by another client", web)
}

// shared has two Repositories over directories of one git repository, and one call after the other to both of them.
func shared(p *play) {
	p.Share("north", "south")
	source := p.Publish(upstream, "v1", first)
	var names []string
	for _, repo := range []string{"north", "south"} {
		r, err := p.Ask(p.ctx, p.draft(revision.Package{Repo: repo, Name: "web"}, "one",
			revision.Task{Type: revision.Clone, Source: source}))
		p.must(err)
		names = append(names, r.Name)
	}
	for _, do := range []func(name string){
		func(name string) { p.edit(p.Lister, name, changed) },
		func(name string) { p.move(p.Lister, name, revision.Proposed) },
		func(name string) { p.move(p.Others, name, revision.Published) },
	} {
		for _, name := range names {
			do(name)
		}
	}
	for _, name := range names {
		r := p.get(name)
		p.tellOf(r)
		p.say("  it has what was saved: %t", strings.Contains(p.read(name).Files["settings.yaml"], "zone: a"))
		p.list("in the end", r.Package)
	}
	name := p.clone(names[0])
	p.say("%s, which is cloned from one of them:", name)
	p.tellOf(p.get(name))
	p.say("%s", p.plain(p.read(name).Files["Kptfile"]))
}
