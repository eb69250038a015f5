// SPDX-License-Identifier: Apache-2.0

package expansion_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/internal/fntest"
)

// TestOfThemselves checks that a variant of itself, or one that depends on itself, is made with a note, and that it does
// not hold up others.
func TestOfThemselves(t *testing.T) {
	t.Parallel()
	blueprints := "---\napiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: blueprints, " +
		"namespace: fleet}\n"
	for name, c := range map[string]struct {
		config string
		want   []string
	}{
		"the blueprint's Repository is selected": {set(toAll), []string{
			"spec.targets[0] makes a variant of blueprints/web that is the upstream itself, " +
				expansion.Name("web", "blueprints", "web") + ", which the controller reports as InvalidSpec: leave its " +
				"Repository out, or name another package"}},
		"another package there": {set("  - repositorySelector: {packageNames: [app]}\n"), nil},
		"depends on itself": {templated("{dependsOn: [{nameExpr: \"variantName('web', 'edge-2', 'web')\"}]}"), []string{
			"spec.targets[0] makes a variant that depends on itself, " + expansion.Name("web", "edge-2", "web") +
				" (for edge-2/web), which the controller reports as DependencyCycle: correct its dependsOn"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := fntest.Files{"repositories.yaml": repositories + blueprints, "revisions.yaml": revisions}
			stdout, stderr, code := fntest.Run(expansion.Run, fntest.List(t, c.config, files))
			if code != 0 {
				t.Fatal(stderr)
			}
			var got []string
			for _, r := range fntest.Parse(t, stdout).Results {
				got = append(got, r.Message)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("results -want +got:\n%s", diff)
			}
		})
	}
}
