// SPDX-License-Identifier: Apache-2.0

package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

var (
	upstream = revision.Package{Repo: "blueprints", Name: "web"}
	web      = revision.Package{Repo: "edge", Name: "web"}
	shop     = revision.Package{Repo: "edge", Name: "shop"}
	variant  = revision.Owner{Name: "web", UID: "a-variant"}
)

// first and second are the files of two revisions of a blueprint.
var (
	first = map[string]string{
		"Kptfile": kptfileOf("web"),
		"settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n" +
			"  size: small # of a machine\n  zone: none\n",
		"notes.txt": "Call us\tbefore  you change this.\n",
	}
	second = with(first, map[string]string{
		"settings.yaml": strings.ReplaceAll(first["settings.yaml"], "small", "large"),
		"limits.yaml":   "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: limits\ndata:\n  max: \"3\"\n",
	})
)

func kptfileOf(name string) string {
	return "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + name + "\ninfo:\n  description: a web site\n"
}

// with returns files with others in their place; "" removes one.
func with(files, others map[string]string) map[string]string {
	out := maps.Clone(files)
	maps.Copy(out, others)
	maps.DeleteFunc(out, func(_, text string) bool { return text == "" })
	return out
}

// draft is a draft of a package, made by a task.
func (p *play) draft(pkg revision.Package, workspace string, by revision.Task) packages.Draft {
	return packages.Draft{Namespace: p.Namespace, Package: pkg, Workspace: workspace, Owner: variant, Task: by,
		Metadata: packages.Metadata{Labels: map[string]string{"team": "a"}, Annotations: map[string]string{"note": "b"}}}
}

// clone asks for a clone of a revision as the draft edge.web.one, and returns its name.
func (p *play) clone(source string) string {
	p.Helper()
	r, err := p.Ask(p.ctx, p.draft(web, "one", revision.Task{Type: revision.Clone, Source: source}))
	p.must(err)
	return r.Name
}

// cloned returns the name of a draft that was cloned from the first revision of the blueprint.
func (p *play) cloned() string {
	p.Helper()
	return p.clone(p.Publish(upstream, "v1", first))
}

// get returns a revision that has to be there.
func (p *play) get(name string) *revision.Revision {
	p.Helper()
	r, err := p.Get(p.ctx, p.Namespace, name)
	p.must(err)
	return &r
}

// read returns the content of a revision that has to be there.
func (p *play) read(name string) packages.Content {
	p.Helper()
	content, err := p.Read(p.ctx, p.Namespace, name)
	p.must(err)
	return content
}

// edit has a client save a draft with some of its files changed.
func (p *play) edit(by packages.Home, name string, changes map[string]string) {
	p.Helper()
	content, err := by.Read(p.ctx, p.Namespace, name)
	p.must(err)
	_, err = by.Save(p.ctx, content, with(content.Files, changes))
	p.must(err)
}

// commented returns the Kptfile among the files of edge/web, with a comment.
func commented(files map[string]string) string {
	return strings.Replace(files["Kptfile"], "  name: web\n", "  name: web # ours\n", 1)
}

// comment has the home save a comment in the Kptfile of a draft.
func (p *play) comment(name string) {
	p.Helper()
	p.edit(p.Lister, name, map[string]string{"Kptfile": commented(p.read(name).Files)})
}

// move has a client give a revision another lifecycle.
func (p *play) move(by packages.Home, name string, to ...revision.Lifecycle) {
	p.Helper()
	for _, to := range to {
		_, err := by.Move(p.ctx, p.get(name), to)
		p.must(err)
	}
}

// publishes has the home propose a draft, and another client approve it.
func (p *play) publishes(name string) {
	p.Helper()
	p.move(p.Lister, name, revision.Proposed)
	p.move(p.Others, name, revision.Published)
}

// tell writes down a revision, with its files.
func (p *play) tell(name string) {
	p.Helper()
	p.tellOf(p.get(name))
	p.tellFiles(p.read(name).Files)
}

// tellOf writes down what is known of a revision.
func (p *play) tellOf(r *revision.Revision) {
	p.Helper()
	p.say("%s: %s", r.Name, p.plain(describe(r)))
}

func describe(r *revision.Revision) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, number %d, package %s, workspace %s", r.Lifecycle, r.Number, r.Package, r.Workspace)
	if r.Task.Type != "" {
		fmt.Fprintf(&b, ", %s of %s", r.Task.Type, r.Task.Source)
	}
	if r.Task.Local != "" {
		fmt.Fprintf(&b, " from %s over %s", r.Task.Base, r.Task.Local)
	}
	if r.Lock != nil {
		fmt.Fprintf(&b, ", lock on %s %s %s at %s", r.Lock.Repo, r.Lock.Directory, r.Lock.Ref, r.Lock.Commit)
	}
	for _, owner := range r.Owners {
		fmt.Fprintf(&b, ", owner %s", owner.Name)
	}
	for _, m := range []map[string]string{r.Labels, r.Annotations} {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !strings.Contains(key, "kpt.dev/") {
				fmt.Fprintf(&b, ", %s=%s", key, m[key])
			}
		}
	}
	return b.String()
}

// tellFiles writes down files.
func (p *play) tellFiles(files map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text := files[name]
		if len(text) > 4096 {
			p.say("-- %s has %d bytes", name, len(text))
			continue
		}
		p.said.WriteString("-- " + name + "\n" + visible(p.plain(text)))
	}
}

// visible returns a text in which line ends of Windows and a missing one at the end can be seen.
func visible(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\\r\n")
	if !strings.HasSuffix(text, "\n") {
		text += "\\ no newline at the end\n"
	}
	return text
}

// behind is for how long a list may be behind what was written.
const behind = 30 * time.Second

// listed returns what the home lists of a package, once that is in the state that gets have: the home puts an earlier
// list in the place of its own if it reads a Repository while it is written.
func (p *play) listed(of revision.Package) []revision.Revision {
	p.Helper()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		found, err := p.List(p.ctx, p.Namespace, of)
		p.must(err)
		isBehind := slices.ContainsFunc(found, func(r revision.Revision) bool {
			now, err := p.Get(p.ctx, p.Namespace, r.Name)
			return err != nil || now.Lifecycle != r.Lifecycle || now.Version != r.Version
		})
		if !isBehind || time.Since(began) > behind {
			return found
		}
	}
}

// comes waits until the home finds a revision: it may say that it can use a Repository before it has read all of it.
func (p *play) comes(name string) {
	p.Helper()
	for began := time.Now(); time.Since(began) < behind; time.Sleep(100 * time.Millisecond) {
		if _, err := p.Get(p.ctx, p.Namespace, name); err == nil {
			return
		}
	}
}

// list writes down what the home lists of a package, without what is on the branch and nobody published, and returns
// all of it.
func (p *play) list(when string, of revision.Package) []revision.Revision {
	p.Helper()
	found := p.listed(of)
	p.say("list of %s %s:", of, when)
	for i := range found {
		if !found[i].Main() {
			p.say("  %s %s, number %d", found[i].Name, found[i].Lifecycle, found[i].Number)
		}
	}
	return found
}
