// SPDX-License-Identifier: Apache-2.0

package changes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/changes"
)

// site is a package in eu or us that moves to another image.
func site(n int, edit func(*changes.Package)) changes.Package {
	region := []string{"eu-west", "us-east"}[n%2]
	p := changes.Package{Name: fmt.Sprintf("s%d/web", n), Own: map[string]string{"region": region, "repository": fmt.Sprintf("s%d", n)},
		Files: []changes.File{{Path: "d.yaml", Before: "kind: A\nimage: web:v1\nreplicas: 1\n",
			After: "kind: A\nimage: web:v2\nreplicas: 1\n"}}}
	if edit != nil {
		edit(&p)
	}
	return p
}

// shown returns changes in short lines.
func shown(all []*changes.Change) (out []string) {
	for _, c := range all {
		kind := "change"
		if c.Conflict {
			kind = "conflict"
		}
		out = append(out, fmt.Sprintf("%s of %s in %s: %s %v", kind, strings.Join(c.Packages, ","),
			strings.Join(c.Files, ","), strings.Join(c.Lines, " | "), c.Values))
	}
	return out
}

// TestDistinct has the distinct changes of some packages.
func TestDistinct(t *testing.T) {
	t.Parallel()
	file := func(path, before, after string) func(*changes.Package) {
		return func(p *changes.Package) { p.Files = []changes.File{{Path: path, Before: before, After: after}} }
	}
	const image = ": - image: web:v1 | + image: web:v2 map[]"
	for name, c := range map[string]struct {
		packages []changes.Package
		want     []string
	}{
		"none": {},
		"the same in all": {[]changes.Package{site(1, nil), site(2, nil), site(3, nil)},
			[]string{"change of s1/web,s2/web,s3/web in d.yaml" + image}},
		"the same in two files": {[]changes.Package{site(1, func(p *changes.Package) {
			p.Files = append(p.Files, changes.File{Path: "e.yaml", Before: "image: web:v1\n", After: "image: web:v2\n"})
		})}, []string{"change of s1/web in d.yaml,e.yaml" + image}},
		"what most have comes first": {[]changes.Package{site(1, file("d.yaml", "a\n", "b\n")), site(2, nil), site(3, nil)},
			[]string{"change of s2/web,s3/web in d.yaml" + image, "change of s1/web in d.yaml: - a | + b map[]"}},
		"the values of packages have names": {[]changes.Package{
			site(1, file("d.yaml", "", "host: us-east.example.com\n")), site(2, file("d.yaml", "", "host: eu-west.example.com\n")),
			site(4, file("d.yaml", "", "host: eu-west.example.com\n"))},
			[]string{"change of s1/web,s2/web,s4/web in d.yaml: + host: ‹region›.example.com map[region:map[eu-west:2 us-east:1]]"}},
		"no other value has one": {[]changes.Package{
			site(1, file("d.yaml", "a: eu-west\n", "a: my-eu-west\n")), site(3, file("d.yaml", "a: eu-west\n", "a: eu-west-1\n"))},
			[]string{"change of s3/web in d.yaml: - a: eu-west | + a: eu-west-1 map[]",
				"change of s1/web in d.yaml: - a: eu-west | + a: my-eu-west map[]"}},
		"a part of a token is no value": {[]changes.Package{site(1, file("d.yaml", "a: us-east1 xus-east us-east\n", ""))},
			[]string{"change of s1/web in d.yaml: - a: us-east1 xus-east ‹region› map[region:map[us-east:1]]"}},
		"short values and numbers stay": {[]changes.Package{{Name: "a", Own: map[string]string{"x": "eu", "n": "8080", "v": "1.20"},
			Files: []changes.File{{Path: "f", Before: "", After: "eu 8080 1.20\n"}}}},
			[]string{"change of a in f: + eu 8080 1.20 map[]"}},
		"the longest value counts": {[]changes.Package{{Name: "a", Own: map[string]string{"x": "west", "y": "eu.west"},
			Files: []changes.File{{Path: "f", Before: "", After: "eu.west west\n"}}}},
			[]string{"change of a in f: + ‹y› ‹x› map[x:map[west:1] y:map[eu.west:1]]"}},
		"a value is not looked for in a name": {[]changes.Package{{Name: "a", Own: map[string]string{"west": "region", "region": "north"},
			Files: []changes.File{{Path: "f", Before: "", After: "north region\n"}}}},
			[]string{"change of a in f: + ‹region› ‹west› map[region:map[north:1] west:map[region:1]]"}},
		"the lock is left out": {[]changes.Package{site(1, file("Kptfile",
			"kind: Kptfile\nupstream:\n  git:\n    ref: v1\nupstreamLock:\n  git:\n    ref: v1\ninfo: {}\n",
			"kind: Kptfile\nupstream:\n  git:\n    ref: v2\nupstreamLock:\n  git:\n    ref: v2\ninfo: {}\n"))}, nil},
		"a pipeline beside the lock is not": {[]changes.Package{site(1, file("sub/Kptfile",
			"upstreamLock:\n  git:\n    ref: v1\npipeline:\n  mutators: []\n", "upstreamLock:\n  git:\n    ref: v2\npipeline:\n  mutators: [a]\n"))},
			[]string{"change of s1/web in sub/Kptfile: -   mutators: [] | +   mutators: [a] map[]"}},
		"conflicts come first, equal ones once": {[]changes.Package{site(1, nil), site(2, nil),
			site(3, func(p *changes.Package) { p.Conflicts = conflicts("hotfix") }),
			site(4, func(p *changes.Package) { p.Conflicts = conflicts("hotfix") }),
			site(5, func(p *changes.Package) { p.Conflicts = conflicts("other") })},
			[]string{
				`conflict of s3/web,s4/web in d.yaml: image of A in d.yaml | here "web:hotfix", upstream "web:v2"; the merge kept its own map[]`,
				`conflict of s5/web in d.yaml: image of A in d.yaml | here "web:other", upstream "web:v2"; the merge kept its own map[]`,
				"change of s1/web,s2/web,s3/web,s4/web,s5/web in d.yaml" + image}},
		"a file that is new, and one that goes": {[]changes.Package{site(1, file("d.yaml", "", "a\n\nb\n")), site(2, file("d.yaml", "a\n", ""))},
			[]string{"change of s1/web in d.yaml: + a | +  | + b map[]", "change of s2/web in d.yaml: - a map[]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, shown(changes.Distinct(c.packages))); diff != "" {
				t.Errorf("Distinct (-want +got):\n%s", diff)
			}
		})
	}
}

// conflicts are one conflict about an image.
func conflicts(tag string) []v1alpha1.Conflict {
	return []v1alpha1.Conflict{{File: "d.yaml", Resource: "A", Field: "image", Original: "web:v1", Local: "web:" + tag,
		Updated: "web:v2", Taken: v1alpha1.TakenLocal}}
}

// BenchmarkDistinct has packages of which each changes 20 files in the same way, and has values of its own.
func BenchmarkDistinct(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("packages=%d", n), func(b *testing.B) {
			var all []changes.Package
			for i := range n {
				all = append(all, site(i, func(p *changes.Package) {
					for f := range 19 {
						path := fmt.Sprintf("f%d.yaml", f)
						p.Files = append(p.Files, changes.File{Path: path, Before: "region: " + p.Own["region"] + "\n" + p.Files[0].Before,
							After: "region: " + p.Own["region"] + "\n" + p.Files[0].After})
					}
				}))
			}
			for b.Loop() {
				if got := changes.Distinct(all); len(got) != 1 {
					b.Fatalf("%d changes", len(got))
				}
			}
		})
	}
}
