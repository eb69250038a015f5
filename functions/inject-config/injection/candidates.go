// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Candidate names an object that an injector may choose for an injection point.
type Candidate struct {
	APIVersion, Kind, Name string
}

// Candidates returns the objects that the injectors name for the injection points among the items, each once. Those
// that exist must be among the Resources of a Request. Invalid points are an error.
func Candidates(items []*yaml.RNode, injectors []variant.InjectionSelector) ([]Candidate, error) {
	points, _, err := find(items)
	if err != nil {
		return nil, err
	}
	var out []Candidate
	known := map[Candidate]bool{}
	for _, p := range points {
		for _, injector := range injectors {
			c := Candidate{APIVersion: p.id.APIVersion, Kind: p.id.Kind, Name: injector.Name}
			if p.matches(injector) && !known[c] {
				known[c], out = true, append(out, c)
			}
		}
	}
	return out, nil
}
