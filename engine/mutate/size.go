// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/krm"
)

// What takes about as much memory as a value: so many bytes of a file. A variant of a set takes as much as so many
// values, whatever its template gives to it.
const (
	bytesPerValue    = 50
	valuesPerVariant = 20
)

// Size returns over how many values functions work in packages, by their files (largework.Limit).
func Size(packages ...map[string]string) (n int) {
	for _, files := range packages {
		n += krm.CountValues(files)
		for _, text := range files {
			n += len(text) / bytesPerValue
		}
	}
	return n
}

// ExpansionSize returns over how many values a set is expanded, if its selectors select as much as they can.
func ExpansionSize(spec *v1alpha2.PackageVariantSetSpec, s *expansion.Snapshot) (n int) {
	upstreams := max(1, len(spec.Upstreams))
	if spec.UpstreamSelector != nil {
		upstreams = max(1, len(s.PackageRevisions))
	}
	for i := range spec.Targets {
		target := &spec.Targets[i]
		n += selectable(target, s) * upstreams * (valuesPerVariant + expansion.Values(target.Template))
	}
	return n
}

// selectable returns how many places a target selects at most.
func selectable(target *v1alpha2.Target, s *expansion.Snapshot) (n int) {
	for _, r := range target.Repositories {
		n += max(1, len(r.PackageNames))
	}
	if selector := target.RepositorySelector; selector != nil {
		n += len(s.Repositories) * max(1, len(selector.PackageNames))
	}
	if selector := target.ObjectSelector; selector != nil {
		kind := expansion.GroupKind{APIVersion: selector.APIVersion, Kind: selector.Kind}
		n += len(s.Objects[kind]) * max(1, len(selector.PackageNames))
	}
	return n
}
