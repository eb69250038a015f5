// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/package-variants/package-variants/functions/bounds"
)

// variables are the values of the variables for one target.
type variables struct {
	repoDefault, packageDefault  string
	of                           string // names the upstream after a target in messages, if there are several upstreams
	upstream, repository, target map[string]any
	// cost is the cost of all evaluations of the set so far.
	cost uint64
	// trace has where people wrote each value, by its path; nil unless a template is rendered for that.
	trace map[string]written
	// warnings are about entries for the same key, warned has the paths of these.
	warnings []string
	warned   map[string]bool
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
	value, err := e.value(vars)
	if err != nil {
		return "", err
	}
	s, ok := value.(types.String)
	switch {
	case !ok:
		return "", e.failed(vars, fmt.Sprintf("it gives %s, but must give a string", typeOf(value)))
	case len(s) > bounds.ResultBytes:
		return "", e.failed(vars, fmt.Sprintf("it gives %d bytes, and a value may have %d: make it shorter", len(s),
			bounds.ResultBytes))
	}
	return string(s), nil
}

// evalInt evaluates the expression for one target; nil gives plain.
func (e *expression) evalInt(vars *variables, plain *int32) (*int32, error) {
	if e == nil {
		return plain, nil
	}
	value, err := e.value(vars)
	if err != nil {
		return nil, err
	}
	n, ok := value.(types.Int)
	switch {
	case !ok:
		return nil, e.failed(vars, fmt.Sprintf("it gives %s, but must give an int", typeOf(value)))
	case n > math.MaxInt32 || n < math.MinInt32:
		return nil, e.failed(vars, fmt.Sprintf("it gives %d, which is out of range: give a smaller number", n))
	}
	narrow := int32(n)
	return &narrow, nil
}

// value evaluates the expression for one target, within the limits.
func (e *expression) value(vars *variables) (ref.Val, error) {
	if vars.cost > bounds.SetCost { // an expression that failed has used it up
		return nil, e.limited(vars)
	}
	if vars.trace != nil {
		vars.trace[strings.TrimSuffix(e.path, "Expr")] = e.of()
	}
	value, details, err := e.program.Eval(vars)
	if details != nil && details.ActualCost() != nil {
		vars.cost += *details.ActualCost()
	}
	if err != nil {
		return nil, e.failed(vars, reason(err))
	}
	if vars.cost > bounds.SetCost {
		return nil, e.limited(vars)
	}
	return value, nil
}

func (e *expression) failed(vars *variables, reason string) *FieldError {
	return fieldErrorf(e.path, "cannot evaluate %s for target %s/%s%s: %s", quote(e.source), vars.repoDefault,
		vars.packageDefault, vars.of, reason)
}

// limited says that the expressions of the set have reached the limit of their cost.
func (e *expression) limited(vars *variables) error {
	return limitError{e.failed(vars, fmt.Sprintf("the expressions of this set have come to the cost limit of %d for all "+
		"targets: make them simpler, or select fewer", uint64(bounds.SetCost)))}
}

func reason(err error) string {
	var cancelled interpreter.EvalCancelledError
	if errors.As(err, &cancelled) && cancelled.Cause == interpreter.CostLimitExceeded {
		return fmt.Sprintf("it is too expensive and was stopped at the cost limit of %d: make it simpler",
			bounds.ExpressionCost)
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
