// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
)

// The variables of expressions (a Porch convention).
const (
	varRepoDefault    = "repoDefault"
	varPackageDefault = "packageDefault"
	varUpstream       = "upstream"
	varRepository     = "repository"
	varTarget         = "target"
)

const (
	// costLimit bounds the evaluation of one expression, in CEL's cost units. It takes about a millisecond to reach;
	// an expression over a few labels costs less than a hundredth.
	costLimit = 100_000
	// maxRange bounds the lists that lists.range makes: what it makes is paid for only afterwards.
	maxRange = 1_000
	// maxExpressionLength bounds the source of an expression, in bytes.
	maxExpressionLength = 10_000
)

// environments are the CEL environments of all sets: they hold declarations only.
type environments struct {
	all     *cel.Env // with all variables
	forRepo *cel.Env // without repository
}

var newEnvironments = sync.OnceValues(func() (environments, error) {
	object := cel.MapType(cel.StringType, cel.DynType)
	forRepo, err := cel.NewEnv(
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		ext.Strings(), ext.Lists(ext.ListsMaxRangeSize(maxRange)), ext.Sets(), ext.Math(),
		cel.Variable(varRepoDefault, cel.StringType),
		cel.Variable(varPackageDefault, cel.StringType),
		cel.Variable(varUpstream, object),
		cel.Variable(varTarget, object),
	)
	if err != nil {
		return environments{}, fmt.Errorf("cannot set up CEL: %w", err)
	}
	all, err := forRepo.Extend(cel.Variable(varRepository, object))
	if err != nil {
		return environments{}, fmt.Errorf("cannot set up CEL: %w", err)
	}
	return environments{all: all, forRepo: forRepo}, nil
})

// compiler compiles the expressions of one set, each source once.
type compiler struct {
	env   environments
	cache map[cacheKey]cel.Program
	errs  []error
}

type cacheKey struct {
	env    *cel.Env
	source string
}

func newCompiler() (*compiler, error) {
	env, err := newEnvironments()
	return &compiler{env: env, cache: map[cacheKey]cel.Program{}}, err
}

// expression is a compiled expression and where it stands in the set.
type expression struct {
	path, source string
	program      cel.Program
}

// compile compiles the expression at path; nil gives nil. What is wrong with it is collected in c.errs.
func (c *compiler) compile(env *cel.Env, path string, source *string) *expression {
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

func (c *compiler) program(env *cel.Env, source string) (cel.Program, error) {
	if len(source) > maxExpressionLength {
		return nil, fmt.Errorf("it has %d characters, and %d are allowed: shorten it", len(source), maxExpressionLength)
	}
	compiled, issues := env.Compile(source)
	if issues != nil && len(issues.Errors()) > 0 {
		first := issues.Errors()[0]
		message := fmt.Sprintf("%s, at column %d", first.Message, first.Location.Column()+1)
		if env == c.env.forRepo && strings.Contains(first.Message, "'"+varRepository+"'") {
			message += "; repository depends on the result and is not known here: use target, repoDefault or upstream"
		}
		return nil, errors.New(message)
	}
	if t := compiled.OutputType(); !t.IsExactType(cel.StringType) && !t.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("it gives %s, but must give a string: use string(...)", t)
	}
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	if !isLinear(compiled) {
		options = append(options, cel.CostLimit(costLimit))
	}
	return env.Program(compiled, options...)
}

// linear are the operators and functions whose cost grows no faster than what they are given.
var linear = map[string]bool{
	operators.Add: true, operators.Index: true, operators.Conditional: true, operators.LogicalAnd: true, operators.LogicalOr: true,
	operators.LogicalNot: true, operators.Equals: true, operators.NotEquals: true, operators.In: true,
	overloads.StartsWith: true, overloads.EndsWith: true, overloads.Contains: true, overloads.Size: true, overloads.TypeConvertString: true,
}

// isLinear reports whether an expression only selects, compares and joins. Without loops and functions that multiply,
// it cannot cost more than its length allows, so that the count of its cost, which takes most of the time of such an
// expression, can be left out.
func isLinear(compiled *cel.Ast) bool {
	yes := true
	ast.PreOrderVisit(compiled.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.IdentKind, ast.LiteralKind, ast.SelectKind:
		case ast.CallKind:
			yes = yes && linear[e.AsCall().FunctionName()]
		default:
			yes = false
		}
	}))
	return yes
}

// variables are the values of the variables for one target.
type variables struct {
	repoDefault, packageDefault  string
	upstream, repository, target map[string]any
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
	value, _, err := e.program.Eval(vars)
	if err != nil {
		return "", e.failed(vars, reason(err))
	}
	s, ok := value.(types.String)
	if !ok {
		return "", e.failed(vars, fmt.Sprintf("it gives %s, but must give a string", typeOf(value)))
	}
	return string(s), nil
}

func (e *expression) failed(vars *variables, reason string) error {
	return fieldErrorf(e.path, "cannot evaluate %s for target %s/%s: %s", quote(e.source), vars.repoDefault, vars.packageDefault, reason)
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
