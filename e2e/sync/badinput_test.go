// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/stack"

	corev1 "k8s.io/api/core/v1"
)

// TestDownstreamRepository has the downstream Repository missing, unreachable, read-only and well.
func TestDownstreamRepository(t *testing.T) {
	w := newWorldApart(t)
	w.Publish("blueprints", "web", "v1", simple())
	in := func(repo string) func(*variant.Spec) {
		return func(s *variant.Spec) { s.Downstream.Repo = repo }
	}
	w.Apply(newVariant("missing", plain, in("later")), newVariant("unreachable", plain, in("unreachable")),
		newVariant("readonly", plain, in("readonly")))
	repository := func(name, address string) string {
		return fmt.Sprintf("apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\n"+
			"metadata: {name: %s, namespace: %s}\n"+
			"spec: {type: git, deployment: true, git: {repo: %q, branch: main}}\n", name, w.Namespace, address)
	}
	file := filepath.Join(w.dir, "repositories.yaml")
	readonly := w.gitProxy()
	readonly.readOnly.Store(true)
	text := repository("unreachable", "http://127.0.0.1:1/nothing") + "---\n" +
		repository("readonly", readonly.URL+"/"+w.Namespace+"-readonly")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w.kubectl("apply", "-f", file)
	w.start()
	w.expectMessage("missing", "RepositoryNotFound",
		`there is no Repository "later" in this namespace: register it, or correct spec.downstream.repo`)
	if got := w.message("unreachable", "RepositoryNotReady"); !strings.HasPrefix(got,
		`the Repository "unreachable" is not ready: `) {
		t.Errorf("message %q", got)
	}
	w.Repository("later", nil, true)
	w.target("missing")
	if w.stack.Cache() == stack.CRCache { // elsewhere, drafts are not in git
		if got := w.message("readonly", "PorchUnavailable"); !strings.Contains(got, "cannot clone readonly/readonly: ") ||
			!strings.Contains(got, "authorization failed") {
			t.Errorf("message %q", got)
		}
		readonly.readOnly.Store(false)
	}
	w.target("readonly")
}

// TestRenderFails has a function of the pipeline fail, in the variant and in the blueprint, and then repairs it.
func TestRenderFails(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	failing := func(data map[string]string) func(*variant.Spec) {
		return func(s *variant.Spec) {
			s.Pipeline = &variant.Pipeline{Mutators: []variant.Function{{Name: "context", Image: contextImage, ConfigMap: data}}}
		}
	}
	w.Apply(newVariant("web", plain, failing(map[string]string{"name": "mine"})))
	w.start()
	message := w.message("web", "RenderFailed")
	for _, text := range []string{"nothing was saved, because the pipeline in the package's Kptfile failed", contextImage,
		`data.name: is set by kpt itself`} {
		if !strings.Contains(message, text) {
			t.Errorf("the message has no %q:\n%s", text, message)
		}
	}
	w.expectDrafts("web") // a draft without what the variant sets could be published
	w.Apply(newVariant("web", plain, failing(map[string]string{"color": "blue"})))
	w.waitFile(w.target("web"), "package-context.yaml", "color: blue")
	w.expectDrafts("web", "edge.web.packagevariant-1")
}

// TestBigPackage has a package of 5 MB. The largest file in it is the user's own, which the controller leaves alone; it
// works on the rest, and merges a change of the upstream into all of it.
func TestBigPackage(t *testing.T) {
	w := newWorld(t)
	files := blueprint()
	for i := range 50 {
		files[fmt.Sprintf("big-%02d.yaml",
			i)] = fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: big-%02d\ndata:\n  text: |\n", i) +
			strings.Repeat("    "+strings.Repeat("x", 95)+"\n", 1024)
	}
	w.Publish("blueprints", "web", "v1", files)
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"))
	w.start()
	draft := w.target("web")
	w.waitFile(draft, "region.yaml", "api: eu")
	if got := w.Files(draft); len(got) < 50 || got["big-07.yaml"] == "" {
		t.Errorf("the draft has %d files", len(got))
	}
	files["big-07.yaml"] = strings.Replace(files["big-07.yaml"], "xxx", "yyy", 1)
	w.Publish("blueprints", "web", "v2", files)
	w.Apply(newVariant("web", revision(2)))
	w.waitFile(w.target("web"), "big-07.yaml", "yyyx")
}

// events returns how many Events there are of a variant, by their types and reasons.
func (w *world) events(name string) (map[string]int, error) {
	var list corev1.EventList
	if err := w.Client.List(w.t.Context(), &list); err != nil {
		return nil, err
	}
	found := map[string]int{}
	for _, e := range list.Items {
		if o := e.InvolvedObject; o.Namespace == w.Namespace && o.Kind == variant.Kind && o.Name == name {
			found[e.Type+" "+e.Reason]++
		}
	}
	return found, nil
}
