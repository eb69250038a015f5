// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// long is a text of which conflicts show a part.
var long = strings.Repeat("x", 300)

// deciding is a resource that both sides changed, and another value that somebody decides for.
type deciding struct{ original, updated, local, other string }

// cutLists returns lists of which conflicts show a part.
func cutLists() map[string]deciding {
	checks := func(names ...string) string {
		return cm + "spec:\n  checks: [{api: apps/v1, kind: Deployment, name: " +
			strings.Join(names, "}, {api: apps/v1, kind: Deployment, name: ") + "}]\n"
	}
	one, own := []string{"one", "two", "three-" + long[:90]}, []string{"own-" + long[:90], "own-too-" + long[:90]}
	with := func(at int, name string, more ...string) string {
		names := slices.Concat(one, more)
		names[at] = name
		return checks(names...)
	}
	return map[string]deciding{
		"a long list, of which one side is cut": {checks(one...), with(1, "two-v2", "four"), with(1, "two", own...),
			with(1, "two-v2", append(own, "four")...)},
		"a long list, of which both are cut": {checks(one...), with(1, "two-v2", own[1], own[0]), with(1, "two", own...),
			with(1, "two-v2", own...)},
		"a long list, cut on both ends": {checks(one...), with(1, "two-v2"+long, own...), with(1, "two-v3"+long, own...),
			with(1, "two-v4"+long, own...)},
		"a long list, of which an element is removed": {checks(one...), with(1, "two-v2", own[1]), with(1, "two", own...),
			with(1, "two", own[1:]...)},
		"a long list that both add": {cm, checks(append(one, "up")...), checks(append(one, "own")...), checks(one...)},
	}
}

// TestHeld tells by the files of a package which side's value it has in the place of a conflict: after the merge, and
// after a person has written each side's into it, or another one.
func TestHeld(t *testing.T) {
	t.Parallel()
	secret := func(value string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ndata:\n  a: " + value + "\n"
	}
	port := func(number string) string {
		return pod + "      - name: web\n        ports:\n        - {containerPort: 80, hostPort: " + number + "}\n"
	}
	args := func(last string) string { return pod + "      - name: web\n        args: [a, " + last + "]\n" }
	cases := cutLists()
	maps.Copy(cases, map[string]deciding{
		"a value": {cm + "data:\n  a: one\n", cm + "data:\n  a: two\n", cm + "data:\n  a: mine\n", cm + "data:\n  a: three\n"},
		"dots":    {cm + "data:\n  a.b: one\n", cm + "data:\n  a.b: \"2\"\n", cm + "data:\n  a.b: mine\n", cm + "data:\n  a.b: \"3\"\n"},
		"long":    {cm + "data:\n  a: 1" + long, cm + "data:\n  a: 2" + long, cm + "data:\n  a: 3" + long, cm + "data:\n  a: 4" + long},
		"an element": {pod + "      - name: web\n        image: r/w:1\n", pod + "      - name: web\n        image: r/w:2\n",
			pod + "      - name: a\n      - name: web\n        image: r/w:m\n", pod + "      - name: web\n        image: r/w:3\n"},
		"a port":   {port("1"), port("2"), port("3"), port("4")},
		"a list":   {args("b"), args("c"), args("d"), args("e")},
		"removed":  {cm + "data:\n  a: one\n", cm + "data:\n  b: two\n", cm + "data:\n  a: mine\n", cm + "data:\n  a: three\n"},
		"a file":   {"", "two\n", "mine\n", "three\n"},
		"a Secret": {secret("b25l"), secret("dHdv"), secret("bWluZQ=="), ""},
	})
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := "a.yaml"
			if !strings.Contains(c.updated, "kind:") {
				file = "a.txt"
			}
			version := func(text string) map[string]string {
				files := map[string]string{"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n", file: text}
				maps.DeleteFunc(files, func(_, text string) bool { return text == "" })
				return files
			}
			merged, conflicts, err := merging.Merge(version(c.original), version(c.updated), version(c.local), merging.Options{})
			if err != nil || len(conflicts) != 1 {
				t.Fatalf("conflicts %v, error %v", conflicts, err)
			}
			local, upstream := merging.SideLocal, merging.SideUpstream
			if name == "a Secret" { // its values are not told
				local, upstream = "", ""
			}
			if settles := merging.Settled(version(c.updated), &conflicts[0]); settles != (name != "a Secret") {
				t.Errorf("the upstream's value settles %+v: %v", conflicts[0], settles)
			}
			if settles := merging.Settled(version(c.other), &conflicts[0]); settles != (name != "a Secret" && file != "a.txt") {
				t.Errorf("another value settles %+v: %v", conflicts[0], settles)
			}
			areUnsettled(t, merged, conflicts)
			for want, files := range map[string][]map[string]string{local: {merged, version(c.local)},
				upstream: {version(c.updated)}, "": {version(c.other)}} {
				for _, f := range files {
					if got := merging.Held(f, &conflicts[0]); got != want {
						t.Errorf("%+v: got %q, want %q of\n%s", conflicts[0], got, want, f[file])
					}
				}
			}
		})
	}
}
