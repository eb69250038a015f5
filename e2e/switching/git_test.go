// SPDX-License-Identifier: Apache-2.0

package switching

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"
	"github.com/package-variants/package-variants/local/fleet/fleettest"
	"github.com/package-variants/package-variants/local/git/gittest"

	"github.com/google/go-cmp/cmp"
)

// inGit is a fleet that variants sync keeps, in git repositories that Porch can read.
type inGit struct {
	*fleet.Fleet
	t     *testing.T
	stack *stack.Stack
	// of are the git repositories, and people's clones of them, by the names of their Repositories; "manifests" has the
	// manifests.
	of     map[string]*gittest.Remote
	clones map[string]*gittest.Clone
	cache  string
}

// newInGit returns a fleet without packages, and version 1 of the blueprint web.
func newInGit(t *testing.T, cache stack.Cache) *inGit {
	t.Helper()
	s := stacktest.Start(t, stack.Options{Cache: cache})
	w := &inGit{Fleet: fleet.New(t, s, namespace), t: t, stack: s, of: map[string]*gittest.Remote{},
		clones: map[string]*gittest.Clone{}, cache: t.TempDir()}
	for _, name := range []string{"blueprints", "edge", "manifests"} {
		w.of[name] = gittest.NewRemote(t, name)
		dir := filepath.Join(s.Dir, "git", namespace+"-"+name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(dir), 0o700), os.Rename(w.of[name].Dir, dir)); err != nil {
			t.Fatal(err)
		}
		w.of[name].Dir = dir
		w.clones[name] = w.of[name].Clone()
	}
	w.blueprint("small", 1)
	w.push("edge", "Begin", map[string]string{"README.md": "The packages of the edge.\n"})
	return w
}

// push has a person commit files to the branch of a Repository.
func (w *inGit) push(name, message string, files map[string]string, more ...string) {
	w.t.Helper()
	w.clones[name].Update()
	w.clones[name].Push(message, files, append([]string{"HEAD:refs/heads/main"}, more...)...)
}

// blueprint publishes a version of the blueprint.
func (w *inGit) blueprint(size string, version int) {
	w.t.Helper()
	w.push("blueprints", "Version", map[string]string{"web/settings.yaml": fleettest.Settings(size),
		"web/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"},
		fmt.Sprintf("HEAD:refs/tags/web/v%d", version))
}

// sync syncs, and returns what is printed.
func (w *inGit) sync() string {
	w.t.Helper()
	w.clones["manifests"].Update()
	cmd := exec.CommandContext(w.t.Context(), os.Getenv("VARIANTS"), "sync", filepath.Join(w.clones["manifests"].Dir, "fleet"),
		"--cache", w.cache)
	// The git server of the stack does not take all that git pushes: people have the repositories in a directory.
	cmd.Env = append(os.Environ(), "GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_2=url.file://"+filepath.Join(w.stack.Dir, "git")+
		"/.insteadOf", "GIT_CONFIG_VALUE_2="+w.stack.GitURL(""))
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("variants sync: %v\n%s", err, out)
	}
	return string(out)
}

// ask has the manifests ask for the variants web and shop.
func (w *inGit) ask(more string) string {
	w.t.Helper()
	text := ""
	for _, name := range []string{"web", "shop"} {
		text += "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: " + name + ", namespace: " +
			namespace + "}\nspec:\n  upstream: {repo: blueprints, package: web, revision: latest}\n  downstream: {repo: edge, package: " +
			name + "}\n" + more + "---\n"
	}
	repositories := ""
	for name, more := range map[string]string{"blueprints": "", "edge": "deployment: true, "} {
		repositories += "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: " + name + ", namespace: " +
			namespace + "}\nspec: {type: git, " + more + "git: {repo: \"" + w.stack.GitURL(namespace+"-"+name) + "\", branch: main}}\n---\n"
	}
	w.push("manifests", "Ask", map[string]string{"fleet/variants.yaml": text, "fleet/repositories.yaml": repositories})
	return text
}

// merge has a person merge the draft of a package.
func (w *inGit) merge(draft string) {
	w.t.Helper()
	w.clones["edge"].Update()
	w.clones["edge"].Merge("drafts/" + draft)
	w.clones["edge"].Git("push", "-q", "origin", "HEAD:refs/heads/main")
}

// content returns what the branches and tags of the packages have.
func (w *inGit) content() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	for _, name := range []string{"blueprints", "edge"} {
		for _, ref := range w.of[name].Names() {
			all[name+"/"+ref] = w.of[name].Git("rev-parse", ref+"^{tree}")
		}
	}
	return all
}

