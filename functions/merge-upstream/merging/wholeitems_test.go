// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

const (
	twice     = cmv1 + "---\n" + cmv1
	onlyNotes = "# to do\n"
	notRead   = "x.yaml: is changed upstream to what is not YAML of resources, or is too large, which a function cannot write"
	copyIt    = ": the package stays as it is there, copy it from the updated upstream"
	notSeen   = "x.yaml: changed upstream, but is not among the resources that a function gets: copy it from the updated upstream"
	newUnseen = "x.yaml: added upstream, but is not among the resources that a function gets: copy it from the updated upstream"
	goneFile  = "x.yaml: removed upstream, but is not among the resources that a function gets: delete it, unless the " +
		"package needs it"
	bothSides = "x.yaml: is changed on both sides, and cannot be merged by field, because it "
	isTwice   = bothSides + `has ConfigMap "settings" twice`
)

// TestWholeItems checks what becomes of the resources of a file that is a single value, or has none in a version. A
// function does not get a file without resources.
func TestWholeItems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		original, updated, local string // x.yaml; nothing where it is missing
		onConflict               merging.OnConflict
		want                     []string // the values of data.a and data.b
		message                  string
	}{
		"filled upstream":                {onlyNotes, cmv1, "", "", []string{"one x"}, ""},
		"commented out upstream":         {cmv1, onlyNotes, cmv1, "", nil, ""},
		"emptied upstream":               {cmv1, "\n", cmv1, "", nil, ""},
		"commented out upstream, edited": {cmv1, onlyNotes, cmMine, "", []string{"one mine"}, notRemoved},
		"doubled upstream":               {cmv1, twice, cmv1, "", []string{"one x", "one x"}, ""},
		"doubled upstream, edited": {cmv1, twice, cmMine, merging.TakeUpstream, []string{"one x", "one x"},
			isTwice + ": the upstream's is taken"},
		"doubled upstream, edited and kept": {cmv1, twice, cmMine, merging.KeepLocal, []string{"one mine"},
			isTwice + ": the package stays as it is there"},
		"doubled upstream, removed here": {cmv1, twice, "", "", nil,
			"x.yaml: is removed here, and changed upstream: the package stays as it is there"},
		"added doubled":             {"", twice, "", "", []string{"one x", "one x"}, ""},
		"double until now":          {twice, cmv2, twice, "", []string{"two x"}, ""},
		"double until now, removed": {twice, "", twice, "", nil, ""},
		"double until now, removed and edited": {twice, "", cmv1 + "---\n" + cmMine, "", []string{"one x", "one mine"},
			"x.yaml: is changed here, and removed upstream: the package stays as it is there"},
		"double until now, single here": {twice, cmv2, cmv1, merging.TakeUpstream, []string{"two x"}, isTwice + ": the upstream's is taken"},
		"merged already":                {twice, cmv2, cmv2, "", []string{"two x"}, ""},
		"no YAML upstream":              {cmv1, "}{", cmv1, "", []string{"one x"}, notRead + copyIt},
		"no YAML, added":                {"", "}{", "", "", nil, newUnseen},
		"YAML without a kind":           {"a: 1\n", "a: 2\n", "", "", nil, notSeen},
		"YAML without a kind, added":    {"", "a: 2\n", "", "", nil, newUnseen},
		"YAML without a kind, removed":  {"a: 1\n", "", "", "", nil, goneFile},
		"a template, added":             {"", cm + "data:\n  a: {{ .Values.a }}\n", "", "", nil, newUnseen},
		"a template":                    {cm + "data:\n  a: {{ .Values.a }}\n", cmv1, "", "", nil, notSeen},
		"a template upstream":           {cmv1, cm + "data:\n  a: {{ .Values.a }}\n", cmv1, "", []string{"one x"}, notRead + copyIt},
		"YAML without a kind upstream":  {cmv1, "a: 1\n", cmv1, "", []string{"one x"}, notRead + copyIt},
		"no YAML until now":             {"}{", cmv2, cmv1, "TakeUpstream", []string{"two x"}, bothSides + "is not YAML: the upstream's is taken"},
		"comments changed":              {onlyNotes, "# done\n", "", "", nil, notSeen},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			local := fntest.Files{"Kptfile": kptfile, "d.yaml": deploy}
			if c.local != "" {
				local["x.yaml"] = c.local
			}
			config := config + "upstreamLock: {git: {ref: v2}}\n" + versionOf("original", c.original) +
				versionOf("updated", c.updated)
			stdout, stderr, code := fntest.Run(merging.Run, fntest.List(t, config+"onConflict: "+
				string(c.onConflict)+"\n", local))
			if code != 0 {
				t.Fatal(stderr)
			}
			got, message := []string(nil), ""
			list := fntest.Parse(t, stdout)
			for _, item := range list.Items {
				if a, ok, _ := item.NestedString("data", "a"); ok && item.PathAnnotation() == "x.yaml" {
					b, _, _ := item.NestedString("data", "b")
					got = append(got, a+" "+b)
				}
			}
			for _, r := range list.Results {
				message += r.Message
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("values -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.message, message); diff != "" {
				t.Errorf("results -want +got:\n%s", diff)
			}
			_, stderr, code = fntest.Run(merging.Run, fntest.List(t, config+"onConflict: Stop\n", local))
			if stops := c.message != "" && !strings.Contains(c.message, "not among"); stops != (code != 0) {
				t.Errorf("Stop: exit code %d, %s", code, stderr)
			}
		})
	}
}

const notRemoved = `x.yaml: ConfigMap "settings": is changed here, and removed upstream: the package stays as it is there`

// versionOf returns a revision in a config that has x.yaml, unless that is empty, and what every version has.
func versionOf(field, text string) string {
	all := map[string]string{"Kptfile": kptfile, "d.yaml": deploy}
	if text != "" {
		all["x.yaml"] = text
	}
	out := field + ":\n  resources:\n"
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out += fmt.Sprintf("    %s: %s\n", name, strconv.Quote(all[name]))
	}
	return out
}
