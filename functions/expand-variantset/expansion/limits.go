// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"math"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/bounds"
)

// costs counts what CEL does not: results of functions that are not resolved before they are called, for their
// arguments are dynamic, concatenations of lists, which could grow twofold with each step, and the steps of regular
// expressions, of which there may be far more than characters.
type costs struct{}

// CallCost returns what a call costs, or nil for what CEL makes of it (interpreter.ActualCostEstimator).
func (costs) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	cost := uint64(1)
	switch {
	case function == operators.Add && result.Type() == types.ListType:
		cost += sizeOf(result)
	case function == overloads.Matches && !types.IsError(result):
		size := uint64(patternSize(args[len(args)-1]))
		cost += size + (1+sizeOf(args[0])/10)*(1+size/4)
	case overload == "" && function != operators.Index:
		for _, arg := range args {
			cost += sizeOf(arg) / 10
		}
	default:
		return nil
	}
	return &cost
}

func sizeOf(value ref.Val) uint64 {
	if s, ok := value.(traits.Sizer); ok {
		if n, ok := s.Size().(types.Int); ok && n > 0 {
			return uint64(n)
		}
	}
	return 0
}

// bounded returns the functions of the extensions again, so that they refuse arguments that are too large, and
// arguments whose result would be. CEL counts what they cost after they have done their work.
func bounded(env *cel.Env) ([]cel.EnvOption, error) {
	standard, err := cel.NewEnv()
	if err != nil {
		return nil, err
	}
	own := standard.Functions()
	var options []cel.EnvOption
	for name, f := range env.Functions() {
		if own[name] != nil {
			continue
		}
		bindings, err := f.Bindings()
		if err != nil {
			return nil, err
		}
		byID := map[string]*functions.Overload{}
		for _, b := range bindings {
			byID[b.Operator] = b
		}
		var overloads []cel.FunctionOpt
		for _, o := range f.OverloadDecls() {
			if b := byID[o.ID()]; b != nil && o.HasBinding() {
				overloads = append(overloads, boundedOverload(name, o, b))
			}
		}
		if len(overloads) > 0 {
			options = append(options, cel.Function(name, overloads...))
		}
	}
	return options, nil
}

func boundedOverload(name string, o *decls.OverloadDecl, b *functions.Overload) cel.FunctionOpt {
	call := func(args ...ref.Val) ref.Val {
		if problem := tooLarge(name, args); problem != "" {
			return types.NewErr("%s", problem)
		}
		switch {
		case len(args) == 1 && b.Unary != nil:
			return b.Unary(args[0])
		case len(args) == 2 && b.Binary != nil:
			return b.Binary(args[0], args[1])
		default:
			return b.Function(args...)
		}
	}
	var binding cel.OverloadOpt
	switch len(o.ArgTypes()) {
	case 1:
		binding = cel.UnaryBinding(func(arg ref.Val) ref.Val { return call(arg) })
	case 2:
		binding = cel.BinaryBinding(func(a, b ref.Val) ref.Val { return call(a, b) })
	default:
		binding = cel.FunctionBinding(call)
	}
	if o.IsMemberFunction() {
		return cel.MemberOverload(o.ID(), o.ArgTypes(), o.ResultType(), binding)
	}
	return cel.Overload(o.ID(), o.ArgTypes(), o.ResultType(), binding)
}

// tooLarge says why a function must not be called, or "".
func tooLarge(name string, args []ref.Val) string {
	elements, text := bounds.CallElements, bounds.CallBytes
	for _, arg := range args {
		if !take(arg, &elements, &text) {
			return name + " takes lists of at most 1000 elements and texts of at most 256 KiB in all: make them smaller"
		}
	}
	if name == "replace" {
		s, old, by := textOf(args[0]), textOf(args[1]), textOf(args[2])
		grown := float64(strings.Count(s, old)) * math.Max(0, float64(len(by)-len(old)))
		if float64(len(s))+grown > bounds.CallBytes {
			return "replace gives a text of at most 256 KiB: make it smaller"
		}
	}
	return ""
}

func textOf(value ref.Val) string {
	s, _ := value.(types.String)
	return string(s)
}

// take takes a value, with all that is in it, off what is left, and reports whether that was enough.
func take(value ref.Val, elements, text *int) bool {
	switch v := value.(type) {
	case types.String:
		*text -= len(v)
	case types.Bytes:
		*text -= len(v)
	case traits.Lister:
		if sizeOf(v) > uint64(*elements) {
			return false
		}
		for it := v.Iterator(); it.HasNext() == types.True; {
			*elements--
			if !take(it.Next(), elements, text) {
				return false
			}
		}
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			*elements--
			key := it.Next()
			if !take(key, elements, text) || !take(v.Get(key), elements, text) {
				return false
			}
		}
	}
	return *elements >= 0 && *text >= 0
}

// contentSize returns the bytes that a template made of a variant.
func contentSize(spec *variant.Spec) int {
	n := mapSize(spec.Labels) + mapSize(spec.Annotations)
	if pc := spec.PackageContext; pc != nil {
		n += mapSize(pc.Data)
		for _, key := range pc.RemoveKeys {
			n += len(key)
		}
	}
	for i := range spec.DependsOn {
		n += len(spec.DependsOn[i].Name)
	}
	for i := range spec.Injectors {
		n += len(spec.Injectors[i].Name) + len(spec.Injectors[i].InjectionPoint)
	}
	if p := spec.Pipeline; p != nil {
		for _, list := range [][]variant.Function{p.Mutators, p.Validators} {
			for i := range list {
				n += mapSize(list[i].ConfigMap) + len(list[i].When)
			}
		}
	}
	return n
}

func mapSize(m map[string]string) int {
	n := 0
	for key, value := range m {
		n += len(key) + len(value)
	}
	return n
}
