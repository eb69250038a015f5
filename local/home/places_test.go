// SPDX-License-Identifier: Apache-2.0

package home

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/ledger"
	"github.com/package-variants/package-variants/local/manifests"
)

// TestAssign finds out which of the Repositories over one place has it, and which have what packages. Repositories are
// "namespace/name address branch directory", packages "namespace/repository/package address branch directory", after
// ? if nothing of them was seen yet.
func TestAssign(t *testing.T) {
	t.Parallel()
	const at, other = "https://x/sites main fra", "https://x/sites main nyc"
	for name, c := range map[string]struct {
		repositories, packages []string
		same                   Same
		// holders are "a has b" for a Repository b of which another one has the place, want are the packages after that.
		holders, want []string
	}{
		"the first by name": {repositories: []string{"default/b " + at, "default/a " + at}, holders: []string{"a has default/b"}},
		"the one that is known": {[]string{"default/b " + at, "default/a " + at}, []string{"default/b/web x/sites main fra"}, nil,
			[]string{"b has default/a"}, []string{"default/b/web"}},
		"the one of which something was seen": {[]string{"default/b " + at, "default/a " + at},
			[]string{"default/b/web x/sites main fra", "?default/a/web x/sites main fra"}, nil,
			[]string{"b has default/a"}, []string{"default/b/web"}},
		"one that is known elsewhere": {[]string{"default/b " + at, "default/a " + at},
			[]string{"default/b/web x/sites main nyc"}, nil, []string{"a has default/b"}, []string{"default/b/web"}},
		"other spellings": {repositories: []string{"default/b git@X:sites.git main /fra/", "default/a " + at},
			holders: []string{"a has default/b"}},
		"other ports, branches, directories": {repositories: []string{"default/a " + at, "default/b https://x:8443/sites main fra",
			"default/c https://x/sites prod fra", "default/d " + other}},
		"another account of ssh": {repositories: []string{"default/a git@x:sites main fra", "default/b me@x:sites main fra"}},
		"another namespace":      {repositories: []string{"edge/a " + at, "default/b " + at}, holders: []string{"a has default/b"}},
		"by a link": {[]string{"default/b https://y/s main fra", "default/a " + at}, nil, Same{"y/s": "x/sites"},
			[]string{"a has default/b"}, nil},
		"another name": {[]string{"default/new " + at, "default/nyc " + other}, []string{"default/old/web x/sites main fra",
			"default/nyc/web x/sites main nyc", "edge/old/web x/sites main fra"}, nil, nil,
			[]string{"default/new/web", "default/nyc/web", "edge/old/web"}},
		"another name, by a link": {[]string{"default/new " + at}, []string{"default/old/web y/s main fra"},
			Same{"y/s": "x/sites"}, nil, []string{"default/new/web"}},
		"nobody's": {[]string{"default/a " + other}, []string{"default/old/web x/sites main fra"}, nil, nil,
			[]string{"default/old/web"}},
	} {
		o := Options{Ledger: ledger.Ledger{}, Same: c.same}
		for _, text := range c.repositories {
			f := strings.Fields(text)
			r := manifests.Repository{Remote: f[1]}
			r.Namespace, r.Name, _ = strings.Cut(f[0], "/")
			r.Address, r.Branch, r.Directory = f[1], f[2], f[3]
			o.Repositories = append(o.Repositories, r)
		}
		for _, text := range c.packages {
			f := strings.Fields(text)
			k := strings.Split(strings.TrimPrefix(f[0], "?"), "/")
			e := ledger.Entry{Place: ledger.Place{Address: f[1], Branch: f[2], Directory: f[3]}}
			if !strings.HasPrefix(text, "?") {
				e.Published = &ledger.Published{Number: 1}
			}
			o.Ledger[ledger.Key{Namespace: k[0], Repository: k[1], Package: k[2]}] = e
		}
		h := New(o)
		var holders, packages []string
		for k, r := range h.repositories {
			if r.holder != nil {
				holders = append(holders, fmt.Sprintf("%s has %s", r.holder.Name, k))
			}
		}
		for k := range h.Ledger() {
			packages = append(packages, k.Namespace+"/"+k.Of().String())
		}
		slices.Sort(packages)
		t.Run(name, func(t *testing.T) {
			wantEqual(t, c.holders, holders)
			wantEqual(t, c.want, packages)
		})
	}
}
