// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/node"
)

// validator collects what is wrong with a set. The rules are those of the CRD's schema, which kpt does not apply.
type validator struct {
	errs []error
}

// Validate returns all that is wrong with the set's spec, which stands at path, as FieldErrors joined.
func Validate(set *v1alpha2.PackageVariantSet, path string) error {
	v := &validator{}
	v.require("metadata.name", set.Name)
	if owner := OwnerOf(set); len(owner) > maxNameLength {
		v.errorf("metadata.name", "has %d characters, but as the value of the label %s it may have %d at most: shorten it",
			len(owner), v1alpha2.OwnerLabel, maxNameLength)
	}
	v.upstream(node.Join(path, "upstream"), set.Spec.Upstream)
	if len(set.Spec.Targets) == 0 {
		v.errorf(node.Join(path, "targets"), "is empty: say where the variants are to be, by repositories, repositorySelector or objectSelector")
	}
	for i := range set.Spec.Targets {
		v.target(node.Index(node.Join(path, "targets"), i), &set.Spec.Targets[i])
	}
	return errors.Join(v.errs...)
}

// Compile returns what is wrong with the expressions and the label selectors of a valid set, as FieldErrors joined, so
// that they can be told from what Expand cannot do for want of an object.
func Compile(set *v1alpha2.PackageVariantSet, path string) error {
	_, _, err := readTargets(set, path, &Snapshot{})
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

// atMostOne refuses a plain value beside an expression for the same thing.
func (v *validator) atMostOne(path, plainKey, exprKey string, plain, expr *string) {
	if plain != nil && expr != nil {
		v.errorf(path, "has both %s and %s: decide for one", plainKey, exprKey)
	}
}

func (v *validator) exactlyOne(path, plainKey, exprKey string, plain, expr *string) {
	v.atMostOne(path, plainKey, exprKey, plain, expr)
	if plain == nil && expr == nil {
		v.errorf(path, "has neither %s nor %s: set one", plainKey, exprKey)
	}
}

func (v *validator) upstream(path string, u *variant.Upstream) {
	if u == nil {
		v.errorf(path, "is missing: name the package to make variants of")
		return
	}
	v.require(node.Join(path, "repo"), u.Repo)
	v.require(node.Join(path, "package"), u.Package)
	if u.Revision.IsZero() && u.WorkspaceName == "" {
		v.errorf(path, "has neither revision nor workspaceName: set one")
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
		v.require(node.Join(node.Index(path, i), "name"), r.Name)
		v.packageNames(node.Index(path, i), r.PackageNames)
	}
}

func (v *validator) packageNames(path string, names []string) {
	for i, name := range names {
		v.require(node.Index(node.Join(path, "packageNames"), i), name)
	}
}

func (v *validator) template(path string, t *v1alpha2.PackageVariantTemplate) {
	if d := t.Downstream; d != nil {
		v.atMostOne(node.Join(path, "downstream"), "repo", "repoExpr", d.Repo, d.RepoExpr)
		v.atMostOne(node.Join(path, "downstream"), "package", "packageExpr", d.Package, d.PackageExpr)
	}
	oneOf(v, node.Join(path, "adoptionPolicy"), t.AdoptionPolicy, variant.AdoptionPolicyAdoptNone, variant.AdoptionPolicyAdoptExisting)
	oneOf(v, node.Join(path, "deletionPolicy"), t.DeletionPolicy, variant.DeletionPolicyDelete, variant.DeletionPolicyOrphan)
	v.mapExprs(node.Join(path, "labelExprs"), t.LabelExprs)
	v.mapExprs(node.Join(path, "annotationExprs"), t.AnnotationExprs)
	if pc := t.PackageContext; pc != nil {
		v.mapExprs(node.Join(path, "packageContext.dataExprs"), pc.DataExprs)
	}
	for i, injector := range t.Injectors {
		v.exactlyOne(node.Index(node.Join(path, "injectors"), i), "name", "nameExpr", injector.Name, injector.NameExpr)
	}
	if p := t.Pipeline; p != nil {
		v.functions(node.Join(path, "pipeline.mutators"), p.Mutators)
		v.functions(node.Join(path, "pipeline.validators"), p.Validators)
	}
}

// oneOf refuses a value that is set and not among the allowed ones.
func oneOf[T ~string](v *validator, path string, value *T, allowed ...T) {
	if value != nil && *value != "" && !slices.Contains(allowed, *value) {
		v.errorf(path, "is %q, but must be one of %q", *value, allowed)
	}
}

func (v *validator) mapExprs(path string, exprs []v1alpha2.MapExpr) {
	for i, e := range exprs {
		v.exactlyOne(node.Index(path, i), "key", "keyExpr", e.Key, e.KeyExpr)
		v.atMostOne(node.Index(path, i), "value", "valueExpr", e.Value, e.ValueExpr)
	}
}

func (v *validator) functions(path string, functions []v1alpha2.FunctionTemplate) {
	for i, f := range functions {
		at := node.Index(path, i)
		if (f.Image == "") == (f.Exec == "") {
			v.errorf(at, "must have either image or exec: say which function to run")
		}
		if strings.Contains(f.Name, ".") {
			v.errorf(node.Join(at, "name"), "is %q, but must have no dot", f.Name)
		}
		for j, e := range f.ConfigMapExprs { // here Porch takes a plain value beside an expression, which wins
			if e.Key == nil && e.KeyExpr == nil {
				v.errorf(node.Index(node.Join(at, "configMapExprs"), j), "has neither key nor keyExpr: set one")
			}
		}
	}
}
