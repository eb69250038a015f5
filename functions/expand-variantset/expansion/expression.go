// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// compiler compiles the expressions of one set, each source once.
type compiler struct {
	env   environments
	cache map[cacheKey]*program
	errs  []error
}

type cacheKey struct {
	env    *environment
	source string
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
	// fast does not, which takes a fraction of the time; nil if the expression has loops or functions that multiply.
	fast cel.Program
	// values is the number of values that the expression joins and compares, length that of its source.
	values, length int
}

// compile compiles the expression at path; nil gives nil. What is wrong with it is collected in c.errs.
func (c *compiler) compile(env *environment, path string, source *string) *expression {
	if source == nil || *source == "" {
		return nil
	}
	e := &expression{path: path, source: *source}
	key := cacheKey{env, *source}
	if e.program = c.cache[key]; e.program != nil {
		return e
	}
	program, err := c.program(env, *source)
	if err != nil {
		c.errs = append(c.errs, fieldErrorf(path, "cannot compile %s: %s", quote(*source), err))
		return nil
	}
	c.cache[key], e.program = program, program
	return e
}

func (c *compiler) program(env *environment, source string) (*program, error) {
	if len(source) > maxExpressionLength {
		return nil, fmt.Errorf("it has %d characters, and %d are allowed: shorten it", len(source), maxExpressionLength)
	}
	used := env.typed
	compiled, issues := compile(used, source)
	if issues.Err() != nil {
		used = env.dynamic
		var also *cel.Issues
		if compiled, also = compile(used, source); also.Err() != nil {
			return nil, c.explain(env, source, issues)
		}
	} else if t := compiled.OutputType(); !t.IsExactType(cel.StringType) && !t.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("it gives %s, but must give a string: %s", describe(t), remedy(t))
	}
	p := &program{length: len(source)}
	optimize := cel.EvalOptions(cel.OptOptimize)
	var err error
	if p.tracked, err = used.Program(compiled, optimize, cel.CostTracking(costs{}), cel.CostLimit(costLimit)); err != nil {
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

// remedy says how to make a string of a value of the type.
func remedy(t *cel.Type) string {
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
	overloads.TypeConvertString: true,
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

// variables are the values of the variables for one target.
type variables struct {
	repoDefault, packageDefault  string
	upstream, repository, target map[string]any
	// longest is the length of the longest text in them.
	longest int
	// cost is what all evaluations of the set have cost until now.
	cost uint64
}

// ResolveName returns the value of a variable (cel.Activation).
func (v *variables) ResolveName(name string) (any, bool) {
	switch name {
	case varRepoDefault:
		return v.repoDefault, true
	case varPackageDefault:
		return v.packageDefault, true
	case varUpstream:
		return v.upstream, true
	case varTarget:
		return v.target, true
	case varRepository:
		return v.repository, true
	}
	return nil, false
}

// Parent returns nil: there is no outer scope (cel.Activation).
func (v *variables) Parent() cel.Activation { return nil }

// eval evaluates the expression for one target; nil gives plain, or "" if that is nil too.
func (e *expression) eval(vars *variables, plain *string) (string, error) {
	if e == nil {
		if plain == nil {
			return "", nil
		}
		return *plain, nil
	}
	value, err := e.program.eval(vars)
	if err != nil {
		return "", e.failed(vars, reason(err))
	}
	s, ok := value.(types.String)
	switch {
	case !ok:
		return "", e.failed(vars, fmt.Sprintf("it gives %s, but must give a string", typeOf(value)))
	case len(s) > maxResult:
		return "", e.failed(vars, fmt.Sprintf("it gives %d bytes, and a value may have %d: make it shorter", len(s),
			maxResult))
	case vars.cost > maxSetCost:
		return "", e.failed(vars,
			fmt.Sprintf("the expressions of this set have come to the cost limit of %d for all targets: "+
				"make them simpler, or select fewer",
				uint64(maxSetCost)))
	}
	return string(s), nil
}

// eval evaluates the program: the fast way if that cannot take long.
func (p *program) eval(vars *variables) (ref.Val, error) {
	if p.fast != nil && p.values*p.values*max(vars.longest, p.length) <= maxUntracked {
		value, _, err := p.fast.Eval(vars)
		return value, err
	}
	value, details, err := p.tracked.Eval(vars)
	if details != nil && details.ActualCost() != nil {
		vars.cost += *details.ActualCost()
	}
	return value, err
}

func (e *expression) failed(vars *variables, reason string) error {
	return fieldErrorf(e.path, "cannot evaluate %s for target %s/%s: %s", quote(e.source), vars.repoDefault,
		vars.packageDefault, reason)
}

func reason(err error) string {
	var cancelled interpreter.EvalCancelledError
	if errors.As(err, &cancelled) && cancelled.Cause == interpreter.CostLimitExceeded {
		return fmt.Sprintf("it is too expensive and was stopped at the cost limit of %d: make it simpler", costLimit)
	}
	return err.Error()
}

func typeOf(value ref.Val) string {
	if slices.Contains([]ref.Type{types.MapType, types.ListType}, value.Type()) {
		return "a " + value.Type().TypeName()
	}
	return value.Type().TypeName()
}

// quote shows the source of an expression in a message, cut if it is long.
func quote(source string) string {
	const shown = 200
	if len(source) > shown {
		source = source[:shown] + "..."
	}
	return fmt.Sprintf("%q", source)
}
