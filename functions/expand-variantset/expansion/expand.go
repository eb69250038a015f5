// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/node"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Expand returns the variants that the set wants over the snapshot, in the order of its targets, and notes for the
// user: targets that select nothing. The variants share their upstream and their labels, and are to be read only. The
// set must be valid. Its spec is taken to stand at path for the FieldErrors that Expand returns: an upstream, a
// repository or a key that is missing, an expression that fails, a downstream package that two targets claim, a variant
// that the rules of the API refuse, or more than the limits allow.
func Expand(set *v1alpha2.PackageVariantSet, path string, s *Snapshot) ([]v1alpha1.PackageVariant, []string, error) {
	upstream := FindUpstream(set.Spec.Upstream, s.PackageRevisions)
	if upstream == nil {
		return nil, nil, fieldErrorf(node.Join(path, "upstream"),
			"there is no %s in namespace %q: correct the upstream, or add the PackageRevision to the snapshot",
			set.Spec.Upstream.Describe(), set.Namespace)
	}
	targets, notes, err := readTargets(set, path, s)
	if err != nil {
		return nil, nil, err
	}
	e := newExpander(set, upstream, s, targets)
	for i := range targets {
		for j := range targets[i].places {
			if err := e.add(&targets[i], &targets[i].places[j]); err != nil {
				return nil, nil, err
			}
		}
	}
	return e.variants, notes, nil
}

// target is a target of the set, with its template compiled and its selection made.
type target struct {
	path     string
	template *template
	places   []place
}

// readTargets compiles the templates of all targets, and then makes their selections.
func readTargets(set *v1alpha2.PackageVariantSet, path string,
	s *Snapshot) (targets []target, notes []string, err error) {
	c, err := newCompiler()
	if err != nil {
		return nil, nil, err
	}
	for i := range set.Spec.Targets {
		at := node.Index(node.Join(path, "targets"), i)
		targets = append(targets,
			target{path: at, template: c.template(node.Join(at, "template"), set.Spec.Targets[i].Template)})
	}
	if len(c.errs) > 0 {
		return nil, nil, errors.Join(c.errs...)
	}
	for i := range targets {
		places, note, err := s.places(set, targets[i].path, &set.Spec.Targets[i])
		if err != nil {
			return nil, nil, err
		}
		targets[i].places = places
		if note != "" {
			notes = append(notes, note)
		}
	}
	return targets, notes, nil
}

// expander collects the variants of one set.
type expander struct {
	set          *v1alpha2.PackageVariantSet
	repositories map[string]*Object
	claimed      map[variant.Downstream]claim
	variants     []v1alpha1.PackageVariant

	typeMeta metav1.TypeMeta
	labels   map[string]string
	upstream *variant.Upstream
	vars     variables // for the place at hand
	longest  int       // of the texts of the upstream
	size     int       // of what the templates made

	// The maps that the variables repository and target hold are filled anew for each place.
	selected, explicit map[string]any
}

// claim says which target wants a downstream package.
type claim struct {
	target *target
	place  *place
}

// taken returns the error for another target that wants the same package.
func (c claim) taken(t *target, p *place, d variant.Downstream) *FieldError {
	return fieldErrorf(t.path,
		"wants package %q in repository %q for target %s, which %s (for %s) wants already: "+
			"give each target a package of its own, by packageNames or packageExpr",
		d.Package, d.Repo, p, c.target.path, c.place)
}

func newExpander(set *v1alpha2.PackageVariantSet, upstream *PackageRevision, s *Snapshot, targets []target) *expander {
	total := 0
	for i := range targets {
		total += len(targets[i].places)
	}
	e := &expander{
		set:          set,
		repositories: make(map[string]*Object, len(s.Repositories)),
		claimed:      make(map[variant.Downstream]claim, total),
		variants:     make([]v1alpha1.PackageVariant, 0, total),
		typeMeta:     metav1.TypeMeta{APIVersion: variant.APIVersion, Kind: variant.Kind},
		labels:       map[string]string{v1alpha2.OwnerLabel: OwnerOf(set)},
		upstream:     set.Spec.Upstream.DeepCopy(),
		selected:     map[string]any{},
		explicit:     map[string]any{},
	}
	e.vars.upstream, e.longest = upstream.variable(nil), upstream.longest()
	for i := range s.Repositories {
		e.repositories[s.Repositories[i].Name] = &s.Repositories[i]
	}
	return e
}

