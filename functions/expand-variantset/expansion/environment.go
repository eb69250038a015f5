// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"

	"github.com/package-variants/package-variants/functions/bounds"
)

// The variables of expressions (a Porch convention).
const (
	varRepoDefault    = "repoDefault"
	varPackageDefault = "packageDefault"
	varUpstream       = "upstream"
	varRepository     = "repository"
	varTarget         = "target"
)

// environment compiles the expressions that see the same variables.
type environment struct {
	// typed has types for objects, so that the checker finds mistakes, and a concatenation of labels is a string.
	typed *cel.Env
	// dynamic has no types for objects, as in Porch. Expressions that only it accepts, such as target['name'], are
	// allowed, too.
	dynamic *cel.Env
}

// environments are the CEL environments of all sets: they hold declarations only.
type environments struct {
	all     *environment // with all variables
	forRepo *environment // without repository
}

var newEnvironments = sync.OnceValues(func() (environments, error) {
	out := environments{all: &environment{}, forRepo: &environment{}}
	var err error
	if out.forRepo.typed, out.all.typed, err = newEnvs(cel.ObjectType(objectTypeName)); err == nil {
		out.forRepo.dynamic, out.all.dynamic, err = newEnvs(cel.DynType)
	}
	if err != nil {
		return environments{}, fmt.Errorf("cannot set up CEL: %w", err)
	}
	return out, nil
})

// newEnvs returns the environments in which objects are of the given type: without and with the variable repository.
func newEnvs(object *cel.Type) (forRepo, all *cel.Env, err error) {
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, nil, err
	}
	base, err := cel.NewCustomEnv(append(boundedMatches(),
		cel.CustomTypeProvider(objects{registry}), cel.CustomTypeAdapter(registry),
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		ext.Strings(), ext.Lists(ext.ListsMaxRangeSize(bounds.CallElements)), ext.Sets(), ext.Math(),
		declareVariantName(),
		cel.Variable(varRepoDefault, cel.StringType),
		cel.Variable(varPackageDefault, cel.StringType),
		cel.Variable(varUpstream, object),
		cel.Variable(varTarget, object),
	)...)
	if err != nil {
		return nil, nil, err
	}
	bounds, err := bounded(base)
	if err != nil {
		return nil, nil, err
	}
	if forRepo, err = base.Extend(append(bounds, declareOrdered())...); err != nil {
		return nil, nil, err
	}
	all, err = forRepo.Extend(cel.Variable(varRepository, object))
	return forRepo, all, err
}

// objectTypeName is the name of the type of objects in CEL. Their values are maps that lack some of its fields: only
// the target of an explicit list has repo and package, and it has no other fields.
const objectTypeName = "object"

var objectFields = map[string]*types.Type{
	"name": types.StringType, "namespace": types.StringType, "repo": types.StringType, "package": types.StringType,
	"labels":      types.NewMapType(types.StringType, types.StringType),
	"annotations": types.NewMapType(types.StringType, types.StringType),
}

// objects adds the type of objects to CEL's own types.
type objects struct{ *types.Registry }

// FindStructType finds the type of objects (types.Provider).
func (o objects) FindStructType(name string) (*types.Type, bool) {
	if name == objectTypeName {
		return types.NewTypeTypeWithParam(types.NewObjectType(objectTypeName)), true
	}
	return o.Registry.FindStructType(name)
}

// FindStructFieldNames returns the fields of objects (types.Provider).
func (o objects) FindStructFieldNames(name string) ([]string, bool) {
	if name == objectTypeName {
		return slices.Sorted(maps.Keys(objectFields)), true
	}
	return o.Registry.FindStructFieldNames(name)
}

// FindStructFieldType returns the type of a field of objects (types.Provider).
func (o objects) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if name == objectTypeName {
		t, found := objectFields[field]
		return &types.FieldType{Type: t}, found
	}
	return o.Registry.FindStructFieldType(name, field)
}

// variantNameFunction is the function that tells expressions the name of a variant of another set, or of their own set.
const variantNameFunction = "variantName"

// declareVariantName declares the function that names a set's variant, from the set, the repository and the package.
func declareVariantName() cel.EnvOption {
	s := cel.StringType
	return cel.Function(variantNameFunction, cel.Overload("variant_name", []*cel.Type{s, s, s}, s,
		cel.FunctionBinding(func(args ...ref.Val) ref.Val {
			return types.String(Name(textOf(args[0]), textOf(args[1]), textOf(args[2])))
		})))
}

// orderedFunction is the function that gives comprehensions the keys of a map in order. Users cannot call it.
const orderedFunction = "@ordered"

// declareOrdered declares the function that orders the keys of maps.
func declareOrdered() cel.EnvOption {
	t := cel.TypeParamType("T")
	return cel.Function(orderedFunction, cel.Overload("ordered", []*cel.Type{t}, t,
		cel.UnaryBinding(func(value ref.Val) ref.Val {
			if m, ok := value.(traits.Mapper); ok {
				return ordered{m}
			}
			return value
		})))
}

// compile parses and checks an expression, and makes its comprehensions iterate over maps in the order of their keys.
func compile(env *cel.Env, source string) (*cel.Ast, *cel.Issues) {
	parsed, issues := env.Parse(source)
	if issues.Err() != nil {
		return nil, issues
	}
	tree, factory := parsed.NativeRep(), ast.NewExprFactory()
	var loops []ast.Expr
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.ComprehensionKind && e.AsComprehension().IterRange().Kind() != ast.ListKind {
			loops = append(loops, e)
		}
	}))
	id := ast.MaxID(tree)
	for _, e := range loops {
		c := e.AsComprehension()
		if where, ok := tree.SourceInfo().GetOffsetRange(c.IterRange().ID()); ok {
			tree.SourceInfo().SetOffsetRange(id, where)
		}
		over := factory.NewCall(id, orderedFunction, c.IterRange())
		id++
		e.SetKindCase(factory.NewComprehension(e.ID(), over, c.IterVar(), c.AccuVar(), c.AccuInit(), c.LoopCondition(),
			c.LoopStep(), c.Result()))
	}
	return env.Check(parsed)
}

// ordered is a map that is iterated in the order of its keys. In Go's random order, the result of target.labels.map(k,
// k).join(',') would change from run to run.
type ordered struct{ traits.Mapper }

// Iterator returns the keys in their order (traits.Iterable).
func (m ordered) Iterator() traits.Iterator {
	var keys []ref.Val
	for it := m.Mapper.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	slices.SortFunc(keys, compareKeys)
	return types.NewRefValList(types.DefaultTypeAdapter, keys).Iterator()
}

// compareKeys compares two keys of a map by their types' names, then by their values.
func compareKeys(a, b ref.Val) int {
	if a.Type() == b.Type() {
		if c, ok := a.(traits.Comparer); ok {
			if n, ok := c.Compare(b).(types.Int); ok {
				return int(n)
			}
		}
	}
	return slices.Compare([]byte(a.Type().TypeName()), []byte(b.Type().TypeName()))
}