// expect fails the test unless branches and tags have what they had.
func (w *inGit) expect(what string, before map[string]string) {
	w.t.Helper()
	if diff := cmp.Diff(before, w.content()); diff != "" {
		w.t.Errorf("%s: the content of refs (-before +after):\n%s", what, diff)
	}
}

// TestGitToPorchAndBack takes a fleet that variants sync keeps to Porch, where the controller goes on: no package is
// written, no number changes, and an open draft stays one with what a person changed. Then it takes it back. With the
// database, drafts are merged before.
func TestGitToPorchAndBack(t *testing.T) {
	for _, cache := range []stack.Cache{stack.CRCache, stack.DBCache} {
		t.Run(string(cache), func(t *testing.T) {
			w := newInGit(t, cache)
			w.live()
			text := w.ask("  adoptionPolicy: adoptExisting\n")
			latest := 2
			if cache == stack.DBCache {
				w.merge("web/packagevariant-2")
				w.merge("shop/packagevariant-1")
				latest = 3
			}
			w.sync()
			before := w.content()
			c := w.takeOver(text, before)
			w.Eventually("the latest of web is known", func() error { return w.publishedAs("web", latest) })
			if cache == stack.CRCache {
				if got := w.Files("edge.web.packagevariant-2")["settings.yaml"]; !strings.Contains(got, "size: large\n  a: mine\n") ||
					!strings.Contains(got, "zone: north\n") {
					t.Error(got)
				}
				w.Propose("edge.web.packagevariant-2")
				w.Approve("edge.web.packagevariant-2")
				w.Eventually("it is published", func() error { return w.publishedAs("web", latest+1) })
				w.both()
			}
			c.Stop()
			before = w.content()
			w.sync()
			w.expect("back in git", before)
			w.blueprint("huge", 4)
			w.sync()
			if got := w.of["edge"].Git("show", "drafts/web/packagevariant-3:web/settings.yaml"); !strings.Contains(got,
				"size: huge\n  a: mine\n") {
				t.Error(got)
			}
		})
	}
}

// both has the controller make a draft, and a sync see that it is not alone.
func (w *inGit) both() {
	w.t.Helper()
	w.blueprint("medium", 3)
	w.Eventually("the controller has made a draft", func() error {
		if pv := w.Variant("web"); pv.Status.OpenDraft == nil || pv.Status.Operation != nil {
			return fmt.Errorf("it is %+v", pv.Status)
		}
		return nil
	})
	if said := w.sync(); !strings.Contains(said, "Note: fleet/edge.web.packagevariant-3 was made by Porch. If a controller ") {
		w.t.Error(said)
	}
}

// live has a package web that is published, has a hotfix, and a draft of an upgrade that a person edited; and a package
// shop that is a draft.
func (w *inGit) live() {
	w.t.Helper()
	w.ask("")
	w.sync()
	w.merge("web/packagevariant-1")
	w.sync()
	w.push("edge", "Hotfix", map[string]string{"web/settings.yaml": strings.Replace(w.of["edge"].Git("show",
		"main:web/settings.yaml"), "zone: none", "zone: north", 1)})
	w.sync()
	w.blueprint("large", 2)
	w.sync()
	draft := "drafts/web/packagevariant-2"
	w.clones["edge"].Update()
	w.clones["edge"].Checkout(draft)
	w.clones["edge"].Push("Edit", map[string]string{"web/settings.yaml": strings.Replace(w.of["edge"].Git("show",
		draft+":web/settings.yaml"), "a: a", "a: mine", 1)}, "HEAD:refs/heads/"+draft)
}

// takeOver registers the Repositories in Porch, applies the variants, and starts the controller, until all are ready.
func (w *inGit) takeOver(text string, before map[string]string) *controller.Process {
	w.t.Helper()
	w.Repository("blueprints", nil, false)
	w.Repository("edge", nil, true)
	w.expect("registered", before)
	applyText(w.t, w.stack, text)
	c := controller.Start(w.t, controller.Options{Kubeconfig: w.stack.Kubeconfig, Args: []string{"--log-format=text"}})
	c.WaitReady(w.t.Context())
	for _, name := range []string{"web", "shop"} {
		w.Eventually(name+" is taken over", func() error {
			if pv := w.Ready(name); pv.Status.Operation != nil || pv.Status.Downstream == nil && pv.Status.OpenDraft == nil {
				return fmt.Errorf("it is %+v", pv.Status)
			}
			return nil
		})
	}
	w.expect("taken over", before)
	return c
}

// publishedAs returns an error unless a variant reports that published revision.
func (w *inGit) publishedAs(name string, number int) error {
	if d := w.Variant(name).Status.Downstream; d == nil || d.Revision != number {
		return fmt.Errorf("the downstream of %s is %+v, want v%d", name, d, number)
	}
	return nil
}
