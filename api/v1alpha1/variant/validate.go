// SPDX-License-Identifier: Apache-2.0

package variant

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Validate returns all that is wrong with the spec of a PackageVariant in a cluster, as errors joined, each beginning
// with the path of the field; nil if there is nothing. The rules are those of the CRD's schema, for objects that were
// stored without them.
func (s *Spec) Validate() error {
	var v violations
	if s.Upstream == nil {
		v.add("spec.upstream", "is missing: name the package to derive from")
	} else {
		v.require("spec.upstream.repo", s.Upstream.Repo)
		v.require("spec.upstream.package", s.Upstream.Package)
	}
	if s.Downstream == nil {
		v.add("spec.downstream", "is missing: name the package to create")
	} else {
		v.require("spec.downstream.repo", s.Downstream.Repo)
		v.require("spec.downstream.package", s.Downstream.Package)
	}
	if s.Upstream != nil && s.Downstream != nil && s.Upstream.Repo == s.Downstream.Repo && s.Upstream.Package == s.Downstream.Package {
		v.add("spec.downstream", "is the upstream itself: name another package")
	}
	oneOf(&v, "spec.adoptionPolicy", s.AdoptionPolicy, AdoptionPolicyAdoptNone, AdoptionPolicyAdoptExisting)
	oneOf(&v, "spec.deletionPolicy", s.DeletionPolicy, DeletionPolicyDelete, DeletionPolicyOrphan)
	s.PackageContext.validate(&v)
	if s.Pipeline != nil {
		validateFunctions(&v, "spec.pipeline.mutators", s.Pipeline.Mutators)
		validateFunctions(&v, "spec.pipeline.validators", s.Pipeline.Validators)
	}
	for i, injector := range s.Injectors {
		v.require(fmt.Sprintf("spec.injectors[%d].name", i), injector.Name)
	}
	return errors.Join(v...)
}

func (p *PackageContext) validate(v *violations) {
	if p == nil {
		return
	}
	for _, key := range ReservedPackageContextKeys() {
		if _, set := p.Data[key]; set {
			v.add("spec.packageContext.data."+key, "is set by kpt: remove it")
		}
		if slices.Contains(p.RemoveKeys, key) {
			v.add("spec.packageContext.removeKeys", fmt.Sprintf("has %q, which kpt sets: take it out", key))
		}
	}
	for _, key := range p.RemoveKeys {
		if _, set := p.Data[key]; set {
			v.add("spec.packageContext", fmt.Sprintf("has %q both to set and to remove: decide for one", key))
		}
	}
}

func validateFunctions(v *violations, path string, functions []Function) {
	for i, f := range functions {
		at := fmt.Sprintf("%s[%d]", path, i)
		if (f.Image == "") == (f.Exec == "") {
			v.add(at, "must have one of image and exec")
		}
		if strings.Contains(f.Name, ".") {
			v.add(at+".name", fmt.Sprintf("is %q, but must have no dot: its name in the Kptfile is read by the dots", f.Name))
		}
	}
}

// violations collects what is wrong with a spec.
type violations []error

func (v *violations) add(path, what string) { *v = append(*v, fmt.Errorf("%s %s", path, what)) }

func (v *violations) require(path, value string) {
	if value == "" {
		v.add(path, "is missing: set it")
	}
}

func oneOf[T ~string](v *violations, path string, value T, allowed ...T) {
	if value != "" && !slices.Contains(allowed, value) {
		v.add(path, fmt.Sprintf("is %q, but must be one of %q", value, allowed))
	}
}
