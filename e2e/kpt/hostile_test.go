// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/kpt"
	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// hostileSet is the beginning of a PackageVariantSet.
const hostileSet = "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\n" +
	"metadata: {name: fleet, namespace: fleet}\nspec:\n  upstream: {repo: blueprints, package: web, revision: 1}\n"

// published is what the cluster has: the upstream.
const published = "apiVersion: porch.kpt.dev/v1alpha1\nkind: PackageRevision\nmetadata: {name: blueprints.web.v1, " +
	"namespace: fleet}\nspec: {packageName: web, repository: blueprints, revision: 1, workspaceName: v1, " +
	"lifecycle: Published}\n"

// list returns n lines of a format with a number.
func list(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestHostileSets has kpt expand sets that take memory or time out of proportion if nothing bounds it: the function
// refuses each, and the package stays as it is.
func TestHostileSets(t *testing.T) {
	t.Parallel()
	const targets = "  targets:\n"
	bomb := "  - name: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("    a%d: &a%d [%s]\n", i, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for name, c := range map[string]struct{ set, want string }{
		"targets": {targets + "  - repositories:\n" + strings.Repeat("    - name: edge\n      packageNames:\n"+
			list(10_000, "      - p%d\n"), 3),
			"spec.targets: select 30000 variants in all, and a set may have 10000: select fewer, or split the set"},
		"patterns": {targets + "  - repositories: [{name: edge}]\n    template:\n      packageContext:\n        dataExprs:\n" +
			list(1_000, "        - {key: k%d, valueExpr: \"''.matches('a{1000}%[1]d') ? 'a' : 'b'\"}\n"),
			"the regular expressions of this set have programs of more than 200000 steps: use fewer, or with fewer repetitions"},
		"values": {targets + "  - repositories:\n    - name: edge\n      packageNames:\n" + list(1_000, "      - p%d\n") +
			"    template:\n      packageContext:\n        data:\n" + list(1_000, "          k%d: v\n"),
			"spec.targets: give 1000 variants 1000000 values in all by their templates, and a set may have 200000: make the " +
				"templates smaller, select fewer, or split the set"},
		// With ten times as many levels, kpt itself takes too long.
		"deep": {targets + "  - " + strings.Repeat("[", 1_000) + strings.Repeat("]", 1_000) + "\n",
			"is nested deeper than 250 levels: make it flatter"},
		"bomb":   {targets + bomb, "aliases stand for more than 100000 values"},
		"itself": {targets + "  - &a\n    name: *a\n", "within its own anchor"},
	} {
		for way, run := range map[string]func(dir string) (kpt.Output, error){
			"eval": func(dir string) (kpt.Output, error) {
				return tool.Eval(dir, "expand-variantset", filepath.Join(dir, "config.yaml"))
			},
			"render": func(dir string) (kpt.Output, error) { return tool.Render(dir) },
		} {
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				files := tree.Tree{"config.yaml": hostileSet + c.set, "cluster.yaml": published,
					"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: fleet\n" +
						"pipeline:\n  mutators:\n  - exec: expand-variantset\n    configPath: config.yaml\n"}
				if got := fails(t, files, run); !strings.Contains(got, c.want) {
					t.Errorf("kpt prints %.2000s\nwant %q", got, c.want)
				}
			})
		}
	}
}
