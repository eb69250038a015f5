// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"fmt"

	"github.com/google/cel-go/cel"

	"github.com/package-variants/package-variants/functions/bounds"
)

// take adds an expression to what a set has, and reports whether that is within the bounds. Programs are kept for as
// long as the set is worked on, and each takes some hundred times its text in memory.
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

// takePatterns adds the constant regular expressions in an expression to what a set has.
func (c *compiler) takePatterns(compiled *cel.Ast) error {
	if c.patterns += constantPatterns(compiled); c.patterns > bounds.SetPatternSize {
		c.full = true
		return fmt.Errorf("the regular expressions of this set have programs of more than %d steps: use fewer, or with "+
			"fewer repetitions", bounds.SetPatternSize)
	}
	return nil
}
