// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
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

// compiler compiles the expressions of one set, each source once.
type compiler struct {
	env     *cel.Env // with all variables
	repoEnv *cel.Env // without repository
	cache   map[cacheKey]cel.Program
	errs    []error
}

type cacheKey struct {
	env    *cel.Env
	source string
}

func newCompiler() (*compiler, error) {
	object := cel.MapType(cel.StringType, cel.DynType)
	repoEnv, err := cel.NewEnv(
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
		return nil, fmt.Errorf("cannot set up CEL: %w", err)
	}
	env, err := repoEnv.Extend(cel.Variable(varRepository, object))
	if err != nil {
		return nil, fmt.Errorf("cannot set up CEL: %w", err)
	}
	return &compiler{env: env, repoEnv: repoEnv, cache: map[cacheKey]cel.Program{}}, nil
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
	ast, issues := env.Compile(source)
	if issues != nil && len(issues.Errors()) > 0 {
		first := issues.Errors()[0]
		message := fmt.Sprintf("%s, at column %d", first.Message, first.Location.Column()+1)
		if env == c.repoEnv && strings.Contains(first.Message, "'"+varRepository+"'") {
			message += "; repository depends on the result and is not known here: use target, repoDefault or upstream"
		}
		return nil, errors.New(message)
	}
	if t := ast.OutputType(); !t.IsExactType(cel.StringType) && !t.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("it gives %s, but must give a string: use string(...)", t)
	}
	return env.Program(ast, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(costLimit))
}

// variables are the values of the variables for one target.
type variables struct {
	repoDefault, packageDefault string
	upstream, repository        map[string]any
	target                      any
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
		return v.repository, v.repository != nil
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
