// SPDX-License-Identifier: Apache-2.0

package walkthrough

import (
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// Compare compares what the commands at position i of a section printed with the document's blocks of output for them,
// and returns the difference; "" if there is none.
func (d *Document) Compare(section *Section, i int, results []Result) string {
	var out strings.Builder
	last := results[len(results)-1].Command
	for block, got := range printed(section, i, results) {
		if got == "" {
			fmt.Fprintf(&out, "%s: prints nothing, and the document has a block for it\n", last)
		} else if diff := cmp.Diff(Settle(block.Text), got); diff != "" {
			fmt.Fprintf(&out, "%s: what the document shows (-) is not what was printed (+):\n%s", last, diff)
		}
	}
	return out.String()
}

// Update makes the blocks of output for the commands at position i of a section what they printed.
func (d *Document) Update(section *Section, i int, results []Result) {
	for block, got := range printed(section, i, results) {
		d.Replace(block, got)
	}
}

// printed returns what was printed, by the block it belongs into. A console block that is the only one gets all output.
func printed(section *Section, i int, results []Result) map[*Part]string {
	console, diff := section.Outputs(i)
	blocks := map[*Part]string{}
	if diff != nil {
		blocks[diff] = Join(results, true)
	}
	switch {
	case console != nil && diff != nil:
		blocks[console] = Join(results, false)
	case console != nil:
		var all strings.Builder
		for _, r := range results {
			all.WriteString(r.Output)
		}
		blocks[console] = Settle(all.String())
	}
	return blocks
}
