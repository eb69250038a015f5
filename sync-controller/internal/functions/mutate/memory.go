// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/krm"
)

// The most memory that functions take, in bytes, measured with packages and sets at the bounds: for each value in the
// YAML files of a package, with all copies that they make, and for each variant of a set, each value of these, and each
// byte of their text. Of the memory for variants and values, keptPart stays in the result, and all text once.
const (
	perValue    = 300
	perVariant  = 20 << 10
	perSetValue = 1 << 10
	perSetByte  = 3
	keptPart    = 8
)

// Memory returns about how many bytes the functions need for packages, by their files.
func Memory(packages ...map[string]string) int64 {
	n := 0
	for _, files := range packages {
		n += krm.CountValues(files) * perValue
		for _, text := range files {
			n += len(text)
		}
	}
	return int64(n)
}

// ExpansionMemory returns about how many bytes the expansion of a set over a snapshot needs, and how many its result
// does, if its selectors select as much as they can.
func ExpansionMemory(spec *v1alpha2.PackageVariantSetSpec, s *expansion.Snapshot) (work, result int64) {
	upstreams := max(1, len(spec.Upstreams))
	if spec.UpstreamSelector != nil {
		upstreams = max(1, len(s.PackageRevisions))
	}
	variants, values, text := 0, 0, 0
	for i := range spec.Targets {
		n := selectable(&spec.Targets[i], s) * upstreams
		variants += n
		values += n * expansion.Values(spec.Targets[i].Template)
		text += n * expansion.Text(spec.Targets[i].Template)
	}
	text = min(text, bounds.SetBytes)
	work = int64(min(variants, bounds.SetTargets)*perVariant + min(values, bounds.SetValues)*perSetValue + text*perSetByte)
	return work, work/keptPart + int64(text)
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
