// SPDX-License-Identifier: Apache-2.0

package home

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git/gittest"
	"github.com/package-variants/package-variants/local/ledger"
	"github.com/package-variants/package-variants/local/manifests"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const namespace = "default"

// world has git repositories, a home over them, and people with clones of their own.
type world struct {
	*testing.T
	home *Home
	// of are the git repositories of the Repositories.
	of      map[string]string
	remotes map[string]*gittest.Remote
	clones  map[string]*gittest.Clone
	current *Home
	// cache is that of the first home, and of those that look at what it left.
	cache string
}

// newWorld returns a world with Repositories, each over a git repository of its own unless others say which. One that
// is over another git repository is over a directory there.
func newWorld(t *testing.T, others map[string]string) *world {
	t.Helper()
	gittest.Configure(t)
	w := &world{T: t, of: map[string]string{"blueprints": "blueprints", "edge": "edge"}, remotes: map[string]*gittest.Remote{},
		clones: map[string]*gittest.Clone{}}
	maps.Copy(w.of, others)
	for _, name := range w.of {
		if w.remotes[name] == nil {
			w.remotes[name] = gittest.NewRemote(t, name)
		}
	}
	w.cache = w.TempDir()
	w.home = w.homeWith(w.cache, nil)
	return w
}

// another returns a home with a cache of its own.
func (w *world) another() *Home { return w.homeWith(w.TempDir(), nil) }

// homeWith returns a home with a cache and a ledger.
func (w *world) homeWith(cache string, known ledger.Ledger) *Home {
	var all []manifests.Repository
	for name, of := range w.of {
		r := repositoryAt(name, "https://git.example.com/"+of+".git", w.remotes[of].Address())
		if of != name {
			r.Directory = name
		}
		all = append(all, r)
	}
	h := New(Options{Cache: filepath.Join(cache, "cache"), Fleet: "https://git.example.com/fleet.git fleet", Repositories: all,
		Ledger: known})
	w.Cleanup(func() {
		if err := h.Close(); err != nil {
			w.Error(err)
		}
	})
	return h
}

// repositoryAt returns a Repository over a git repository with the address that locks have, and the one that git takes.
func repositoryAt(name, address, remote string) manifests.Repository {
	r := manifests.Repository{Remote: remote}
	r.ObjectMeta = metav1.ObjectMeta{Namespace: namespace, Name: name}
	r.Repository.Repository = revision.Repository{Ready: true, Branch: "main", Deployment: name != "blueprints", Address: address}
	return r
}

// turn has somebody act: what another home has written is pushed before, and this one looks again. People are nil.
func (w *world) turn(h *Home) *Home {
	w.Helper()
	if w.current != h {
		if w.current != nil {
			for _, o := range w.current.Push(w.Context()) {
				if o.Err != nil {
					w.Errorf("%s: %v", o.Name, o.Err)
				}
			}
		}
		if h != nil {
			if err := h.Fetch(w.Context()); err != nil {
				w.Fatal(err)
			}
		}
	}
	w.current = h
	return h
}

// people returns the clone in which people work on the git repository of a Repository.
func (w *world) people(repository string) *gittest.Clone {
	w.Helper()
	name := w.of[repository]
	if w.clones[name] == nil {
		w.clones[name] = w.remotes[name].Clone()
	}
	w.clones[name].Update()
	return w.clones[name]
}
