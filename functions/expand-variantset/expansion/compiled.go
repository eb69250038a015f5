// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"fmt"
	"regexp/syntax"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"

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

// takePatterns adds the regular expressions in an expression to what a set has. CEL compiles what is constant before it
// evaluates anything, and counts no cost for it; what is not constant it compiles each time, so that its size cannot
// be known here.
func (c *compiler) takePatterns(compiled *cel.Ast) error {
	size := 0
	ast.PreOrderVisit(compiled.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != overloads.Matches {
			return
		}
		args := e.AsCall().Args()
		pattern, constant := literal(args[len(args)-1])
		if parsed, err := syntax.Parse(pattern, syntax.Perl); constant && err == nil {
			size = min(size+steps(parsed), bounds.SetPatternSize+1)
		}
	}))
	if c.patterns += size; c.patterns > bounds.SetPatternSize {
		c.full = true
		return fmt.Errorf("the regular expressions of this set have programs of more than %d steps: use fewer, or with "+
			"fewer repetitions", bounds.SetPatternSize)
	}
	return nil
}

// literal returns the text that a literal is, also one that is converted, for CEL converts literals beforehand.
func literal(e ast.Expr) (text string, is bool) {
	switch e.Kind() {
	case ast.CallKind:
		if call := e.AsCall(); len(call.Args()) == 1 && !call.IsMemberFunction() {
			return literal(call.Args()[0])
		}
	case ast.LiteralKind:
		switch value := e.AsLiteral().(type) {
		case types.String:
			return string(value), true
		case types.Bytes:
			return string(value), true
		}
	}
	return "", false
}

// steps returns about how many steps the program of a regular expression has, which may be far more than its text has
// characters: a{1000} is a thousand.
func steps(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += steps(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, bounds.SetPatternSize+1)
}
