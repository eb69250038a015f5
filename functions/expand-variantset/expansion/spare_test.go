// SPDX-License-Identifier: Apache-2.0

package expansion_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

// TestSpare checks which variants of a set stay for its targets that fail, and that all do if a target is empty.
func TestSpare(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failing, made, kept, of []string
	}{
		"no target fails":                         {made: []string{"a/web", "b/web"}},
		"no variant is there":                     {failing: []string{"a/web"}},
		"the target's":                            {[]string{"a/web"}, []string{"a/web", "b/web"}, []string{"a/web"}, []string{"a/web"}},
		"the target's, twice":                     {[]string{"a/web"}, []string{"a/web", "a/web"}, []string{"a/web", "a/web"}, []string{"a/web", "a/web"}},
		"each target's":                           {[]string{"a/web", "b/web"}, []string{"b/web", "a/web"}, []string{"b/web", "a/web"}, []string{"b/web", "a/web"}},
		"unknown":                                 {[]string{"/"}, []string{"a/web", "b/web"}, []string{"a/web", "b/web"}, nil},
		"unknown, and a variant for no package":   {[]string{"/"}, []string{"/", "b/web"}, []string{"/", "b/web"}, nil},
		"of a downstream that has changed":        {[]string{"a/new"}, []string{"a/web", "b/web"}, []string{"a/web", "b/web"}, nil},
		"one is known, the other one has changed": {[]string{"a/web", "b/new"}, []string{"a/web", "b/web", "c/web"}, []string{"a/web", "b/web", "c/web"}, []string{"a/web"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, empty := expansion.Spare(downstreams(c.failing), downstreams(c.made), false),
				expansion.Spare(downstreams(c.failing), downstreams(c.made), true)
			var kept, of []string
			for i, d := range downstreams(c.made) {
				if s.Keeps(d) {
					kept = append(kept, c.made[i])
				}
				if s.Of(d) {
					of = append(of, c.made[i])
				}
				if !empty.Keeps(d) || empty.Of(d) != s.Of(d) {
					t.Errorf("%s is not kept for a target that selects nothing", c.made[i])
				}
			}
			if diff := cmp.Diff([][]string{c.kept, c.of}, [][]string{kept, of}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// downstreams reads each REPO/PACKAGE of a list.
func downstreams(list []string) []variant.Downstream {
	out := make([]variant.Downstream, len(list))
	for i := range list {
		out[i].Repo, out[i].Package, _ = strings.Cut(list[i], "/")
	}
	return out
}
