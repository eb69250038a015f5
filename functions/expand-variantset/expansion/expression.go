// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"

	"github.com/package-variants/package-variants/functions/bounds"
)

// compiler compiles the expressions of one set, each source once.
type compiler struct {
	env   environments
	cache map[cacheKey]*program
	errs  []error
	// length and patterns are the totals for the set's expressions: of their text, and of the programs of their regular
	// expressions. full reports whether a limit has been reached.
	length, patterns int
	full             bool
}

type cacheKey struct {
	env    *environment
	source string
	gives  *cel.Type
}

func newCompiler() (*compiler, error) {
	env, err := newEnvironments()
	return &compiler{env: env, cache: map[cacheKey]*program{}}, err
}

// expression is a compiled expression and where it stands in the set.
type expression struct {
	path, source string
	program      *program
}

// program evaluates an expression.
type program struct {
	// tracked counts the cost while it evaluates, and stops at the limit.
	tracked cel.Program
	// fast does not count the cost, and takes a fraction of the time; nil if the expression has loops or functions that
	// multiply.
	fast cel.Program
	// values is the number of values that the expression joins and compares, length that of its source.
	values, length int
}

// compile compiles the expression at path, which must give a string; nil gives nil. Errors are collected in c.errs.
func (c *compiler) compile(env *environment, path string, source *string) *expression {
	return c.compileTo(cel.StringType, env, path, source)
}

// compileInt is compile for an expression that must give an int.
func (c *compiler) compileInt(env *environment, path string, source *string) *expression {
	return c.compileTo(cel.IntType, env, path, source)
}

func (c *compiler) compileTo(gives *cel.Type, env *environment, path string, source *string) *expression {
	if source == nil || *source == "" {
		return nil
	}
	e := &expression{path: path, source: *source}
	key := cacheKey{env, *source, gives}
	if e.program = c.cache[key]; e.program != nil {
		return e
	}
	if c.full = c.full || !c.take(path, *source); c.full {
		return nil
	}
	program, err := c.program(gives, env, *source)
	if err != nil {
		c.errs = append(c.errs, fieldErrorf(path, "cannot compile %s: %s", quote(*source), err))
		return nil
	}
	c.cache[key], e.program = program, program
	return e
}

func (c *compiler) program(gives *cel.Type, env *environment, source string) (*program, error) {
	if len(source) > bounds.ExpressionBytes {
		return nil, fmt.Errorf("it has %d characters, and %d are allowed: shorten it", len(source), bounds.ExpressionBytes)
	}
	used := env.typed
	compiled, issues := compile(used, source)
	if issues.Err() != nil {
		used = env.dynamic
		var also *cel.Issues
		if compiled, also = compile(used, source); also.Err() != nil {
			return nil, c.explain(env, source, issues)
		}
	} else if t := compiled.OutputType(); !t.IsExactType(gives) && !t.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("it gives %s, but must give %s: %s", describe(t), describeWanted(gives), remedy(t, gives))
	}
	p := &program{length: len(source)}
	var err error
	if err = c.takePatterns(compiled); err != nil {
		return nil, err
	}
	optimize := cel.EvalOptions(cel.OptOptimize)
	p.tracked, err = used.Program(compiled, optimize, cel.CostTracking(costs{}), cel.CostLimit(bounds.ExpressionCost))
	if err != nil {
		return nil, err
	}
	var linear bool
	if linear, p.values = isLinear(compiled); linear {
		p.fast, err = used.Program(compiled, optimize)
	}
	return p, err
}

// explain words why an expression does not compile.
func (c *compiler) explain(env *environment, source string, issues *cel.Issues) error {
	first := issues.Errors()[0]
	at := fmt.Sprintf("column %d", first.Location.Column()+1)
	if strings.Contains(strings.TrimSpace(source), "\n") {
		at = fmt.Sprintf("line %d, %s", first.Location.Line(), at)
	}
	message := first.Message + ", at " + at
	if env == c.env.forRepo && strings.Contains(first.Message, "'"+varRepository+"'") {
		message += "; repository depends on the result and is not known here: use target, repoDefault or upstream"
	}
	return errors.New(message)
}

// describe names a type in a message.
func describe(t *cel.Type) string {
	switch t.Kind() {
	case types.StructKind:
		return "an " + objectTypeName
	case types.MapKind:
		return "a map"
	case types.ListKind:
		return "a list"
	default:
		return t.String()
	}
}

// describeWanted names the type that an expression must give.
func describeWanted(gives *cel.Type) string {
	if gives == cel.IntType {
		return "an int"
	}
	return "a string"
}

// remedy says how to convert a value of the type to a string, or to an int.
func remedy(t, gives *cel.Type) string {
	if gives == cel.IntType {
		if t.IsExactType(cel.StringType) {
			return "use int(...)"
		}
		return "use another expression"
	}
	switch t.Kind() {
	case types.StructKind:
		return "choose one of its fields, such as its name"
	case types.MapKind:
		return "choose one of its values by its key"
	case types.ListKind:
		return "choose one of its elements, or join them by join(',')"
	case types.IntKind, types.UintKind, types.DoubleKind, types.BoolKind, types.BytesKind, types.TimestampKind,
		types.DurationKind:
		return "use string(...)"
	default:
		return "use another expression"
	}
}

// linear are the operators and functions whose cost grows no faster than what they are given.
var linear = map[string]bool{
	operators.Add: true, operators.Index: true, operators.Conditional: true, operators.LogicalAnd: true,
	operators.LogicalOr:  true,
	operators.LogicalNot: true, operators.Equals: true, operators.NotEquals: true, operators.In: true,
	overloads.StartsWith: true, overloads.EndsWith: true, overloads.Contains: true, overloads.Size: true,
	overloads.TypeConvertString: true, overloads.TypeConvertInt: true, variantNameFunction: true,
}

// isLinear reports whether an expression only selects, compares and joins, and how many values. Without loops and
// functions that multiply, it cannot cost more than the square of their number times the size of the largest.
func isLinear(compiled *cel.Ast) (yes bool, values int) {
	yes = true
	ast.PreOrderVisit(compiled.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.IdentKind, ast.LiteralKind:
			values++
		case ast.SelectKind:
		case ast.CallKind:
			yes = yes && linear[e.AsCall().FunctionName()]
		default:
			yes = false
		}
	}))
	return yes, values
}
