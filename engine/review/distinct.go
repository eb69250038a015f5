// SPDX-License-Identifier: Apache-2.0

package review

import (
	"errors"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/changes"
	"github.com/package-variants/package-variants/engine/revision"
)

// Fleet is what is known of several variants for a comparison.
type Fleet struct {
	Variants  []v1alpha1.PackageVariant
	Revisions []revision.Revision
	// Labels has the labels of Repositories by their names.
	Labels map[string]map[string]string
	// Files returns the files of a revision.
	Files func(name string) (map[string]string, error)
}

// Distinct returns what is different in the drafts of all variants, compared as Pairs says. What cannot be compared is
// in the error, and left out.
func (f *Fleet) Distinct(against string) ([]*changes.Change, error) {
	of := map[revision.Package][]revision.Revision{}
	for i := range f.Revisions {
		of[f.Revisions[i].Package] = append(of[f.Revisions[i].Package], f.Revisions[i])
	}
	var finder changes.Finder
	var errs []error
	for i := range f.Variants {
		pv := &f.Variants[i]
		if pv.Spec.Downstream == nil || pv.Spec.Upstream == nil {
			continue
		}
		from := revision.Package{Repo: pv.Spec.Upstream.Repo, Name: pv.Spec.Upstream.Package}
		known := slices.Concat(of[revision.DownstreamOf(&pv.Spec)], of[from])
		pairs, _, err := Pairs(pv, known, against)
		for _, pair := range pairs {
			err = errors.Join(err, f.add(&finder, pv, pair))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("PackageVariant %s: %w", pv.Name, err))
		}
	}
	return finder.Distinct(), errors.Join(errs...)
}

// add adds what is different in a pair of a variant.
func (f *Fleet) add(to *changes.Finder, pv *v1alpha1.PackageVariant, pair Pair) error {
	pkg := revision.DownstreamOf(&pv.Spec)
	one := changes.Package{Name: pkg.String(), Conflicts: pv.Status.Conflicts}
	read := func(name string, into *map[string]string) (err error) {
		if name != "" {
			*into, err = f.Files(name)
		}
		return err
	}
	if err := errors.Join(read(pair.From, &one.Before), read(pair.To, &one.After)); err != nil {
		return err
	}
	if u := pv.Status.Upstream; u != nil && one.NeedsUpstream() {
		if err := read(u.Name, &one.Upstream); err != nil {
			return err
		}
	}
	one.Own = changes.Own(pkg.Repo, f.Labels[pkg.Repo], one.After)
	to.Add(&one)
	return nil
}