// add adds the variant that a target wants at a place.
func (e *expander) add(t *target, p *place) error {
	e.vars.repoDefault, e.vars.packageDefault = p.repo, p.pkg
	if p.object != nil {
		e.vars.target = p.object.variable(e.selected)
	} else {
		e.explicit["repo"], e.explicit["package"] = p.repo, p.pkg
		e.vars.target = e.explicit
	}
	e.vars.longest = max(e.longest, len(p.repo), len(p.pkg), p.object.longest())
	downstream, err := e.downstream(t, p)
	if err != nil {
		return err
	}
	if first, taken := e.claimed[downstream]; taken {
		return first.taken(t, p, downstream)
	}
	e.claimed[downstream] = claim{t, p}
	e.variants = append(e.variants, v1alpha1.PackageVariant{
		TypeMeta: e.typeMeta,
		ObjectMeta: metav1.ObjectMeta{
			Name:      Name(e.set.Name, downstream.Repo, downstream.Package),
			Namespace: e.set.Namespace,
			Labels:    e.labels,
		},
		Spec: variant.Spec{Upstream: e.upstream, Downstream: &downstream},
	})
	spec := &e.variants[len(e.variants)-1].Spec
	if err := t.template.render(spec, &e.vars); err != nil {
		return err
	}
	if e.size += contentSize(spec); e.size > maxSetSize {
		return fieldErrorf(node.Join(t.path, "template"),
			"makes, with target %s, more than the %d MiB that all variants of a set may have: "+
				"make its values shorter, or select fewer targets",
			p, maxSetSize>>20)
	}
	return forTarget(p, spec.ValidateContent(node.Join(t.path, "template")))
}

// forTarget returns what is wrong with a variant, as FieldErrors joined that name the target.
func forTarget(p *place, errs variant.FieldErrors) error {
	all := make([]error, len(errs))
	for i, e := range errs {
		all[i] = fieldErrorf(e.Path, "%s (for target %s)", e.Reason, p)
	}
	return errors.Join(all...)
}

// downstream evaluates where the variant goes. It sets the variable repository, which later expressions see.
func (e *expander) downstream(t *target, p *place) (d variant.Downstream, err error) {
	plain := t.template.plainDownstream()
	if d.Repo, err = t.template.repo.eval(&e.vars, orDefault(plain.Repo, p.repo)); err != nil {
		return d, err
	}
	repository := e.repositories[d.Repo]
	if repository == nil {
		return d, fieldErrorf(t.path,
			"wants a package in repository %q for target %s, but there is no such Repository in namespace %q: "+
				"register it, or correct the target",
			d.Repo, p, e.set.Namespace)
	}
	e.vars.repository = repository.variable(e.vars.repository)
	e.vars.longest = max(e.vars.longest, repository.longest())
	if d.Package, err = t.template.pkg.eval(&e.vars, orDefault(plain.Package, p.pkg)); err != nil {
		return d, err
	}
	if d.Package == "" {
		return d, fieldErrorf(t.packageField(),
			"gives an empty name for target %s: name the package by packageNames, package or packageExpr", p)
	}
	if problem := variant.PackageProblem(d.Package); problem != "" {
		return d, fieldErrorf(t.packageField(), "%s (for target %s)", problem, p)
	}
	return d, nil
}

// packageField returns the path of the field that the names of the target's packages are from.
func (t *target) packageField() string {
	switch plain := t.template.plainDownstream(); {
	case isSet(plain.PackageExpr):
		return node.Join(t.path, "template.downstream.packageExpr")
	case isSet(plain.Package):
		return node.Join(t.path, "template.downstream.package")
	default:
		return t.path
	}
}

func orDefault(value *string, fallback string) *string {
	if value == nil || *value == "" {
		return &fallback
	}
	return value
}
