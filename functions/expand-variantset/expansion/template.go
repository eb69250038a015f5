// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"maps"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/node"
)

// template is a target's template with its expressions compiled.
type template struct {
	source              *v1alpha2.PackageVariantTemplate
	repo, pkg           *expression
	labels, annotations mapTemplate
	data                mapTemplate
	removeKeys          []*expression
	removeKeysPath      string
	lifecycle           lifecycleTemplate
	injectors           []injectorTemplate
	mutators            []functionTemplate
	validators          []functionTemplate
}

// functionTemplate are the expressions of a function.
type functionTemplate struct {
	configMap mapTemplate
	when      *expression
}

// mapTemplate is a map of plain pairs under pairs of expressions. Its path is that of the map in a variant.
type mapTemplate struct {
	path  string
	plain map[string]string
	pairs []pairTemplate
}

// injectorTemplate are the expressions of an injector.
type injectorTemplate struct {
	name, point *expression
}

type pairTemplate struct {
	path       string
	source     v1alpha2.MapExpr
	key, value *expression
}

func (c *compiler) template(path string, source *v1alpha2.PackageVariantTemplate) *template {
	t := &template{source: source}
	if source == nil {
		t.source = &v1alpha2.PackageVariantTemplate{}
		return t
	}
	if d := source.Downstream; d != nil {
		t.repo = c.compile(c.env.forRepo, node.Join(path, "downstream.repoExpr"), d.RepoExpr)
		t.pkg = c.compile(c.env.all, node.Join(path, "downstream.packageExpr"), d.PackageExpr)
	}
	t.lifecycle = c.lifecycle(path, source)
	t.labels = c.mapTemplate(path, "labels", "labelExprs", source.Labels, source.LabelExprs)
	t.annotations = c.mapTemplate(path, "annotations", "annotationExprs", source.Annotations, source.AnnotationExprs)
	if pc := source.PackageContext; pc != nil {
		t.data = c.mapTemplate(node.Join(path, "packageContext"), "data", "dataExprs", pc.Data, pc.DataExprs)
		t.removeKeysPath = node.Join(path, "packageContext.removeKeys")
		for i := range pc.RemoveKeyExprs {
			at := node.Index(node.Join(path, "packageContext.removeKeyExprs"), i)
			t.removeKeys = append(t.removeKeys, c.compile(c.env.all, at, &pc.RemoveKeyExprs[i]))
		}
	}
	for i, injector := range source.Injectors {
		at := node.Index(node.Join(path, "injectors"), i)
		t.injectors = append(t.injectors, injectorTemplate{
			name:  c.compile(c.env.all, node.Join(at, "nameExpr"), injector.NameExpr),
			point: c.compile(c.env.all, node.Join(at, "injectionPointExpr"), injector.InjectionPointExpr),
		})
	}
	if p := source.Pipeline; p != nil {
		t.mutators = c.functions(node.Join(path, "pipeline.mutators"), p.Mutators)
		t.validators = c.functions(node.Join(path, "pipeline.validators"), p.Validators)
	}
	return t
}

// plainDownstream returns the template's downstream; an empty one if it has none.
func (t *template) plainDownstream() *v1alpha2.DownstreamTemplate {
	if t.source == nil || t.source.Downstream == nil {
		return &v1alpha2.DownstreamTemplate{}
	}
	return t.source.Downstream
}

func (c *compiler) functions(path string, functions []v1alpha2.FunctionTemplate) []functionTemplate {
	out := make([]functionTemplate, len(functions))
	for i, f := range functions {
		at := node.Index(path, i)
		out[i] = functionTemplate{
			configMap: c.mapTemplate(at, "configMap", "configMapExprs", f.ConfigMap, f.ConfigMapExprs),
			when:      c.compile(c.env.all, node.Join(at, "whenExpr"), f.WhenExpr),
		}
	}
	return out
}

// mapTemplate compiles the template of a map: the field plainKey of what is at path, and exprsKey for its expressions.
func (c *compiler) mapTemplate(path, plainKey, exprsKey string, plain map[string]string,
	exprs []v1alpha2.MapExpr) mapTemplate {
	m := mapTemplate{path: node.Join(path, plainKey), plain: plain, pairs: make([]pairTemplate, len(exprs))}
	for i, e := range exprs {
		at := node.Index(node.Join(path, exprsKey), i)
		m.pairs[i] = pairTemplate{
			path: at, source: e,
			key:   c.compile(c.env.all, node.Join(at, "keyExpr"), e.KeyExpr),
			value: c.compile(c.env.all, node.Join(at, "valueExpr"), e.ValueExpr),
		}
	}
	return m
}

