// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
)

// writesCame waits until the writes are the predicted ones, in their order if they are of one variant.
func (w *world) writesCame(p *plan) {
	w.t.Helper()
	var planned []string
	ordered := len(p.Sets) == 0 && len(p.Variants) == 1
	for _, v := range p.Variants {
		if v.Error != "" {
			return
		}
		planned = append(planned, v.Requests...)
	}
	for _, s := range p.Sets {
		planned = append(planned, s.Requests...)
	}
	w.Eventually("the writes are those planned", func() error { // what is pruned goes last
		got, failed := w.writesSince(p.seen)
		want := slices.Clone(planned)
		if w.stack.Foreign() {
			want = lessRestored(want, got)
		}
		if !ordered {
			slices.Sort(got)
			slices.Sort(want)
		}
		if failed {
			got, want = kindsOf(got), kindsOf(want)
		}
		diff := cmp.Diff(got, want)
		if diff == "" || w.tookBack(p) && slices.Equal(withoutPatches(got), withoutPatches(want)) {
			return nil
		}
		return fmt.Errorf("(-came +planned):\n%s", diff)
	})
}

// kindsOf returns each kind of write once.
func kindsOf(writes []string) []string { return slices.Compact(slices.Sorted(slices.Values(writes))) }

// tookBack reports whether Porch lost the owner of what a plan is about, so that the controller took it back, or adopted
// it once more before it had told of it: no plan can know of that.
func (w *world) tookBack(p *plan) bool {
	if w.stack.Cache() == stack.CRCache && w.ownedTwice(p.seen) {
		return true
	}
	for _, v := range p.Variants {
		if events, err := w.events(v.Name); err == nil && events["Normal TakenBack"] > 0 {
			return true
		}
	}
	return false
}

// ownedTwice reports whether the controller changed the owners of one revision twice after the first so many requests.
func (w *world) ownedTwice(seen int) bool {
	owned := map[string]bool{}
	for _, r := range w.proxy.Requests()[seen:] {
		if r.Verb == "patch" && r.Resource == "packagerevisions" && r.Subresource == "" && r.Namespace == w.Namespace &&
			!r.Failed() {
			if owned[r.Name] {
				return true
			}
			owned[r.Name] = true
		}
	}
	return false
}

// withoutPatches returns writes without those that change owners or a lifecycle only.
func withoutPatches(writes []string) []string {
	return slices.DeleteFunc(slices.Clone(writes), func(write string) bool { return write == "patch packagerevisions" })
}

// writesSince returns the controller's writes in the namespace after the first so many requests, except those of a
// status, and whether one has failed. It is made again, or Porch has done it nevertheless: no plan can know how often.
func (w *world) writesSince(seen int) (writes []string, failed bool) {
	var all []string
	for _, r := range w.proxy.Requests()[seen:] {
		if r.Resource == "" || r.Namespace != w.Namespace || !proxy.IsWrite(r) || proxy.IsBookkeeping(r) ||
			r.Subresource == "status" || r.DryRun {
			continue
		}
		write := strings.TrimSuffix(r.Verb+" "+r.Resource+"/"+r.Subresource, "/")
		all = append(all, write)
		if !r.Failed() {
			writes = append(writes, write)
		}
	}
	if len(all) > len(writes) {
		return all, true
	}
	return writes, false
}
