// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// TestAdopt gives a copy that somebody made an upstream, and has a variant take it over: it follows, and keeps its value.
func TestAdopt(t *testing.T) {
	w := newWorld(t, "adopt")
	w.Publish("blueprints", "web", "v1", settings("1", "web:1"))
	w.Publish("edge", "web", "mine", settings("1", "web:mine"))
	got := w.kubectl("variants", "adopt", "edge/web", "--upstream", "blueprints/web", "--yes")
	for _, want := range []string{"edge.web.mine is nearest to blueprints.web.v1, which has ", "\n+  image: \"web:mine\"\n",
		"\npackagerevision/edge.web.adopt-v1 made: propose and approve it, and a PackageVariant with adoptionPolicy: adoptExisting " +
			"takes the package over\n"} {
		if got.code != 0 || !strings.Contains(got.out, want) {
			t.Errorf("there is no %q in %+v", want, got)
		}
	}
	w.Propose("edge.web.adopt-v1")
	w.Approve("edge.web.adopt-v1")
	w.Publish("blueprints", "web", "v2", settings("2", "web:1"))
	w.Apply(newVariant("web", func(s *variant.Spec) { s.AdoptionPolicy = variant.AdoptionPolicyAdoptExisting }))
	w.target("web", "edge.web.packagevariant-1")
	if got := w.Files("edge.web.packagevariant-1")["settings.yaml"]; !strings.Contains(got, "replicas: \"2\" # of each site\n  image: \"web:mine\"\n") {
		t.Error(got)
	}
}
