// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"maps"
	"slices"
)

// Total returns the total number of requests.
func Total(requests []RequestCount) int {
	return sum(requests, func(RequestCount) bool { return true })
}

// Count returns the number of requests with a verb for a resource.
func Count(requests []RequestCount, verb, resource string) int {
	return sum(requests, func(r RequestCount) bool { return r.Verb == verb && r.Resource == resource })
}

// Granted returns the number of requests with a verb for a resource that got no error.
func Granted(requests []RequestCount, verb, resource string) int {
	refused := 0
	for _, r := range requests {
		if r.Verb == verb && r.Resource == resource {
			refused += r.Refused
		}
	}
	return Count(requests, verb, resource) - refused
}

// Refused returns how many requests got an error.
func Refused(requests []RequestCount) int {
	n := 0
	for _, r := range requests {
		n += r.Refused
	}
	return n
}

// Writes returns how many requests change what is stored, without Leases, by which replicas agree on the leader.
func Writes(requests []RequestCount) int {
	return sum(requests, func(r RequestCount) bool {
		return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, r.Verb) &&
			r.Resource != "leases"
	})
}

// PackageWrites returns how many requests have changed packages.
func PackageWrites(requests []RequestCount) int {
	n := 0
	for _, r := range requests {
		if slices.Contains([]string{"create", "update", "patch", "delete"}, r.Verb) &&
			slices.Contains([]string{"packagerevisions", "packagerevisions/approval", contents}, r.Resource) {
			n += r.Count - r.Refused
		}
	}
	return n
}

// contents is the resource of the files of packages.
const contents = "packagerevisionresources"

// ContentReads returns how many requests read the files of packages.
func ContentReads(requests []RequestCount) int {
	return sum(requests, func(r RequestCount) bool {
		return r.Resource == contents && (r.Verb == "get" || r.Verb == "list")
	})
}

// statusWrites returns how often the status of a PackageVariant was written.
func statusWrites(requests []RequestCount) int {
	return Granted(requests, "update", "packagevariants/status") + Granted(requests, "patch", "packagevariants/status")
}

// sum counts the requests that the filter accepts.
func sum(requests []RequestCount, filter func(RequestCount) bool) int {
	n := 0
	for _, r := range requests {
		if filter(r) {
			n += r.Count
		}
	}
	return n
}

// kind is the verb and the resource of requests.
type kind struct{ resource, verb string }

// kindsOf returns the kinds of all requests, sorted.
func kindsOf(requests ...[]RequestCount) []kind {
	kinds := map[kind]bool{}
	for _, r := range slices.Concat(requests...) {
		kinds[kind{r.Resource, r.Verb}] = true
	}
	return slices.SortedFunc(maps.Keys(kinds), func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.verb, b.verb))
	})
}

// requestRows are the requests of contenders side by side.
func requestRows(contenders ...[]RequestCount) [][]string {
	row := func(what string, of func([]RequestCount) int) []string {
		cells := []string{what}
		for _, requests := range contenders {
			cells = append(cells, count(of(requests)))
		}
		return cells
	}
	var rows [][]string
	for _, k := range kindsOf(contenders...) {
		rows = append(rows, row(k.verb+" "+k.resource, func(r []RequestCount) int { return Count(r, k.verb, k.resource) }))
	}
	return append(rows, row("**all**", Total))
}
