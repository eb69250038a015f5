// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/node"
	"k8s.io/apimachinery/pkg/util/validation"
)

// validator collects the errors in a set. The rules are those of the CRD's schema, which kpt does not apply.
type validator struct {
	errs []error
}

// Validate returns all that is wrong with the set's spec, which stands at path, as FieldErrors joined.
func Validate(set *v1alpha2.PackageVariantSet, path string) error {
	v := &validator{}
	v.require("metadata.name", set.Name)
	switch owner := OwnerOf(set); {
	case len(owner) > maxNameLength:
		v.errorf("metadata.name", "has %d characters, but as the value of the label %s it may have %d at most: shorten it",
			len(owner), v1alpha2.OwnerLabel, maxNameLength)
	case len(validation.IsValidLabelValue(owner)) > 0:
		v.errorf("metadata.name", "is %q, which the label %s of the variants cannot have as its value: use letters, digits, "+
			"'-', '_' and '.', beginning and ending with a letter or digit", owner, v1alpha2.OwnerLabel)
	}
	if ns := set.Namespace; ns != "" && len(validation.IsDNS1123Label(ns)) > 0 {
		v.errorf("metadata.namespace", "is %q, which no namespace can have as its name: correct it", node.Short(ns))
	}
	v.upstreams(set, path)
	v.maxDeletions(node.Join(path, "maxDeletions"), set.Spec.MaxDeletions)
	if len(set.Spec.Targets) == 0 {
		v.errorf(node.Join(path, "targets"),
			"is empty: say where the variants are to be, by repositories, repositorySelector or objectSelector")
	}
	for i := range set.Spec.Targets {
		v.target(node.Index(node.Join(path, "targets"), i), &set.Spec.Targets[i])
	}
	v.add(set.Spec.Rollout.Validate(node.Join(path, "rollout")))
	v.add(set.Spec.ErrorPolicy.Validate(node.Join(path, "errorPolicy")))
	if len(v.errs) == 0 {
		v.size(set, path)
	}
	if len(v.errs) == 0 {
		v.claims(set, path)
	}
	return errors.Join(v.errs...)
}

// size refuses more variants than a set may have, if they can be counted without a cluster.
func (v *validator) size(set *v1alpha2.PackageVariantSet, path string) {
	n := 0
	for i := range set.Spec.Targets {
		n += countExplicit(set.Spec.Targets[i].Repositories)
	}
	if err := tooMany(node.Join(path, "targets"), n*max(1, len(NamedUpstreams(set, path)))); err != nil {
		v.errs = append(v.errs, err)
	}
}

// claims refuses downstream packages that two targets, or two upstreams, want, if that can be seen without a cluster:
// for explicit lists without expressions, and for named upstreams.
func (v *validator) claims(set *v1alpha2.PackageVariantSet, path string) {
	var origins []origin
	for _, u := range NamedUpstreams(set, path) {
		origins = append(origins, namedOrigin(set, u))
	}
	path = node.Join(path, "targets")
	claimed := map[variant.Downstream]want{}
	for i := range set.Spec.Targets {
		t := &target{path: node.Index(path, i), template: &template{source: set.Spec.Targets[i].Template}}
		plain := t.template.plainDownstream()
		if isSet(plain.RepoExpr) || isSet(plain.PackageExpr) {
			continue
		}
		for _, p := range explicit(set.Spec.Targets[i].Repositories) {
			for k := range origins {
				w := want{t, &p, &origins[k]}
				d := variant.Downstream{Repo: *orDefault(plain.Repo, p.repo), Package: *orDefault(plain.Package, w.pkg())}
				if first, taken := claimed[d]; taken {
					v.errs = append(v.errs, first.taken(w, d))
					continue
				}
				claimed[d] = w
			}
		}
	}
}

func isSet(s *string) bool { return s != nil && *s != "" }

