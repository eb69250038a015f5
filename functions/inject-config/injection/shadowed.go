// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"fmt"
	"strings"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/krm"
)

// filledBy returns the position of the injector that fills the point, and -1 if none does.
func (p point) filledBy(injectors []variant.InjectionSelector, all objects) int {
	for i, injector := range injectors {
		key := Candidate{APIVersion: p.id.APIVersion, Kind: p.id.Kind, Name: injector.Name}
		if !p.matches(injector) {
			continue
		}
		if all.byID[key] != nil {
			return i
		}
		if _, unreadable := all.whyUnreadable(key); unreadable {
			return -1
		}
	}
	return -1
}

// shadowed warns about injectors that are never used, because an earlier one, which fills other points too, fills each
// point that they are for. An injector for the same points as an earlier one is a fallback, and not meant.
func shadowed(points []point, injectors []variant.InjectionSelector, all objects) (results fn.Results) {
	filled := make([]int, len(points))
	names := make([][]string, len(injectors)) // of the points that an injector fills
	for i, p := range points {
		if filled[i] = p.filledBy(injectors, all); filled[i] >= 0 {
			names[filled[i]] = append(names[filled[i]], fmt.Sprintf("%q", p.id.Name))
		}
	}
	for j, narrow := range injectors {
		wide, matching := -1, 0
		for i, p := range points {
			switch {
			case !p.matches(narrow):
				continue
			case matching > 0 && filled[i] != wide:
				wide = j // no single one shadows it
			case matching == 0:
				wide = filled[i]
			}
			matching++
		}
		if wide < 0 || wide >= j || matching == len(names[wide]) {
			continue
		}
		results = append(results, krm.Errorf(nil, "", "the injector %q is never used, because the injector %q before it "+
			"fills %s: put the narrower one first", narrow.Name, injectors[wide].Name,
			strings.Join(names[wide], " and ")).Result(fn.Warning))
	}
	return results
}
