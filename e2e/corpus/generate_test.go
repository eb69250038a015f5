// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// generated adds files to cases, by name: those that are too large to keep.
var generated = map[string]func(tree.Tree){
	"50-large": func(files tree.Tree) {
		files["package-context.yaml"] += "  large: |\n" +
			strings.Repeat("    0123456789abcdef 0123456789abcdef # no comment\n", 20_000)
		files["points.yaml"] += "binaryData:\n  a: YQ==\n  b: Yg==\n  c: Yw==\n  d: ZA==\n  large: " +
			strings.Repeat("AAAA", 250_000) + "\n"
		files["pairs.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: pairs\ndata:\n" + pairs(500, 2_000)
	},
}

// pairs returns n pairs of data, of the given size each, and comments on them.
func pairs(n, size int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  # Head of pair %d.\n  key-%d: \"%s\" # behind pair %d\n", i, i,
			strings.Repeat("0123456789", size/10), i)
	}
	return b.String()
}
