// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"fmt"

	"github.com/google/cel-go/cel"

	"github.com/package-variants/package-variants/functions/bounds"
)

// take counts an expression of a set, and reports whether the set is still within the bounds. Programs are kept while
// the set is being expanded, and each takes some hundred times the memory of its text.
func (c *compiler) take(path, source string) bool {
	c.length += len(source)
	if len(c.cache) < bounds.SetExpressions && c.length <= bounds.SetExpressionBytes {
		return true
	}
	c.errs = append(c.errs, fieldErrorf(path, "brings the different expressions of this set to %d with %d bytes, and a "+
		"set may have %d with %d bytes: use fewer, or shorter ones", len(c.cache)+1, c.length, bounds.SetExpressions,
		bounds.SetExpressionBytes))
	return false
}

// takePatterns counts the constant regular expressions in an expression of a set.
func (c *compiler) takePatterns(compiled *cel.Ast) error {
	if c.patterns += constantPatterns(compiled); c.patterns > bounds.SetPatternSize {
		c.full = true
		return fmt.Errorf("the regular expressions of this set have programs of more than %d steps: use fewer, or with "+
			"fewer repetitions", bounds.SetPatternSize)
	}
	return nil
}
