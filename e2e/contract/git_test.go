// SPDX-License-Identifier: Apache-2.0

package contract

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	githome "github.com/package-variants/package-variants/local/home"
	"github.com/package-variants/package-variants/local/manifests"
	"github.com/package-variants/package-variants/sync-controller/home"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// both is one fleet in two homes: Porch, and the git repositories that it keeps packages in.
type both struct {
	*testing.T
	*fleet.Fleet
	porch packages.Lister
	git   *githome.Home
}

// TestPorchAndGit has Porch and the home over plain git find the same revisions in the same repositories, whichever of
// them made them: names, lifecycles, numbers, tasks and locks. A cache in a database keeps drafts there.
func TestPorchAndGit(t *testing.T) {
	// The git server of Porch's tests answers no push as git expects it, and finds no packs that others wrote.
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "config"))
	for key, value := range map[string]string{"user.name": "Ada", "user.email": "ada@example.com",
		"receive.unpackLimit": "100000", "receive.autogc": "false"} {
		git := exec.CommandContext(t.Context(), "git", "config", "--global", key, value)
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	b := &both{T: t, Fleet: fleet.New(t, shared, "porch-and-git")}
	b.Repository("blueprints", nil, false)
	b.Repository("edge", nil, true)
	c, err := client.NewWithWatch(shared.Config, client.Options{Scheme: b.Client.Scheme()})
	b.must(err)
	b.porch = home.New(c)
	var all []manifests.Repository
	for _, name := range []string{"blueprints", "edge"} {
		r := manifests.Repository{Remote: filepath.Join(shared.Dir, "git", b.Namespace+"-"+name)}
		r.ObjectMeta = metav1.ObjectMeta{Namespace: b.Namespace, Name: name}
		r.Repository.Repository = revision.Repository{Address: shared.GitURL(b.Namespace + "-" + name), Branch: "main",
			Deployment: name == "edge"}
		all = append(all, r)
	}
	b.git = githome.New(githome.Options{Cache: t.TempDir(), Repositories: all})
	t.Cleanup(func() { b.must(b.git.Close()) })

	b.Publish("blueprints", "web", "v1", map[string]string{"zone.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: zone}\n"})
	web, shop := revision.Package{Repo: "edge", Name: "web"}, revision.Package{Repo: "edge", Name: "eu/shop"}
	clone := revision.Task{Type: revision.Clone, Source: "blueprints.web.v1"}
	for _, by := range []packages.Lister{b.porch, b.git} {
		b.must(b.git.Fetch(t.Context()))
		name := b.made(by, web, "one", clone)
		b.publish(by, name)
		b.made(by, web, "two", revision.Task{Type: revision.Edit, Source: name})
		b.made(by, shop, "one", clone)
		for _, outcome := range b.git.Push(t.Context()) {
			b.must(outcome.Err)
		}
		b.agree(web, 2, 1)
		b.agree(shop, 0, 1)
		web, shop = revision.Package{Repo: "edge", Name: "a/web"}, revision.Package{Repo: "edge", Name: "a/shop"}
	}
}

func (b *both) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// made has one of them make a draft, and returns its name.
func (b *both) made(by packages.Lister, pkg revision.Package, workspace string, task revision.Task) string {
	b.Helper()
	r, err := by.Ask(b.Context(), packages.Draft{Namespace: b.Namespace, Package: pkg, Workspace: workspace, Task: task,
		Owner: revision.Owner{Name: "web", UID: "a-variant"}})
	b.must(err)
	return r.Name
}

// publish has one of them propose a draft and publish it.
func (b *both) publish(by packages.Lister, name string) {
	b.Helper()
	for _, to := range []revision.Lifecycle{revision.Proposed, revision.Published} {
		r, err := by.Get(b.Context(), b.Namespace, name)
		b.must(err)
		_, err = by.Move(b.Context(), &r, to)
		b.must(err)
	}
}

// agree waits until both find the same revisions of a package, and as many as there are.
func (b *both) agree(pkg revision.Package, published, drafts int) {
	b.Helper()
	want := published + drafts
	if shared.Cache() == stack.DBCache {
		want = published
	}
	b.must(b.git.Fetch(b.Context()))
	b.Eventually("Porch and git agree on "+pkg.String(), func() error {
		var said [2][]string
		for i, by := range []packages.Lister{b.porch, b.git} {
			found, err := by.List(b.Context(), b.Namespace, pkg)
			if err != nil {
				return err
			}
			for _, r := range found {
				if shared.Cache() == stack.DBCache {
					if r.Open() {
						continue
					}
					r.Commit = "" // which it does not tell
				}
				if r.Main() {
					r.Task = revision.Task{} // to Porch, that of what was published last
				}
				lock := revision.Lock{}
				if r.Lock != nil {
					lock = *r.Lock
					lock.Tree = "" // only git tells it
				}
				content, err := by.Read(b.Context(), b.Namespace, r.Name)
				if err != nil {
					return err
				}
				said[i] = append(said[i], fmt.Sprintf("%s: %s %d of %s, workspace %s, %v, %v, commit %s, files %v", r.Name,
					r.Lifecycle, r.Number, r.Package, r.Workspace, r.Task, lock, r.Commit, content.Files))
			}
		}
		if diff := cmp.Diff(said[0], said[1]); diff != "" || len(said[0]) != want {
			return fmt.Errorf("there are %d in Porch (-Porch +git):\n%s", len(said[0]), diff)
		}
		return nil
	})
}
