// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"regexp/syntax"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/env"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/package-variants/package-variants/functions/bounds"
)

// boundedMatches are CEL's standard functions, with a matches that bounds the regular expressions that are not
// constant: CEL compiles these at each call, without a bound. Constant ones are bounded when they are compiled.
func boundedMatches() []cel.EnvOption {
	s := cel.StringType
	return []cel.EnvOption{
		cel.StdLib(cel.StdLibSubset(env.NewLibrarySubset().AddExcludedFunctions(env.NewFunction(overloads.Matches)))),
		cel.Function(overloads.Matches,
			cel.Overload(overloads.Matches, []*cel.Type{s, s}, cel.BoolType),
			cel.MemberOverload(overloads.MatchesString, []*cel.Type{s, s}, cel.BoolType),
			cel.SingletonBinaryBinding(matches, traits.MatcherType)),
	}
}

// matches is CEL's, for patterns within the bounds.
func matches(text, pattern ref.Val) ref.Val {
	if patternSize(pattern) > bounds.PatternSize {
		return types.NewErr("matches takes a regular expression that is not constant up to %d bytes, and up to as many "+
			"steps of its program: use a constant, a shorter one, or fewer repetitions", bounds.PatternSize)
	}
	matcher, ok := text.(traits.Matcher)
	if !ok {
		return types.MaybeNoSuchOverloadErr(text)
	}
	return matcher.Match(pattern)
}

// patternSize returns about how many steps the program of a regular expression has; no fewer than its bytes beyond the
// bound, so that no long text is parsed.
func patternSize(pattern ref.Val) int {
	text := textOf(pattern)
	if len(text) > bounds.PatternSize {
		return len(text)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil { // it will not be compiled
		return 0
	}
	return steps(parsed)
}

// constantPatterns returns about how many steps the programs of the constant regular expressions in an expression have.
// CEL compiles them before it evaluates anything, and counts no cost for it.
func constantPatterns(compiled *cel.Ast) int {
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
	return size
}

// literal returns the text of a literal, even of one that is converted, because CEL converts literals in advance.
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
