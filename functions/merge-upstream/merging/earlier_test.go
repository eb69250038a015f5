// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"cmp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// shownOtherwise are conflicts of a part of what is in their place: the whole is shown once the upstream changes it.
var shownOtherwise = map[string]bool{
	"order of a list": true, "value from elsewhere": true, "map replaced upstream": true, "map replaced here": true,
	"map replaced on both sides": true, "volume added on both sides": true, "volume of another kind": true,
	"map of a custom resource": true,
}

// TestRefresh checks that a conflict gets the value that the upstream has in its place once the upstream goes back to
// what it was, and keeps it while the upstream stays.
func TestRefresh(t *testing.T) {
	t.Parallel()
	for name, c := range conflicts {
		for _, policy := range []merging.OnConflict{merging.TakeUpstream, merging.KeepLocal} {
			t.Run(name+"/"+string(policy), func(t *testing.T) {
				t.Parallel()
				got, found := merge(t, one(c.original), one(c.updated), one(c.local), merging.Options{OnConflict: policy})
				original, updated := with(one(c.original)), with(one(c.updated))
				if diff := gocmp.Diff(found, merging.Refresh(found, updated, updated, got)); diff != "" {
					t.Errorf("the upstream stays: -want +got:\n%s", diff)
				}
				back := merging.Refresh(found, updated, original, got)
				for i := range found {
					want := found[i]
					want.Updated = cmp.Or(want.Original, merging.Removed)
					if shownOtherwise[name] {
						want.Updated = back[i].Updated
					}
					if diff := gocmp.Diff(want, back[i]); diff != "" {
						t.Errorf("the upstream goes back: -want +got:\n%s", diff)
					}
				}
			})
		}
	}
}

