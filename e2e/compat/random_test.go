// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"maps"
	"math/rand"
	"slices"
)

// maker makes a random value. The value absent leaves the field out that it would be put in.
type maker func(*rand.Rand) any

type absence struct{}

var absent = absence{}

// one makes the value usual, and now and then one of the others.
func one(usual any, others ...any) maker {
	return func(r *rand.Rand) any {
		if r.Float64() < 0.04 {
			return others[r.Intn(len(others))]
		}
		return usual
	}
}

// maybe makes what m makes, or nothing at all.
func maybe(m maker) maker {
	return func(r *rand.Rand) any {
		if r.Intn(2) == 0 {
			return absent
		}
		return m(r)
	}
}

// either makes what one of the makers makes.
func either(makers ...maker) maker {
	return func(r *rand.Rand) any { return makers[r.Intn(len(makers))](r) }
}

// object makes an object with these fields.
func object(fields map[string]maker) maker {
	names := slices.Sorted(maps.Keys(fields))
	return func(r *rand.Rand) any {
		out := map[string]any{}
		for _, name := range names {
			if value := fields[name](r); value != absent {
				out[name] = value
			}
		}
		return out
	}
}

// list makes a list of up to two elements, most often one.
func list(m maker) maker {
	return func(r *rand.Rand) any {
		out := []any{}
		for range []int{0, 1, 1, 1, 1, 1, 1, 1, 2, 2}[r.Intn(10)] {
			out = append(out, m(r))
		}
		return out
	}
}

var (
	revision = one(int64(3), absent, int64(0), int64(-1))
	function = object(map[string]maker{
		"image": one("set-labels", absent, ""),
		"exec":  one(absent, "", "./annotate"),
		"name":  one("labels", absent, "", "a.b"),
	})
	functions = list(function)
	upstream  = object(map[string]maker{
		"repo":          one("blueprints", absent, ""),
		"package":       one("billing", absent, ""),
		"revision":      revision,
		"workspaceName": one(absent, "", "v3"),
	})
	contextData = object(map[string]maker{
		"a":            one("x", absent, ""),
		"name":         one(absent, "x"),
		"package-path": one(absent, "x"),
	})
	removeKeys = list(one("b", "", "a", "name", "package-path"))
	mapExprs   = list(object(map[string]maker{
		"key":       one("k", absent, "", "name", "package-path"),
		"keyExpr":   one(absent, "", "e"),
		"value":     one("v", absent, ""),
		"valueExpr": one(absent, "", "e"),
	}))
	pipeline = object(map[string]maker{"mutators": maybe(functions), "validators": maybe(functions)})
)

// randomVariant makes the spec of a PackageVariant.
func randomVariant(r *rand.Rand) any {
	return object(map[string]maker{
		"upstream": either(upstream, upstream, upstream, one(map[string]any{}, absent)),
		"downstream": object(map[string]maker{
			"repo":    one("edge", absent, ""),
			"package": one("billing", absent, ""),
		}),
		"adoptionPolicy": one("adoptNone", absent, "", "adoptExisting", "adoptAll"),
		"deletionPolicy": one("delete", absent, "", "orphan", "keep"),
		"packageContext": maybe(object(map[string]maker{"data": contextData, "removeKeys": removeKeys})),
		"pipeline":       maybe(pipeline),
		"injectors": maybe(list(object(map[string]maker{
			"name": one("a", ""),
			"kind": one("ConfigMap", absent, ""),
		}))),
	})(r)
}

// randomSet makes the spec of a PackageVariantSet.
func randomSet(r *rand.Rand) any {
	exprFunctions := list(object(map[string]maker{
		"image":          one("set-labels", absent, ""),
		"exec":           one(absent, "", "./annotate"),
		"name":           one("labels", absent, "", "a.b"),
		"configMapExprs": maybe(mapExprs),
	}))
	template := object(map[string]maker{
		"downstream": maybe(object(map[string]maker{
			"repo":        one("edge", absent, ""),
			"repoExpr":    one(absent, "", "e"),
			"package":     one("billing", absent, ""),
			"packageExpr": one(absent, "", "e"),
		})),
		"adoptionPolicy":  one("adoptNone", absent, "", "adoptExisting", "adoptAll"),
		"deletionPolicy":  one("delete", absent, "", "orphan", "keep"),
		"labelExprs":      maybe(mapExprs),
		"annotationExprs": maybe(mapExprs),
		"packageContext": maybe(object(map[string]maker{
			"data":           contextData,
			"removeKeys":     removeKeys,
			"dataExprs":      maybe(mapExprs),
			"removeKeyExprs": maybe(list(one("e", ""))),
		})),
		"injectors": maybe(list(object(map[string]maker{
			"name":     one("a", absent, ""),
			"nameExpr": one(absent, "", "e"),
		}))),
		"pipeline": maybe(object(map[string]maker{"mutators": maybe(exprFunctions), "validators": maybe(exprFunctions)})),
	})
	repositories := list(object(map[string]maker{
		"name":         one("edge", ""),
		"packageNames": one(absent, []any{}, []any{"p"}, []any{"p", ""}),
	}))
	labels := func(*rand.Rand) any { return map[string]any{"tier": "edge"} }
	repositorySelector := object(map[string]maker{"matchLabels": maybe(labels)})
	objectSelector := object(map[string]maker{
		"apiVersion":  one("v1", absent, ""),
		"kind":        one("Site", absent, ""),
		"name":        one(absent, "", "edge"),
		"matchLabels": maybe(labels),
	})
	// Most targets select in one way, some in none, several or any.
	nothing := one(absent, absent)
	target := either(
		object(map[string]maker{"repositories": repositories, "template": maybe(template)}),
		object(map[string]maker{"repositorySelector": repositorySelector, "template": maybe(template)}),
		object(map[string]maker{"objectSelector": objectSelector, "template": maybe(template)}),
		object(map[string]maker{
			"repositories":       either(nothing, repositories),
			"repositorySelector": either(nothing, repositorySelector),
			"objectSelector":     either(nothing, objectSelector),
		}),
	)
	return object(map[string]maker{
		"upstream": either(upstream, upstream, upstream, one(map[string]any{}, absent)),
		"targets":  list(target),
	})(r)
}