// render returns the map for one target: the pairs of expressions win over plain ones of the same key. An empty map
// is nil.
func (m mapTemplate) render(vars *variables) (map[string]string, error) {
	if len(m.plain) == 0 && len(m.pairs) == 0 {
		return nil, nil
	}
	out := make(map[string]string, len(m.plain)+len(m.pairs))
	maps.Copy(out, m.plain)
	var first map[string]*pairTemplate
	if len(m.pairs) > 1 {
		first = make(map[string]*pairTemplate, len(m.pairs))
	}
	for i := range m.pairs {
		p := &m.pairs[i]
		key, err := p.key.eval(vars, p.source.Key)
		if err != nil {
			return nil, err
		}
		if vars.trace != nil {
			vars.trace[node.Join(m.path, key)] = p.of()
		}
		if other := first[key]; other != nil {
			vars.twice(other, p, key)
		}
		if first != nil {
			first[key] = p
		}
		if out[key], err = p.value.eval(vars, p.source.Value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// render fills the variant's spec for one target; its upstream and downstream are set already.
func (t *template) render(spec *variant.Spec, vars *variables) (err error) {
	if p := t.source.AdoptionPolicy; p != nil {
		spec.AdoptionPolicy = *p
	}
	if p := t.source.DeletionPolicy; p != nil {
		spec.DeletionPolicy = *p
	}
	spec.Upgrade = t.source.Upgrade
	if err = t.renderLifecycle(spec, vars); err != nil {
		return err
	}
	if spec.Labels, err = t.labels.render(vars); err != nil {
		return err
	}
	if spec.Annotations, err = t.annotations.render(vars); err != nil {
		return err
	}
	if spec.PackageContext, err = t.packageContext(vars); err != nil {
		return err
	}
	if spec.Injectors, err = t.renderInjectors(vars); err != nil {
		return err
	}
	spec.Pipeline, err = t.pipeline(vars)
	return err
}

// packageContext returns the package context for one target, its removeKeys sorted and each once, as Porch's
// controller writes them.
func (t *template) packageContext(vars *variables) (*variant.PackageContext, error) {
	source := t.source.PackageContext
	if source == nil {
		return nil, nil
	}
	data, err := t.data.render(vars)
	if err != nil {
		return nil, err
	}
	removeKeys, byKey := slices.Clone(source.RemoveKeys), map[string]*expression{}
	for _, e := range t.removeKeys {
		key, err := e.eval(vars, nil)
		if err != nil {
			return nil, err
		}
		removeKeys = append(removeKeys, key)
		byKey[key] = e
	}
	slices.Sort(removeKeys)
	removeKeys = slices.Compact(removeKeys)
	for i, key := range removeKeys {
		if e := byKey[key]; e != nil && vars.trace != nil {
			vars.trace[node.Index(t.removeKeysPath, i)] = e.of()
		}
	}
	return &variant.PackageContext{Data: data, RemoveKeys: removeKeys}, nil
}

func (t *template) renderInjectors(vars *variables) ([]variant.InjectionSelector, error) {
	var out []variant.InjectionSelector
	for i, source := range t.source.Injectors {
		injector := variant.InjectionSelector{Group: source.Group, Version: source.Version, Kind: source.Kind}
		var err error
		if injector.Name, err = t.injectors[i].name.eval(vars, source.Name); err != nil {
			return nil, err
		}
		if injector.InjectionPoint, err = t.injectors[i].point.eval(vars, source.InjectionPoint); err != nil {
			return nil, err
		}
		out = append(out, injector)
	}
	return out, nil
}

func (t *template) pipeline(vars *variables) (*variant.Pipeline, error) {
	source := t.source.Pipeline
	if source == nil {
		return nil, nil
	}
	mutators, err := renderFunctions(source.Mutators, t.mutators, vars)
	if err != nil {
		return nil, err
	}
	validators, err := renderFunctions(source.Validators, t.validators, vars)
	if err != nil || len(mutators)+len(validators) == 0 {
		return nil, err
	}
	return &variant.Pipeline{Mutators: mutators, Validators: validators}, nil
}

func renderFunctions(sources []v1alpha2.FunctionTemplate, templates []functionTemplate,
	vars *variables) ([]variant.Function, error) {
	var out []variant.Function
	for i, source := range sources {
		f := source.Function
		var err error
		if f.ConfigMap, err = templates[i].configMap.render(vars); err != nil {
			return nil, err
		}
		if f.When, err = templates[i].when.eval(vars, &f.When); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}