// TestRefreshOf checks conflicts about whole resources and files, Secrets, and resources in another place.
func TestRefreshOf(t *testing.T) {
	t.Parallel()
	settings := func(file, field, updated string) merging.Conflict {
		return merging.Conflict{File: file, Resource: `ConfigMap "settings"`, Field: field, Original: "one", Local: "two",
			Updated: updated, Taken: "local"}
	}
	about := func(file, resource, field, local, updated string) merging.Conflict {
		return merging.Conflict{File: file, Resource: resource, Field: field, Local: local, Updated: updated, Taken: "local"}
	}
	red, green := one(cm+"data: {a: red}\n"), one(cm+"data: {a: green}\n")
	for name, c := range map[string]struct {
		earlier                  merging.Conflict
		original, updated, local files
		want                     string
	}{
		"a file": {about("n.txt", "", "", "x", "y"),
			files{"n.txt": "2"}, files{"n.txt": "1"}, nil, "1 bytes, sha256 6b86b273ff34"},
		"a file in the place of a directory": {about("n.txt", "", "", "a file", "a directory"), nil, nil, nil, "a directory"},
		"a file that goes": {about("n.txt", "", "", "x", "y"),
			files{"n.txt": "2"}, nil, nil, "(removed)"},
		"a file of a secret": {about("n.txt", "", "", "x", "y"), files{"n.txt": "2"}, files{"n.txt": "kind: Secret"}, nil,
			"(not shown)"},
		"a file that was of a secret": {about("n.txt", "", "", "(not shown)", "(not shown)"), files{"n.txt": "2"},
			files{"n.txt": "1"}, nil, "(not shown)"},
		"a resource that comes back": {about("a.yaml", `ConfigMap "settings"`, "", "x", "(removed)"), nil, one(cmv1),
			one(cmv2),
			"80 bytes, sha256 52204d82787b"},
		"a resource that goes": {about("a.yaml", `ConfigMap "settings"`, "", "x", "y"), one(cmv1), nil, one(cmv2),
			"(removed)"},
		"a resource that was moved": {settings("b.yaml", "data.a", "red"),
			red, green, files{"c.yaml": cm + "data: {a: red}\n"},
			"green"},
		"a resource of two that have its name": {settings("c.yaml", "data.a", "red"),
			files{"a.yaml": red["a.yaml"], "b.yaml": red["a.yaml"]}, files{"a.yaml": green["a.yaml"], "b.yaml": green["a.yaml"]},
			nil, "red"},
		"a resource that no version has": {settings("a.yaml", "data.a", "red"), nil, nil, nil, "red"},
		"a field of a resource that goes": {settings("a.yaml", "data.a", "red"), red, one(deploy),
			red, "(removed)"},
		"a field of a resource that is removed here": {settings("a.yaml", "data.a", "red"), red, green, one(deploy), "green"},
		"a field in the place of which is another":   {settings("a.yaml", "data.a.b", "red"), red, green, red, "red"},
		"a field that becomes a secret": {about("a.yaml", `ConfigMap "settings"`, "data.a", "x", "red"), red,
			one(cm + "data: {a: 'kind: Secret'}\n"), red, "(not shown)"},
		"a field of a secret": {about("a.yaml", `Secret "settings"`, "stringData.a", "(not shown)", "(not shown)"),
			one(secret("one")), one(secret("two")), one(secret("x")), "(not shown)"},
		"a field that a secret loses": {about("a.yaml", `Secret "settings"`, "stringData.a", "(not shown)", "(not shown)"),
			one(secret("one")), one(strings.Replace(cm, "ConfigMap", "Secret", 1)), one(secret("x")), "(removed)"},
		"a function of a pipeline": {about("Kptfile", `Kptfile "web"`, "pipeline.mutators[image=set].configMap.a", "x", "1"),
			files{"Kptfile": kptfile + "pipeline:\n  mutators:\n  - {image: 'set:v1', configMap: {a: 1}}\n"},
			files{"Kptfile": kptfile + "pipeline:\n  mutators:\n  - {image: 'set:v2', configMap: {a: 2}}\n"},
			files{"Kptfile": kptfile + "pipeline:\n  mutators:\n  - {image: 'set:v1', configMap: {a: x}}\n"}, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := c.earlier
			want.Updated = c.want
			got := merging.Refresh([]merging.Conflict{c.earlier}, with(c.original), with(c.updated), with(c.local))
			if diff := gocmp.Diff([]merging.Conflict{want}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestRefreshTaken checks that a conflict says whether the package has its own value, if that value is known.
func TestRefreshTaken(t *testing.T) {
	t.Parallel()
	red, green := one(cm+"data: {a: red}\n"), one(cm+"data: {a: green}\n")
	note := files{"n.txt": "1"}
	for name, c := range map[string]struct {
		file, field, local string
		upstream, here     files
		want               string
	}{
		"its own":           {"a.yaml", "data.a", "red", green, red, merging.SideLocal},
		"the upstream's":    {"a.yaml", "data.a", "red", green, green, merging.SideUpstream},
		"another one":       {"a.yaml", "data.a", "blue", green, red, merging.SideUpstream},
		"a value not shown": {"a.yaml", "data.a", "(not shown)", green, red, merging.SideUpstream},
		"nothing, as it had": {"a.yaml", "data.b", "(removed)", one(cm + "data: {b: x}\n"), red,
			merging.SideLocal},
		"a file of its own":   {"n.txt", "", "1 bytes, sha256 6b86b273ff34", nil, note, merging.SideLocal},
		"a file that is gone": {"n.txt", "", "1 bytes, sha256 6b86b273ff34", note, nil, merging.SideUpstream},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conflict := merging.Conflict{File: c.file, Field: c.field, Local: c.local, Taken: merging.SideUpstream}
			if c.field != "" {
				conflict.Resource = `ConfigMap "settings"`
			}
			got := merging.Refresh([]merging.Conflict{conflict}, with(c.upstream), with(c.upstream), with(c.here))
			if got[0].Taken != c.want {
				t.Errorf("taken is %q, not %q", got[0].Taken, c.want)
			}
		})
	}
}
