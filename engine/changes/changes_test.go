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

// files are the files of a package, each with its texts before and after.
type files map[string][2]string

// of returns a package with files.
func of(name string, own map[string]string, files files) *changes.Package {
	p := &changes.Package{Name: name, Own: own, Before: map[string]string{}, After: map[string]string{}}
	for path, text := range files {
		p.Before[path], p.After[path] = text[0], text[1]
	}
	return p
}

// site is a package in eu or us that moves to another image.
func site(n int, edit func(*changes.Package)) *changes.Package {
	region := []string{"eu-west", "us-east"}[n%2]
	p := of(fmt.Sprintf("s%d/web", n), map[string]string{"region": region, "repository": fmt.Sprintf("s%d", n)},
		files{"d.yaml": {"kind: A\nimage: web:v1\nreplicas: 1\n", "kind: A\nimage: web:v2\nreplicas: 1\n"}})
	if edit != nil {
		edit(p)
	}
	return p
}

// distinct returns the distinct changes of packages.
func distinct(packages ...*changes.Package) []*changes.Change {
	var f changes.Finder
	for _, p := range packages {
		f.Add(p)
	}
	return f.Distinct()
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
		return func(p *changes.Package) {
			p.Before, p.After = map[string]string{path: before}, map[string]string{path: after}
		}
	}
	const image = ": - image: web:v1 | + image: web:v2 map[]"
	eu := map[string]string{"region": "eu-west"}
	for name, c := range map[string]struct {
		packages []*changes.Package
		want     []string
	}{
		"none": {},
		"the same in all": {[]*changes.Package{site(1, nil), site(2, nil), site(3, nil)},
			[]string{"change of s1/web,s2/web,s3/web in d.yaml" + image}},
		"the same in two files": {[]*changes.Package{site(1, func(p *changes.Package) {
			p.Before["e.yaml"], p.After["e.yaml"] = "image: web:v1\n", "image: web:v2\n"
		})}, []string{"change of s1/web in d.yaml,e.yaml" + image}},
		"what most have comes first": {[]*changes.Package{site(1, file("d.yaml", "a\n", "b\n")), site(2, nil), site(3, nil)},
			[]string{"change of s2/web,s3/web in d.yaml" + image, "change of s1/web in d.yaml: - a | + b map[]"}},
		"the values of packages have names": {[]*changes.Package{
			site(1, file("d.yaml", "", "host: us-east.example.com\n")), site(2, file("d.yaml", "", "host: eu-west.example.com\n")),
			site(4, file("d.yaml", "", "host: eu-west.example.com\n"))},
			[]string{"change of s1/web,s2/web,s4/web in d.yaml: + host: ‹region›.example.com map[region:map[eu-west:2 us-east:1]]"}},
		"a value that all have stands as it is": {[]*changes.Package{site(2, file("d.yaml", "", "a: eu-west\n")),
			site(4, file("d.yaml", "", "a: eu-west\n")), of("other", nil, files{"d.yaml": {"", "a: eu-west\n"}})},
			[]string{"change of other,s2/web,s4/web in d.yaml: + a: eu-west map[]"}},
		"one of two values": {[]*changes.Package{
			of("a", map[string]string{"x": "one", "y": "same"}, files{"f": {"", "one same\n"}}),
			of("b", map[string]string{"x": "two", "y": "same"}, files{"f": {"", "two same\n"}})},
			[]string{"change of a,b in f: + ‹x› same map[x:map[one:1 two:1]]"}},
		"a package in two files": {[]*changes.Package{of("a", eu, files{"f": {"", "eu-west\n"}, "g": {"", "eu-west\n"}}),
			site(1, file("f", "", "us-east\n"))},
			[]string{"change of a,s1/web in f,g: + ‹region› map[region:map[eu-west:1 us-east:1]]"}},
		"no other value has one": {[]*changes.Package{
			site(1, file("d.yaml", "a: eu-west\n", "a: my-eu-west\n")), site(3, file("d.yaml", "a: eu-west\n", "a: eu-west-1\n"))},
			[]string{"change of s3/web in d.yaml: - a: eu-west | + a: eu-west-1 map[]",
				"change of s1/web in d.yaml: - a: eu-west | + a: my-eu-west map[]"}},
		"what looks like a name is none": {[]*changes.Package{site(1, file("d.yaml", "", "a: us-east\n")),
			site(2, file("d.yaml", "", "a: eu-west\n")), site(3, file("d.yaml", "", "a: ‹region›\n"))},
			[]string{"change of s1/web,s2/web in d.yaml: + a: ‹region› map[region:map[eu-west:1 us-east:1]]",
				"change of s3/web in d.yaml: + a: ‹region› map[]"}},
		"a part of a token is no value": {[]*changes.Package{site(1, file("d.yaml", "a: us-east1 xus-east us-east\n", "")),
			site(2, file("d.yaml", "a: us-east1 xus-east eu-west\n", ""))},
			[]string{"change of s1/web,s2/web in d.yaml: - a: us-east1 xus-east ‹region› map[region:map[eu-west:1 us-east:1]]"}},
		"short values, numbers and words of YAML stay": {[]*changes.Package{
			of("a", map[string]string{"x": "eu", "n": "8080", "v": "1.20", "b": "true"}, files{"f": {"", "eu 8080 1.20 true\n"}}),
			of("b", map[string]string{"x": "us", "n": "9090", "v": "1.21", "b": "null"}, files{"f": {"", "us 9090 1.21 null\n"}})},
			[]string{"change of a in f: + eu 8080 1.20 true map[]", "change of b in f: + us 9090 1.21 null map[]"}},
		"the longest value counts": {[]*changes.Package{
			of("a", map[string]string{"x": "west", "y": "eu.west"}, files{"f": {"", "eu.west west\n"}}),
			of("b", map[string]string{"x": "east", "y": "us.east"}, files{"f": {"", "us.east east\n"}})},
			[]string{"change of a,b in f: + ‹y› ‹x› map[x:map[east:1 west:1] y:map[eu.west:1 us.east:1]]"}},
		"a value is not looked for in a name": {[]*changes.Package{
			of("a", map[string]string{"west": "region", "region": "north"}, files{"f": {"", "north region\n"}}),
			of("b", map[string]string{"west": "area", "region": "south"}, files{"f": {"", "south area\n"}})},
			[]string{"change of a,b in f: + ‹region› ‹west› map[region:map[north:1 south:1] west:map[area:1 region:1]]"}},
		"a line of a diff begins with no value": {[]*changes.Package{
			of("a", map[string]string{"x": "- abc"}, files{"f": {"abc\n", ""}}), of("b", map[string]string{"x": "- def"}, files{"f": {"def\n", ""}})},
			[]string{"change of a in f: - abc map[]", "change of b in f: - def map[]"}},
		"what is no text": {[]*changes.Package{of("a", nil, files{"f": {"a\x00b", "x\n"}})},
			[]string{"change of a in f: - (no text: 3 bytes, sha256 59b271ae1bbc) | + x map[]"}},
		"the lock is left out": {[]*changes.Package{site(1, file("Kptfile",
			"kind: Kptfile\nupstream:\n  git:\n    ref: v1\nupstreamLock:\n  git:\n    ref: v1\ninfo: {}\n",
			"kind: Kptfile\nupstream:\n  git:\n    ref: v2\nupstreamLock:\n  git:\n    ref: v2\ninfo: {}\n"))}, nil},
		"a pipeline beside the lock is not": {[]*changes.Package{site(1, file("sub/Kptfile",
			"upstreamLock:\n  git:\n    ref: v1\npipeline:\n  mutators: []\n", "upstreamLock:\n  git:\n    ref: v2\npipeline:\n  mutators: [a]\n"))},
			[]string{"change of s1/web in sub/Kptfile: -   mutators: [] | +   mutators: [a] map[]"}},
		"what says what a resource is upstream is left out": {[]*changes.Package{
			of("a", nil, files{"d.yaml": {"metadata:\n  name: web-a\nspec:\n  image: 1\n", "metadata:\n  name: web-a\n  annotations:\n" +
				"    internal.kpt.dev/upstream-identifier: apps|Deployment|default|web\nspec:\n  image: 2\n"}}),
			of("b", nil, files{"d.yaml": {"metadata:\n  annotations:\n    x: y\nspec:\n  image: 1\n", "metadata:\n  annotations:\n    x: y\n" +
				"    internal.kpt.dev/upstream-identifier: '|Service|default|web'\nspec:\n  image: 2\n"}}),
			of("c", nil, files{"Kptfile": {"metadata:\n  annotations:\n    config.porch.kpt.dev/upstream-identifiers: |\n" +
				"      apps|Deployment|default|web-c: apps|Deployment|default|web\n", "metadata: {}\n"}})},
			[]string{"change of a,b in d.yaml: -   image: 1 | +   image: 2 map[]",
				"change of c in Kptfile: - metadata: | + metadata: {} map[]"}},
		"what only looks like it is not": {[]*changes.Package{of("a", nil, files{"d.yaml": {"a:\n  b: c\n",
			"a:\n  internal.kpt.dev/upstream-identifier: x, image: evil\n"}})},
			[]string{"change of a in d.yaml: -   b: c | +   internal.kpt.dev/upstream-identifier: x, image: evil map[]"}},
		"conflicts come first, equal ones once": {[]*changes.Package{site(1, nil), site(2, nil),
			site(3, func(p *changes.Package) { p.Conflicts = conflicts("hotfix") }),
			site(4, func(p *changes.Package) { p.Conflicts = conflicts("hotfix") }),
			site(5, func(p *changes.Package) { p.Conflicts = conflicts("other") })},
			[]string{
				`conflict of s3/web,s4/web in d.yaml: image of A in d.yaml: here "web:hotfix", upstream "web:v2"; the merge kept its own map[]`,
				`conflict of s5/web in d.yaml: image of A in d.yaml: here "web:other", upstream "web:v2"; the merge kept its own map[]`,
				"change of s1/web,s2/web,s3/web,s4/web,s5/web in d.yaml" + image}},
		"a conflict of a file has its lines": {[]*changes.Package{of("a", nil, nil), func() *changes.Package {
			p := of("b", nil, files{"n.txt": {"a\nmine\n", "a\nmine\n"}})
			p.Upstream = map[string]string{"n.txt": "a\ntheirs\n"}
			p.Conflicts = []v1alpha1.Conflict{{File: "n.txt", Local: "sha256:1", Updated: "sha256:2"}}
			return p
		}()}, []string{"conflict of b in n.txt: n.txt: both sides changed it; - is in the draft, + is upstream | - mine | + theirs map[]"}},
		"a file that is new, and one that goes": {[]*changes.Package{site(1, file("d.yaml", "", "a\n\nb\n")), site(2, file("d.yaml", "a\n", ""))},
			[]string{"change of s1/web in d.yaml: + a | +  | + b map[]", "change of s2/web in d.yaml: - a map[]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, shown(distinct(c.packages...))); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

// conflicts are one conflict about an image.
func conflicts(tag string) []v1alpha1.Conflict {
	return []v1alpha1.Conflict{{File: "d.yaml", Resource: "A", Field: "image", Original: "web:v1", Local: "web:" + tag,
		Updated: "web:v2", Taken: v1alpha1.TakenLocal}}
}

// fleet is a fleet of packages of which each changes 20 files in the same way, and has values of its own; two have a
// conflict.
func fleet(n int) (all []*changes.Package) {
	for i := range n {
		all = append(all, site(i, func(p *changes.Package) {
			for f := range 19 {
				path := fmt.Sprintf("f%d.yaml", f)
				p.Before[path] = "region: " + p.Own["region"] + "\n" + p.Before["d.yaml"]
				p.After[path] = "region: " + p.Own["region"] + "\n" + p.After["d.yaml"]
			}
			p.After["host.yaml"] = "host: " + p.Own["region"] + ".example.com\n"
			p.Before["name.yaml"], p.After["name.yaml"] = "site: none\n", "site: site-"+fmt.Sprint(i%2)+"\n"
			if i < 2 {
				p.Conflicts = conflicts(fmt.Sprint("hotfix", i))
			}
		}))
	}
	return all
}

// TestText has a fleet on one screen, and what is told of it.
func TestText(t *testing.T) {
	t.Parallel()
	text := changes.Text(distinct(fleet(1000)...), false)
	const want = `1,000 packages, 4 changes, 2 conflicts

CONFLICT  1: s0/web
  image of A in d.yaml: here "web:hotfix0", upstream "web:v2"; the merge kept its own
CONFLICT  1: s1/web
  image of A in d.yaml: here "web:hotfix1", upstream "web:v2"; the merge kept its own
CHANGE 1  all 1,000, in host.yaml
  + host: ‹region›.example.com
  ‹region›: eu-west 500, us-east 500
CHANGE 2  all 1,000, in 20 files (d.yaml, f0.yaml ... f9.yaml)
  - image: web:v1
  + image: web:v2
CHANGE 3  500: s0/web, s10/web and 498 more (--names), in name.yaml
  - site: none
  + site: site-0
CHANGE 4  500: s1/web, s101/web and 498 more (--names), in name.yaml
  - site: none
  + site: site-1`
	if diff := cmp.Diff(strings.Split(want, "\n"), text); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if all := strings.Join(changes.Text(distinct(fleet(1000)...), true), "\n"); strings.Count(all, "s999/web") != 3 {
		t.Error("--names does not name all")
	}
	for _, text := range changes.Markdown(distinct(fleet(1000)...)) {
		if len(text) > 4000 {
			t.Errorf("the Markdown of a change has %d bytes", len(text))
		}
	}
}

// BenchmarkDistinct has fleets that differ in size: the time for each package stays the same.
func BenchmarkDistinct(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		all := fleet(n)
		b.Run(fmt.Sprintf("packages=%d", n), func(b *testing.B) {
			for b.Loop() {
				if got := distinct(all...); len(got) != 6 {
					b.Fatalf("%d changes", len(got))
				}
			}
		})
	}
}
