// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// circle returns an error if one of several upstreams is a package that the set itself makes: each published revision
// of it would lead to another one.
func (e *expander) circle(origins []origin) error {
	for i := range origins {
		o := &origins[i]
		maker, made := e.claimed[variant.Downstream{Repo: o.spec.Repo, Package: o.spec.Package}]
		if made && o.of != "" {
			return fieldErrorf(o.path, "takes %s/%s as an upstream, which %s (for %s) makes: "+
				"name, or select, only packages that this set does not make", o.spec.Repo, o.spec.Package, maker.target.path, maker)
		}
	}
	return nil
}

// ofThemselves returns notes about variants that are made from themselves, or depend on themselves, which the
// controller will stall. That is not an error of the set: a selector may select the blueprint's own Repository, and the
// other variants are made.
func (e *expander) ofThemselves() (notes []string) {
	for i := range e.variants {
		v := &e.variants[i]
		up, down := v.Spec.Upstream, v.Spec.Downstream
		maker := e.claimed[*down]
		if up.Repo == down.Repo && up.Package == down.Package {
			notes = append(notes, fmt.Sprintf("%s makes a variant of %s/%s that is the upstream itself, %s, which the "+
				"controller reports as InvalidSpec: leave its Repository out, or name another package", maker.target.path, up.Repo,
				up.Package, v.Name))
		}
		if slices.ContainsFunc(v.Spec.DependsOn, func(d variant.Dependency) bool { return d.Name == v.Name }) {
			notes = append(notes, fmt.Sprintf("%s makes a variant that depends on itself, %s (for %s), which the controller "+
				"reports as DependencyCycle: correct its dependsOn", maker.target.path, v.Name, maker))
		}
	}
	return notes
}
