// SPDX-License-Identifier: Apache-2.0

// Package tally counts the requests that a proxy has seen.
package tally

import (
	"cmp"
	"maps"
	"net/http"
	"slices"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
)

// discovery stands for requests that are not for a resource.
const discovery = "(discovery)"

// Of counts requests by verb and resource, sorted by resource.
func Of(requests []proxy.Request) []report.RequestCount {
	type key struct{ resource, verb string }
	counts := map[key]report.RequestCount{}
	for _, r := range requests {
		resource := r.Resource
		if resource == "" {
			resource = discovery
		}
		if r.Subresource != "" {
			resource += "/" + r.Subresource
		}
		count := counts[key{resource, r.Verb}]
		count.Resource, count.Verb = resource, r.Verb
		count.Count++
		if r.Status >= http.StatusBadRequest {
			count.Refused++
		}
		counts[key{resource, r.Verb}] = count
	}
	tallied := slices.Collect(maps.Values(counts))
	slices.SortFunc(tallied, func(a, b report.RequestCount) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Verb, b.Verb))
	})
	return tallied
}
