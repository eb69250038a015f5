// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"maps"
	"slices"
)

// Total returns how many requests there are in all.
func Total(requests []RequestCount) int {
	return sum(requests, func(RequestCount) bool { return true })
}

// Count returns how often something was asked.
func Count(requests []RequestCount, verb, resource string) int {
	return sum(requests, func(r RequestCount) bool { return r.Verb == verb && r.Resource == resource })
}

// Granted returns how often something was asked that was not answered by an error.
func Granted(requests []RequestCount, verb, resource string) int {
	refused := 0
	for _, r := range requests {
		if r.Verb == verb && r.Resource == resource {
			refused += r.Refused
		}
	}
	return Count(requests, verb, resource) - refused
}

// Refused returns how many requests were answered by an error.
func Refused(requests []RequestCount) int {
	n := 0
	for _, r := range requests {
		n += r.Refused
	}
	return n
}

// Writes returns how many requests ask for a change of what is stored. Leases do not count: they are how replicas agree
// on who works.
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

// sum returns how many requests the filter takes.
func sum(requests []RequestCount, filter func(RequestCount) bool) int {
	n := 0
	for _, r := range requests {
		if filter(r) {
			n += r.Count
		}
	}
	return n
}

// kind is what requests do, and to what.
type kind struct{ resource, verb string }

// kindsOf returns the kinds of all requests, in an order.
func kindsOf(requests ...[]RequestCount) []kind {
	kinds := map[kind]bool{}
	for _, r := range slices.Concat(requests...) {
		kinds[kind{r.Resource, r.Verb}] = true
	}
	return slices.SortedFunc(maps.Keys(kinds), func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.verb, b.verb))
	})
}

// requestRows are the requests of two contenders side by side.
func requestRows(ours, porch []RequestCount) [][]string {
	var rows [][]string
	for _, k := range kindsOf(ours, porch) {
		of := func(requests []RequestCount) string { return count(Count(requests, k.verb, k.resource)) }
		rows = append(rows, []string{k.verb + " " + k.resource, of(ours), of(porch)})
	}
	return append(rows, []string{"**all**", count(Total(ours)), count(Total(porch))})
}
