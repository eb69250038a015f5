// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// refused are names of packages that Porch never takes, by the name of a variant.
var refused = map[string]string{
	"upper": "UP", "dot": "x.y", "evil": "../evil", "empty-part": "a//b", "dash": "-lead", "space": "with space",
	"long": strings.Repeat("x", 300), "long-part": "a/" + strings.Repeat("x", 64),
}

// TestNamesOfPackages has the API refuse names that Porch never takes, and only those.
func TestNamesOfPackages(t *testing.T) {
	w := newWorld(t)
	for name, pkg := range refused {
		pv := newVariant(name, downstream(pkg))
		pv.Namespace = w.Namespace
		if err := w.Client.Create(t.Context(), pv); err == nil || !strings.Contains(err.Error(), "spec.downstream.package") {
			t.Errorf("%q: got error %v, want one with spec.downstream.package", pkg, err)
		}
		set := newSet(t, setOver("[{name: edge, packageNames: [web]}]"))
		set.Namespace, set.Name, set.Spec.Targets[0].Repositories[0].PackageNames[0] = w.Namespace, name, pkg
		if err := w.Client.Create(t.Context(), set); err == nil || !strings.Contains(err.Error(), "packageNames[0]") {
			t.Errorf("%q in a set: got error %v, want one with packageNames[0]", pkg, err)
		}
	}
	w.Publish("blueprints", "web", "v1", simple())
	var variants []client.Object
	for name, pkg := range map[string]string{"one": "x", "digits": "5g-core-1", "deep": "site/eu/web",
		"long": strings.Repeat("x", 60)} {
		variants = append(variants, newVariant(name, plain, downstream(pkg)))
	}
	w.Apply(variants...)
	w.start()
	for _, name := range []string{"one", "digits", "deep", "long"} {
		w.target(name)
	}
}

// setOver returns a set with a target of these repositories.
func setOver(repositories ...string) string {
	text := strings.Split(fleetSet, "  targets:")[0] + "  targets:\n"
	for _, r := range repositories {
		text += "  - repositories: " + r + "\n"
	}
	return text
}
