// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"strings"
	"testing"
)

// TestChoice checks what the environment and the options select, and that the error for an invalid value names the
// variable and its valid values.
func TestChoice(t *testing.T) {
	for name, c := range map[string]struct {
		cache, porch string // of the environment
		options      Options
		want         Cache
		err          string // a part of it
	}{
		"nothing":           {want: CRCache},
		"environment":       {cache: "DB", want: DBCache},
		"options":           {cache: "DB", options: Options{Cache: CRCache}, want: CRCache},
		"pinned":            {porch: "/nowhere", options: Options{Porch: Pinned}, want: CRCache},
		"no such cache":     {cache: "db", err: `the environment variable PORCH_CACHE is "db": it must be CR or DB`},
		"no such option":    {options: Options{Cache: "disk"}, err: `Options.Cache is "disk": it must be CR or DB`},
		"no such Porch":     {porch: "/nowhere", err: "the environment variable PORCH must be the directory of a Porch"},
		"within repository": {porch: "docs", err: "docs/porch-controllers: no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(cacheVariable, c.cache)
			t.Setenv(porchVariable, c.porch)
			s, err := choose(t.Context(), c.options)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s.Cache() != c.want || s.Foreign() || !strings.HasPrefix(s.Version(), "v") {
				t.Errorf("cache %s, Porch %s, foreign %t; want cache %s and the pinned Porch", s.Cache(), s.Version(),
					s.Foreign(), c.want)
			}
		})
	}
}
