// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/packages/contract"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git/gittest"
	"github.com/package-variants/package-variants/local/ledger"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// differs says what git does in another way than the contract states.
var differs = map[string]string{
	"clone-again":          exists,
	"edit":                 asSaved,
	"move-stale":           untold,
	"nested":               asSaved,
	"number-anew":          removed,
	"publish":              asSaved,
	"published-anew":       removed + ", and when it is made again, they are there again, with their versions as names",
	"pushed":               exists,
	"reject":               untold + ", and nothing is written for it",
	"save":                 asSaved,
	"save-bad":             "files are not read as resources, except for the Kptfile",
	"save-nothing":         "equal files are the same version",
	"save-odd":             asSaved,
	"save-pipeline":        "nothing is rendered",
	"shared":               "a Kptfile keeps its quotes",
	"upgrade":              copied,
	"upgrade-both-changed": copied,
	"upgrade-removed":      copied,
}

const (
	asSaved = "files are what was saved, byte for byte"
	untold  = "a proposal is known to the home that made it, and ends when it looks again"
	removed = "what is removed is the package, with all its revisions; its tags stay"
	exists  = "a clone over what the branch has is refused: the draft would take back what people changed there"
	copied  = "an upgrade is a copy with another lock: a function merges"
)

// TestContract runs the contract on git repositories. Each of those who act works in a clone of their own: what one has
// done is pushed when another one acts.
func TestContract(t *testing.T) {
	t.Parallel()
	contract.Run(t, contract.Implementation{Name: "git", Differs: differs, Begin: begin})
}

func begin(t *testing.T) *contract.World {
	t.Helper()
	var shared map[string]string
	if strings.HasSuffix(t.Name(), "/shared") {
		shared = map[string]string{"north": "sites", "south": "sites"}
	}
	w := newWorld(t, shared)
	ours, others := &client{world: w, home: w.home}, &client{world: w, home: w.another(), approves: true}
	push := func(pkg revision.Package, files map[string]string, refs ...string) {
		w.turn(nil)
		w.people(pkg.Repo).Push("Push "+pkg.Name, gittest.Files(pkg.Name, files), append(refs, "HEAD:refs/heads/main")...)
	}
	return &contract.World{
		Lister: ours, Others: others, Namespace: namespace,
		Publish: func(pkg revision.Package, workspace string, files map[string]string) string {
			push(pkg, files, "HEAD:refs/tags/"+pkg.Name+"/"+workspace)
			return pkg.NameOf(workspace)
		},
		OnBranch: func(pkg revision.Package, files map[string]string) string {
			push(pkg, files, "HEAD:refs/tags/"+pkg.Name+"/v1")
			return pkg.NameOf("main")
		},
		Erase: func(pkg revision.Package) {
			w.turn(nil)
			people := w.people(pkg.Repo)
			people.Git("rm", "-q", "-r", pkg.Name)
			people.Push("Remove "+pkg.Name, nil, "HEAD:refs/heads/main")
		},
		Push: func(files map[string]string, as ...revision.Package) {
			for _, pkg := range as {
				push(pkg, files)
			}
		},
		RegisterAnew: func(repository string) {
			w.turn(nil)
			maps.DeleteFunc(w.home.ledger, func(k ledger.Key, _ ledger.Entry) bool { return k.Repository == repository })
		},
		Share: func(...string) {}, // they are there
		Remove: func(name string) {
			w.turn(nil)
			repo, rest, _ := strings.Cut(name, ".")
			pkg, _, _ := strings.Cut(rest, ".")
			people := w.people(repo)
			people.Merge("removals/" + pkg)
			people.Git("push", "-q", "origin", "HEAD:refs/heads/main", ":refs/heads/removals/"+pkg)
		},
		LoseAnswer: func() { ours.lose = true },
	}
}

// client is one who calls a home, each time in their turn.
type client struct {
	world *world
	home  *Home
	// approves reports whether they merge drafts that nobody proposed to them.
	approves bool
	lose     bool
}

// answer is the answer of a write, which may be lost.
func (c *client) answer(err error) error {
	if lose := c.lose; lose && err == nil {
		c.lose = false
		return packages.ErrUnsure
	}
	return err
}

func (c *client) List(ctx context.Context, namespace string, of revision.Package) ([]revision.Revision, error) {
	return c.world.turn(c.home).List(ctx, namespace, of)
}

func (c *client) Get(ctx context.Context, namespace, name string) (revision.Revision, error) {
	return c.world.turn(c.home).Get(ctx, namespace, name)
}

func (c *client) Read(ctx context.Context, namespace, name string) (packages.Content, error) {
	return c.world.turn(c.home).Read(ctx, namespace, name)
}

func (c *client) Ask(ctx context.Context, d packages.Draft) (revision.Revision, error) {
	r, err := c.world.turn(c.home).Ask(ctx, d)
	return r, c.answer(err)
}

func (c *client) Save(ctx context.Context, read packages.Content, files map[string]string) (packages.Content, error) {
	content, err := c.world.turn(c.home).Save(ctx, read, files)
	return content, c.answer(err)
}

func (c *client) Move(ctx context.Context, r *revision.Revision, to revision.Lifecycle) (revision.Revision, error) {
	h := c.world.turn(c.home)
	if c.approves {
		now, err := h.Get(ctx, r.Namespace, r.Name)
		if err != nil || now.Lifecycle == to {
			return now, err
		}
		if to == revision.Published {
			if now, err = h.Move(ctx, &now, revision.Proposed); err != nil {
				return now, err
			}
		}
		return h.Move(ctx, &now, to)
	}
	moved, err := h.Move(ctx, r, to)
	return moved, c.answer(err)
}

func (c *client) Own(ctx context.Context, r *revision.Revision, owners []metav1.OwnerReference, m packages.Metadata) error {
	return c.answer(c.world.turn(c.home).Own(ctx, r, owners, m))
}

func (c *client) Delete(ctx context.Context, r *revision.Revision) error {
	return c.answer(c.world.turn(c.home).Delete(ctx, r))
}
