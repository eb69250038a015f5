// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/stack"
)

// TestSubdirectory has the upstream and the downstream in Repositories over directories of git repositories.
func TestSubdirectory(t *testing.T) {
	w := newWorld(t)
	for name, git := range map[string]string{"catalog": "blueprints", "site": "site"} {
		if err := w.stack.RegisterRepository(t.Context(), stack.Repository{Namespace: w.Namespace, Name: name,
			Git: w.Namespace + "-" + git, Directory: "all/" + name, Deployment: name == "site"}); err != nil {
			t.Fatal(err)
		}
	}
	in := func(s *variant.Spec) { s.Upstream.Repo, s.Downstream.Repo = "catalog", "site" }
	w.Publish("catalog", "web", "v1", simple())
	w.Publish("catalog", "web", "v2", settingsV2)
	w.Apply(newVariant("web", contextOnly, in))
	w.start()
	draft := "site.web.packagevariant-1"
	w.waitTarget("web", draft)
	w.edit(draft, `a: "1" # one`, `a: "mine" # my own`)
	w.publish(draft)
	w.seesPublished("web")
	w.Apply(newVariant("web", contextOnly, in, revision(2)))
	w.waitTarget("web", "site.web.packagevariant-2")
	w.waitSettings("site.web.packagevariant-2", `a: "mine" # my own`, `b: "3"`)
	if got := w.lockOf("site.web.packagevariant-2")[0]; got != "all/catalog/web/v2" {
		t.Errorf("it is made from %s", got)
	}
}
