// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// TestPairUp checks which resources of a copy are found to be those of its upstream under other names, and which are
// only said to be doubtful.
func TestPairUp(t *testing.T) {
	t.Parallel()
	other := cm + "data:\n  x: a\n  y: b\n  z: c\n"
	as := func(names ...string) string {
		var all []string
		for _, name := range names {
			all = append(all, renamed(name, cmv1))
		}
		return strings.Join(all, "---\n")
	}
	const certain, doubtful, lacks = "certain ", "doubtful ", "lacks "
	pair := func(here, upstream string) string {
		return "|ConfigMap|default|" + here + ": |ConfigMap|default|" + upstream
	}
	for name, c := range map[string]struct {
		upstream, local files
		want            []string
	}{
		"the same":                     {one(cmv1), one(cmMine), nil},
		"in another namespace":         {one(cmv1), one(in("prod", cmMine)), nil},
		"the environment behind":       {one(cmv1), one(as("settings-prod")), []string{certain + pair("settings-prod", "settings")}},
		"in front, in another file":    {one(cmv1), files{"b.yaml": as("prod-settings")}, []string{certain + pair("prod-settings", "settings")}},
		"in between":                   {one(as("a-b")), one(as("a-prod.b")), []string{certain + pair("a-prod.b", "a-b")}},
		"in place of another one":      {one(as("a-dev")), one(as("a-prod")), []string{certain + pair("a-prod", "a-dev")}},
		"nothing but the environment":  {one(as("dev")), one(as("prod")), []string{certain + pair("prod", "dev")}},
		"of two words":                 {one(as("a")), one(as("a-eu-west")), []string{certain + pair("a-eu-west", "a")}},
		"in place of something, twice": {one(as("a-test", "b-test")), one(as("a-prod", "b-prod")), []string{certain + pair("a-prod", "a-test"), certain + pair("b-prod", "b-test")}},
		"in place of something":        {one(as("a-test")), one(as("a-prod")), []string{doubtful + pair("a-prod", "a-test"), lacks + "ConfigMap a-test in a.yaml"}},
		"another name, same file":      {one(cmv1), one(renamed("mine", other)), []string{doubtful + pair("mine", "settings"), lacks + "ConfigMap settings in a.yaml"}},
		"another name, same shape":     {one(cmv1), files{"b.yaml": as("mine")}, []string{doubtful + pair("mine", "settings"), lacks + "ConfigMap settings in a.yaml"}},
		"only the name":                {one(cmv1), files{"b.yaml": renamed("settings-prod", other)}, []string{doubtful + pair("settings-prod", "settings"), lacks + "ConfigMap settings in a.yaml"}},
		"nothing":                      {one(cmv1), files{"b.yaml": renamed("mine", other)}, []string{lacks + "ConfigMap settings in a.yaml"}},
		"another kind":                 {one(cmv1), one(renamed("settings-prod", secret("one"))), []string{lacks + "ConfigMap settings in a.yaml"}},
		"several candidates":           {one(cmv1), one(as("settings-prod", "prod-settings")), []string{doubtful + pair("prod-settings", "settings"), doubtful + pair("settings-prod", "settings"), lacks + "ConfigMap settings in a.yaml"}},
		"several candidates by shape":  {one(cmv1), one(as("a", "b")), []string{lacks + "ConfigMap settings in a.yaml"}},
		"the same name, moved and split": {files{"a.yaml": cmv1, "b.yaml": other}, files{"c.yaml": cmv2, "d.yaml": cm + "data:\n  q: a\n"},
			[]string{lacks + "ConfigMap settings in a.yaml", lacks + "ConfigMap settings in b.yaml"}},
		"one of two":                    {one(as("web", "web-canary")), one(as("web-prod")), []string{certain + pair("web-prod", "web"), lacks + "ConfigMap web-canary in a.yaml"}},
		"in another namespace, renamed": {one(cmv1), one(in("prod", as("settings-prod"))), []string{certain + "|ConfigMap|prod|settings-prod: |ConfigMap|default|settings"}},
		"said already":                  {one(cmv1), files{"Kptfile": pairing(pair("mine", "settings")), "a.yaml": as("mine")}, nil},
		"an upstream identifier":        {one(cmv1), one(identified("|ConfigMap|default|settings", as("mine"))), nil},
		"a template":                    {one(cmv1), one(as("settings-prod") + "x: {{ .Values.x }}\n"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := merging.PairUp(with(c.upstream), with(c.local), merging.Names{Own: []string{"prod", "eu-west"}, Known: []string{"dev"}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range found.Pairs {
				got = append(got, certain+p.String())
			}
			for _, p := range found.Doubtful {
				got = append(got, doubtful+p.String())
			}
			for _, i := range found.Lacks {
				got = append(got, lacks+i.String())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
