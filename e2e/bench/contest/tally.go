// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
)

// discovery stands for what is asked for and is not a resource.
const discovery = "(discovery)"

// tally counts requests by what they do and to what, in the order of the resources.
func tally(requests []proxy.Request) []report.RequestCount {
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

// contents returns the downstream packages whose contents are read and saved by requests.
func contents(requests []proxy.Request) (read, saved map[pkgKey]bool) {
	read, saved = map[pkgKey]bool{}, map[pkgKey]bool{}
	for _, r := range requests {
		if r.Resource != "packagerevisionresources" || r.Name == "" {
			continue
		}
		// The name is that of the Repository, the path of the package, and the workspace, with dots between.
		parts := strings.Split(r.Name, ".")
		if len(parts) != 3 || parts[0] == blueprints {
			continue
		}
		key := pkgKey{parts[0], parts[1]}
		if proxy.IsWrite(r) {
			saved[key] = true
		} else {
			read[key] = true
		}
	}
	return read, saved
}
