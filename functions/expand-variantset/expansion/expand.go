// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/functions/internal/node"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Expansion is what a set expands to. The variants share their upstreams, their labels and their annotations, and are
// to be read only.
type Expansion struct {
	// Variants are those that the set wants, in the order of its targets.
	Variants []v1alpha1.PackageVariant
	// Empty are the selectors that select nothing: the upstreamSelector, and those of targets.
	Empty []Empty
	// OfThemselves are notes about variants that are made from themselves, or depend on themselves. Warnings are about
	// entries for the same key.
	OfThemselves, Warnings []string
	// Excluded are the variants that a set with the errorPolicy Continue leaves out, in the order of its targets.
	Excluded []Excluded
}

// Empty is a selector of a set that selects nothing.
type Empty struct {
	// Path is the field of the selector. Message tells the user, and begins with it.
	Path, Message string
	// NoObjects reports that the snapshot has no object of the selected kind at all.
	NoObjects bool
}

// Expand returns what the set expands to over the snapshot. The set must be valid. Its spec is taken to stand at path
// for the FieldErrors that Expand returns: an upstream, a repository or a key that is missing, an expression that
// fails, a downstream package that two targets or two upstreams claim, an upstream that the set makes, a variant that
// the rules of the API refuse, or more than the limits allow. If the set's errorPolicy is Continue, errors about one
// target, at one place and with one upstream, exclude that target instead.
func Expand(set *v1alpha2.PackageVariantSet, path string, s *Snapshot) (*Expansion, error) {
	origins, none, err := s.origins(set, path)
	if err != nil {
		return nil, err
	}
	targets, empty, err := readTargets(set, path, s)
	if err != nil {
		return nil, err
	}
	if none != nil {
		empty = append([]Empty{*none}, empty...)
	}
	total, values := 0, 0
	for i := range targets {
		n := len(targets[i].places) * len(origins)
		total += n
		values += n * Values(targets[i].template.source)
	}
	if err := tooMany(node.Join(path, "targets"), total); err != nil {
		return nil, err
	}
	if err := tooManyValues(node.Join(path, "targets"), total, values); err != nil {
		return nil, err
	}
	e := newExpander(set, s, total)
	if e.waves, err = newWaves(set.Spec.Rollout, node.Join(path, "rollout")); err != nil {
		return nil, err
	}
	for i := range targets {
		for j := range targets[i].places {
			for k := range origins {
				if err := e.add(want{&targets[i], &targets[i].places[j], &origins[k]}); err != nil {
					return nil, err
				}
			}
		}
	}
	if err := e.circle(origins); err != nil {
		return nil, err
	}
	return &Expansion{Variants: e.variants, Empty: empty, OfThemselves: e.ofThemselves(),
		Warnings: e.vars.warnings, Excluded: e.excluded}, nil
}

// want is a variant that a target wants, at a place and from an upstream.
type want struct {
	target *target
	place  *place
	origin *origin
}

// pkg returns the name of the package without any template.
func (w want) pkg() string {
	if w.place.pkg == "" {
		return w.origin.spec.Package
	}
	return w.place.pkg
}

// String names the place, and the upstream where there are several, in messages.
func (w want) String() string { return w.place.repo + "/" + w.pkg() + w.origin.of }

// taken returns the error for another target, or another upstream, that wants the same package.
func (w want) taken(by want, d variant.Downstream) *FieldError {
	remedy := "give each target a package of its own, by packageNames or packageExpr"
	if by.origin.of != "" {
		remedy = "give each variant a package of its own, by packageExpr"
	}
	return fieldErrorf(by.target.path,
		"wants package %q in repository %q for target %s, which %s (for %s) wants already: %s",
		d.Package, d.Repo, by, w.target.path, w, remedy)
}

// nested returns the error for another target, or another upstream, that wants a package inside that of w, or around
// it.
func (w want) nested(by want, d variant.Downstream, side string) *FieldError {
	return fieldErrorf(by.target.path,
		"wants package %q in repository %q for target %s, which lies %s the package that %s (for %s) wants: publishing the "+
			"outer one would remove the inner one from the branch; give each a directory of its own, by packageNames or "+
			"packageExpr", d.Package, d.Repo, by, side, w.target.path, w)
}

// expander collects the variants of one set.
type expander struct {
	set          *v1alpha2.PackageVariantSet
	repositories map[string]*Object
	claimed      map[variant.Downstream]want
	inside       map[variant.Downstream]want // the first that lies in a directory
	variants     []v1alpha1.PackageVariant
	excluded     []Excluded
	waves        []wave

	typeMeta metav1.TypeMeta
	labels   map[string]string
	vars     variables // for the place and the upstream at hand
	size     int       // of what the templates made

	// The maps that the variables repository and target hold are refilled for each place.
	selected, explicit map[string]any
}

func newExpander(set *v1alpha2.PackageVariantSet, s *Snapshot, total int) *expander {
	e := &expander{
		set:          set,
		repositories: make(map[string]*Object, len(s.Repositories)),
		claimed:      make(map[variant.Downstream]want, total),
		inside:       map[variant.Downstream]want{},
		variants:     make([]v1alpha1.PackageVariant, 0, total),
		typeMeta:     metav1.TypeMeta{APIVersion: variant.APIVersion, Kind: variant.Kind},
		labels:       map[string]string{v1alpha2.OwnerLabel: OwnerOf(set)},
		selected:     map[string]any{},
		explicit:     map[string]any{},
	}
	for i := range s.Repositories {
		e.repositories[s.Repositories[i].Name] = &s.Repositories[i]
	}
	return e
}

