// SPDX-License-Identifier: Apache-2.0

package load

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLayout checks which variants exist, and that each follows one upstream.
func TestLayout(t *testing.T) {
	t.Parallel()
	l := layout{variants: 400}
	if got := []int{l.sites(), l.cells(), l.upstreams()}; !cmp.Equal(got, []int{40, 4, 2}) {
		t.Errorf("sites, cells and upstreams are %v", got)
	}
	made, own := l.ofSite(3)
	if diff := cmp.Diff([]int{30, 31, 32, 33, 34, 35, 36, 37, 38}, made); diff != "" || own != 39 || !l.own(39) || l.own(38) {
		t.Errorf("the site has the variants %v and %d of its own (-want +got):\n%s", made, own, diff)
	}
	if got := l.ofCell(1); len(got) != 90 || got[0] != 100 || got[89] != 198 {
		t.Errorf("the cell has %v", got)
	}
	if got := l.pairOf(123); got != (pair{"site-0012", "web-3"}) {
		t.Errorf("the package of a variant is %v", got)
	}
	follows := map[int]int{}
	for u := range l.upstreams() {
		before := -1
		for _, v := range l.following(u) {
			if follows[v]++; v <= before {
				t.Errorf("variant %d comes after %d", v, before)
			}
			before = v
		}
	}
	if len(follows) != l.variants || follows[0] != 1 || follows[399] != 1 {
		t.Errorf("%d of %d variants follow an upstream", len(follows), l.variants)
	}
	if got := (layout{variants: 100}).upstreams(); got != 1 {
		t.Errorf("one cell has %d upstreams", got)
	}
}
