// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/node"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Expand returns the variants that the set wants over the snapshot, in the order of its targets, and notes for the
// user: targets that select nothing. The set must be valid. Its spec is taken to stand at path for the FieldErrors
// that Expand returns: an upstream, a repository or a key that is missing, an expression that fails, or a downstream
// package that two targets claim.
func Expand(set *v1alpha2.PackageVariantSet, path string, s *Snapshot) ([]v1alpha1.PackageVariant, []string, error) {
	upstream := FindUpstream(set.Spec.Upstream, s.PackageRevisions)
	if upstream == nil {
		return nil, nil, fieldErrorf(node.Join(path, "upstream"), "there is no PackageRevision of %s in namespace %q: correct the upstream, or add the PackageRevision to the snapshot",
			upstreamName(set.Spec.Upstream), set.Namespace)
	}
	c, err := newCompiler()
	if err != nil {
		return nil, nil, err
	}
	templates := make([]*template, len(set.Spec.Targets))
	for i := range set.Spec.Targets {
		templates[i] = c.template(node.Join(targetPath(path, i), "template"), set.Spec.Targets[i].Template)
	}
	if len(c.errs) > 0 {
		return nil, nil, errors.Join(c.errs...)
	}
	e := &expander{set: set, upstream: upstream.variable(), claimed: map[v1alpha1.Downstream]claim{},
		repositories: make(map[string]map[string]any, len(s.Repositories))}
	for i := range s.Repositories {
		e.repositories[s.Repositories[i].Name] = s.Repositories[i].variable()
	}
	var notes []string
	for i := range set.Spec.Targets {
		at := targetPath(path, i)
		places, note, err := s.places(set, at, &set.Spec.Targets[i])
		if err != nil {
			return nil, nil, err
		}
		if note != "" {
			notes = append(notes, note)
		}
		e.variants = slices.Grow(e.variants, len(places))
		for j := range places {
			if err := e.add(at, &places[j], templates[i]); err != nil {
				return nil, nil, err
			}
		}
	}
	return e.variants, notes, nil
}

func targetPath(path string, i int) string {
	return node.Index(node.Join(path, "targets"), i)
}

// expander collects the variants of one set.
type expander struct {
	set          *v1alpha2.PackageVariantSet
	upstream     map[string]any
	repositories map[string]map[string]any
	claimed      map[v1alpha1.Downstream]claim
	variants     []v1alpha1.PackageVariant
}

// claim says which target wants a downstream package.
type claim struct {
	path  string
	place *place
}

func (c claim) String() string {
	return fmt.Sprintf("%s (for %s/%s)", c.path, c.place.repo, c.place.pkg)
}

// add adds the variant that the target at path wants at a place.
func (e *expander) add(at string, p *place, t *template) error {
	vars := &variables{repoDefault: p.repo, packageDefault: p.pkg, upstream: e.upstream, target: p.target}
	downstream, err := e.downstream(at, t, vars)
	if err != nil {
		return err
	}
	if first, taken := e.claimed[downstream]; taken {
		return fieldErrorf(at, "wants package %q in repository %q for target %s/%s, which %s wants already: give each target a package of its own, by packageNames or packageExpr",
			downstream.Package, downstream.Repo, p.repo, p.pkg, first)
	}
	e.claimed[downstream] = claim{at, p}
	e.variants = append(e.variants, v1alpha1.PackageVariant{
		TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "PackageVariant"},
		ObjectMeta: metav1.ObjectMeta{
			Name:      Name(e.set.Name, downstream.Repo, downstream.Package),
			Namespace: e.set.Namespace,
			Labels:    map[string]string{v1alpha2.OwnerLabel: OwnerOf(e.set)},
		},
		Spec: v1alpha1.PackageVariantSpec{Upstream: e.set.Spec.Upstream, Downstream: &downstream},
	})
	spec := &e.variants[len(e.variants)-1].Spec
	if err := t.render(spec, vars); err != nil {
		return err
	}
	return e.check(at, p, spec)
}

// downstream evaluates where the variant goes. It sets the variable repository, which later expressions see.
func (e *expander) downstream(at string, t *template, vars *variables) (d v1alpha1.Downstream, err error) {
	plain := t.source.Downstream
	if plain == nil {
		plain = &v1alpha2.DownstreamTemplate{}
	}
	if d.Repo, err = t.repo.eval(vars, orDefault(plain.Repo, vars.repoDefault)); err != nil {
		return d, err
	}
	vars.repository = e.repositories[d.Repo]
	if vars.repository == nil {
		return d, fieldErrorf(at, "wants a package in repository %q for target %s/%s, but there is no such Repository in namespace %q: register it, or correct the target",
			d.Repo, vars.repoDefault, vars.packageDefault, e.set.Namespace)
	}
	if d.Package, err = t.pkg.eval(vars, orDefault(plain.Package, vars.packageDefault)); err != nil {
		return d, err
	}
	if problem := packageProblem(d.Package); problem != "" {
		return d, fieldErrorf(at, "gives the downstream package %q for target %s/%s, which %s", d.Package, vars.repoDefault, vars.packageDefault, problem)
	}
	return d, nil
}

func orDefault(value *string, fallback string) *string {
	if value == nil || *value == "" {
		return &fallback
	}
	return value
}

// packageProblem says why a downstream package cannot have the given path, or "".
func packageProblem(pkg string) string {
	switch {
	case pkg == "":
		return "is empty: name it by packageNames, package or packageExpr"
	case strings.HasPrefix(pkg, "/"), slices.Contains(strings.Split(pkg, "/"), ".."):
		return "leads out of the repository: use a path without a leading / and without .."
	case path.Clean(pkg) != pkg || pkg == ".":
		return "is no plain path: use " + path.Clean(pkg)
	default:
		return ""
	}
}

// check refuses a package context that apply-package-context would refuse, for keys that expressions may have made.
func (e *expander) check(at string, p *place, spec *v1alpha1.PackageVariantSpec) error {
	pc := spec.PackageContext
	if pc == nil {
		return nil
	}
	refuse := func(key, why string) error {
		return fieldErrorf(node.Join(at, "template.packageContext"), "gives the key %q for target %s/%s, %s", key, p.repo, p.pkg, why)
	}
	for _, key := range v1alpha1.ReservedPackageContextKeys() {
		if _, set := pc.Data[key]; set || slices.Contains(pc.RemoveKeys, key) {
			return refuse(key, "which kpt itself sets: remove it")
		}
	}
	for _, key := range pc.RemoveKeys {
		if _, set := pc.Data[key]; set {
			return refuse(key, "both to set and to remove: decide for one")
		}
	}
	return nil
}