// add adds a variant, or excludes it.
func (e *expander) add(w want) error {
	e.show(w)
	downstream, err := e.downstream(w)
	if err != nil && (downstream == unknown || !e.continues()) {
		return e.exclude(w, downstream, err)
	}
	if taken := e.claim(w, downstream); taken != nil {
		return taken
	}
	if err == nil {
		err = e.make(w, &downstream)
	}
	return e.exclude(w, downstream, err)
}

// claim notes that w wants a package. It returns an error if another one wants it, or one inside it or around it.
func (e *expander) claim(w want, d variant.Downstream) error {
	if first, taken := e.claimed[d]; taken {
		return first.taken(w, d)
	}
	if inner, around := e.inside[d]; around {
		return inner.nested(w, d, "around")
	}
	for _, name := range variant.Ancestors(d.Package) {
		directory := variant.Downstream{Repo: d.Repo, Package: name}
		if outer, inside := e.claimed[directory]; inside {
			return outer.nested(w, d, "inside")
		}
		if _, known := e.inside[directory]; !known {
			e.inside[directory] = w
		}
	}
	e.claimed[d] = w
	return nil
}

// show sets the variables that expressions see, except repository.
func (e *expander) show(w want) {
	p := w.place
	e.vars.repoDefault, e.vars.packageDefault, e.vars.of = p.repo, w.pkg(), w.origin.of
	e.vars.upstream = w.origin.variable
	if p.object != nil {
		e.vars.target = p.object.variable(e.selected)
	} else {
		e.explicit["repo"], e.explicit["package"] = p.repo, w.pkg()
		e.vars.target = e.explicit
	}
}

// make adds a variant. A variant that the rules refuse is removed again.
func (e *expander) make(w want, downstream *variant.Downstream) (err error) {
	made := len(e.variants)
	defer func() {
		if err != nil {
			e.variants = e.variants[:made]
		}
	}()
	e.variants = append(e.variants, v1alpha1.PackageVariant{
		TypeMeta: e.typeMeta,
		ObjectMeta: metav1.ObjectMeta{
			Name:      Name(e.set.Name, downstream.Repo, downstream.Package),
			Namespace: e.set.Namespace,
			Labels:    e.labels, Annotations: e.waveAnnotations(w.place),
		},
		Spec: variant.Spec{Upstream: w.origin.spec, Downstream: downstream},
	})
	spec := &e.variants[made].Spec
	if err := w.target.template.render(spec, &e.vars); err != nil {
		return err
	}
	at := node.Join(w.target.path, "template")
	if e.size += contentSize(spec); e.size > bounds.SetBytes {
		return limitError{fieldErrorf(at, "makes, with target %s, more than the %d MiB that all variants of a set may have: "+
			"make its values shorter, or select fewer targets", w, bounds.SetBytes>>20)}
	}
	return e.forTarget(w, slices.Concat(spec.ValidateLifecycle(at), spec.ValidateContent(at)))
}

// downstream evaluates where the variant goes. It sets the variable repository, which later expressions see. With an
// error it also returns where the variant would go, or unknown if expressions decide that and give no valid result.
func (e *expander) downstream(w want) (d variant.Downstream, err error) {
	t, plain := w.target, w.target.template.plainDownstream()
	if d.Repo, err = t.template.repo.eval(&e.vars, orDefault(plain.Repo, w.place.repo)); err != nil {
		return unknown, err
	}
	repository := e.repositories[d.Repo]
	if repository == nil {
		field := t.field(t.template.repo, "template.downstream.repo", plain.Repo)
		return e.unregistered(w, d.Repo), fieldErrorf(field.path,
			"wants a package in repository %q for target %s%s, but there is no such Repository in namespace %q: "+
				"register it, or correct the target", d.Repo, w, field.suffix(), e.set.Namespace)
	}
	e.vars.repository = repository.variable(e.vars.repository)
	if d.Package, err = t.template.pkg.eval(&e.vars, orDefault(plain.Package, w.pkg())); err != nil {
		return unknown, err
	}
	field := t.field(t.template.pkg, "template.downstream.package", plain.Package)
	if d.Package == "" {
		return unknown, fieldErrorf(field.path,
			"gives an empty name for target %s%s: name the package by packageNames, package or packageExpr", w, field.suffix())
	}
	if problem := variant.PackageProblem(d.Package); problem != "" {
		if t.template.pkg != nil {
			d = unknown
		}
		return d, fieldErrorf(field.path, "%s (for target %s%s)", problem, w, field.suffix())
	}
	return d, nil
}

// field returns where the repository, or the package, of the target's variants is written: in an expression, in a plain
// value at a path below the target, or in the target itself.
func (t *target) field(by *expression, path string, plain *string) written {
	switch {
	case by != nil:
		return by.of()
	case isSet(plain):
		return written{path: node.Join(t.path, path)}
	default:
		return written{path: t.path}
	}
}

func orDefault(value *string, fallback string) *string {
	if value == nil || *value == "" {
		return &fallback
	}
	return value
}
