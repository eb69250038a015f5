// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/package-variants/package-variants/functions/bounds"
)

// compiler compiles the expressions of one set, each source once.
type compiler struct {
	env   environments
	cache map[cacheKey]cel.Program
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
	return &compiler{env: env, cache: map[cacheKey]cel.Program{}}, err
}

// expression is a compiled expression and where it stands in the set.
type expression struct {
	path, source string
	// program counts the cost while it evaluates, and stops at the limit.
	program cel.Program
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

func (c *compiler) program(gives *cel.Type, env *environment, source string) (cel.Program, error) {
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
	if err := c.takePatterns(compiled); err != nil {
		return nil, err
	}
	return used.Program(compiled, cel.EvalOptions(cel.OptOptimize), cel.CostTracking(costs{}),
		cel.CostLimit(bounds.ExpressionCost))
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