// ifSet returns a pointer to a text, and nil for an empty one.
func ifSet(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Compile returns the errors in the expressions and the label selectors of a valid set, as joined FieldErrors. So
// callers can distinguish them from errors of Expand that are due to a missing object.
func Compile(set *v1alpha2.PackageVariantSet, path string) error {
	_, _, err := readTargets(set, path, &Snapshot{})
	if sel := set.Spec.UpstreamSelector; sel != nil {
		_, _, invalid := (&Snapshot{}).selectedOrigins(sel, node.Join(path, "upstreamSelector"))
		err = errors.Join(invalid, err)
	}
	return err
}

func (v *validator) errorf(path, format string, args ...any) {
	v.errs = append(v.errs, fieldErrorf(path, format, args...))
}

func (v *validator) require(path, value string) {
	if value == "" {
		v.errorf(path, "is missing: set it")
	}
}

// add adds what the API's rules say.
func (v *validator) add(errs variant.FieldErrors) {
	for _, e := range errs {
		v.errorf(e.Path, "%s", e.Reason)
	}
}

// problem adds what is wrong with a field, unless that is "".
func (v *validator) problem(path, problem string) {
	if problem != "" {
		v.errorf(path, "%s", problem)
	}
}

// atMostOne refuses a plain value together with an expression for the same thing.
func atMostOne[T any](v *validator, path, plainKey, exprKey string, plain *T, expr *string) {
	if plain != nil && expr != nil {
		v.errorf(path, "has both %s and %s: decide for one", plainKey, exprKey)
	}
}

func (v *validator) exactlyOne(path, plainKey, exprKey string, plain, expr *string) {
	atMostOne(v, path, plainKey, exprKey, plain, expr)
	if plain == nil && expr == nil {
		v.errorf(path, "has neither %s nor %s: set one", plainKey, exprKey)
	}
}

// upstreams refuses a set that does not specify its upstreams in exactly one way, and upstreams that no variant may
// have.
func (v *validator) upstreams(set *v1alpha2.PackageVariantSet, path string) {
	spec, ways := &set.Spec, []string{}
	if spec.Upstream != nil {
		ways = append(ways, "upstream")
	}
	if spec.Upstreams != nil {
		ways = append(ways, "upstreams")
	}
	if spec.UpstreamSelector != nil {
		ways = append(ways, "upstreamSelector")
	}
	switch {
	case len(ways) == 0:
		v.errorf(node.Join(path, "upstream"), "is missing: name the package to make variants of, or several by upstreams, "+
			"or select them by upstreamSelector")
	case len(ways) > 1:
		v.errorf(node.Join(path, ways[1]), "stands beside %s, but a set has exactly one of upstream, upstreams and "+
			"upstreamSelector: decide for one", ways[0])
	case spec.Upstreams != nil && len(spec.Upstreams) == 0:
		v.errorf(node.Join(path, "upstreams"), "is empty: name the packages to make variants of")
	}
	for _, u := range NamedUpstreams(set, path) {
		v.add(u.Validate(u.Path))
		if u.Revision.IsZero() && u.WorkspaceName == "" {
			v.errorf(u.Path, "has neither revision nor workspaceName: set one")
		}
	}
	if s := spec.UpstreamSelector; s != nil && s.Repo != "" {
		v.problem(node.Join(path, "upstreamSelector.repo"), variant.RepositoryProblem(s.Repo))
	}
}

func (v *validator) target(path string, t *v1alpha2.Target) {
	kinds := 0
	if t.Repositories != nil {
		kinds++
		v.repositories(node.Join(path, "repositories"), t.Repositories)
	}
	if t.RepositorySelector != nil {
		kinds++
		v.packageNames(node.Join(path, "repositorySelector"), t.RepositorySelector.PackageNames)
	}
	if s := t.ObjectSelector; s != nil {
		kinds++
		v.require(node.Join(path, "objectSelector.apiVersion"), s.APIVersion)
		v.require(node.Join(path, "objectSelector.kind"), s.Kind)
		v.packageNames(node.Join(path, "objectSelector"), s.PackageNames)
	}
	if kinds != 1 {
		v.errorf(path, "has %d of repositories, repositorySelector and objectSelector, but must have exactly one", kinds)
	}
	if t.Template != nil {
		v.template(node.Join(path, "template"), t.Template)
	}
}

func (v *validator) repositories(path string, repositories []v1alpha2.RepositoryTarget) {
	if len(repositories) == 0 {
		v.errorf(path, "is empty: name the repositories, or use a selector")
	}
	for i, r := range repositories {
		v.problem(node.Join(node.Index(path, i), "name"), variant.RepositoryProblem(r.Name))
		v.packageNames(node.Index(path, i), r.PackageNames)
	}
}

func (v *validator) packageNames(path string, names []string) {
	for i, name := range names {
		v.problem(node.Index(node.Join(path, "packageNames"), i), variant.PackageProblem(name))
	}
}

func (v *validator) template(path string, t *v1alpha2.PackageVariantTemplate) {
	if t.Downstream != nil {
		v.downstream(node.Join(path, "downstream"), t.Downstream)
	}
	oneOf(v, node.Join(path, "adoptionPolicy"), t.AdoptionPolicy, variant.AdoptionPolicyAdoptNone,
		variant.AdoptionPolicyAdoptExisting)
	oneOf(v, node.Join(path, "deletionPolicy"), t.DeletionPolicy, variant.DeletionPolicyDelete,
		variant.DeletionPolicyOrphan)
	if u := t.Upgrade; u != nil {
		oneOf(v, node.Join(path, "upgrade.onConflict"), &u.OnConflict, variant.OnConflictTakeUpstream,
			variant.OnConflictKeepLocal,
			variant.OnConflictStop)
	}
	v.lifecycle(path, t)
	v.add(variant.ValidateLabels(node.Join(path, "labels"), t.Labels))
	v.add(steeringKeys(path, t.Labels, t.Annotations))
	v.mapExprs(node.Join(path, "labelExprs"), t.LabelExprs, variant.ValidateLabels, variant.SteeringKeys)
	v.add(variant.ValidateAnnotations(node.Join(path, "annotations"), t.Annotations))
	v.mapExprs(node.Join(path, "annotationExprs"), t.AnnotationExprs, variant.ValidateAnnotations, variant.SteeringKeys)
	if pc := t.PackageContext; pc != nil {
		plain := variant.PackageContext{Data: pc.Data, RemoveKeys: pc.RemoveKeys}
		v.add(plain.Validate(node.Join(path, "packageContext")))
		v.mapExprs(node.Join(path, "packageContext.dataExprs"), pc.DataExprs,
			func(path string, data map[string]string) variant.FieldErrors {
				return (&variant.PackageContext{Data: data}).Validate(path)
			})
		for i := range pc.RemoveKeyExprs {
			v.require(node.Index(node.Join(path, "packageContext.removeKeyExprs"), i), pc.RemoveKeyExprs[i])
		}
	}
	for i := range t.Injectors {
		v.injector(node.Index(node.Join(path, "injectors"), i), &t.Injectors[i])
	}
	if p := t.Pipeline; p != nil {
		v.functions(node.Join(path, "pipeline.mutators"), p.Mutators)
		v.functions(node.Join(path, "pipeline.validators"), p.Validators)
	}
}

func (v *validator) downstream(path string, d *v1alpha2.DownstreamTemplate) {
	atMostOne(v, path, "repo", "repoExpr", d.Repo, d.RepoExpr)
	atMostOne(v, path, "package", "packageExpr", d.Package, d.PackageExpr)
	if isSet(d.Repo) {
		v.problem(node.Join(path, "repo"), variant.RepositoryProblem(*d.Repo))
	}
	if isSet(d.Package) {
		v.problem(node.Join(path, "package"), variant.PackageProblem(*d.Package))
	}
}

func (v *validator) injector(path string, injector *v1alpha2.InjectionSelectorTemplate) {
	v.exactlyOne(path, "name", "nameExpr", injector.Name, injector.NameExpr)
	if injector.Name != nil {
		v.require(node.Join(path, "name"), *injector.Name)
	}
	atMostOne(v, path, "injectionPoint", "injectionPointExpr", injector.InjectionPoint, injector.InjectionPointExpr)
}

// oneOf refuses a value that is set and not among the allowed ones.
func oneOf[T ~string](v *validator, path string, value *T, allowed ...T) {
	if value != nil && *value != "" && !slices.Contains(allowed, *value) {
		v.errorf(path, "is %q, but must be one of %q", *value, allowed)
	}
}

func (v *validator) functions(path string, functions []v1alpha2.FunctionTemplate) {
	for i, f := range functions {
		at := node.Index(path, i)
		v.add(f.Validate(at))
		atMostOne(v, at, "when", "whenExpr", ifSet(f.When), f.WhenExpr)
		for j, e := range f.ConfigMapExprs { // here Porch takes a plain value beside an expression, which wins
			if e.Key == nil && e.KeyExpr == nil {
				v.errorf(node.Index(node.Join(at, "configMapExprs"), j), "has neither key nor keyExpr: set one")
			}
			if e.Key != nil && *e.Key == "" && e.KeyExpr == nil {
				v.errorf(node.Join(node.Index(node.Join(at, "configMapExprs"), j), "key"), "is empty: name the key")
			}
		}
	}
}
