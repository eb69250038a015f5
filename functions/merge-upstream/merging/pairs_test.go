// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// pairing returns the Kptfile with pairs, each a line.
func pairing(lines ...string) string {
	if len(lines) == 0 {
		return kptfile
	}
	return strings.Replace(kptfile, "\nmetadata:\n", "\nmetadata:\n  annotations:\n    config.porch.kpt.dev/upstream-identifiers: |\n      "+
		strings.Join(lines, "\n      ")+"\n", 1)
}

func inJSON(name, value string) string {
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `"},"data":{"a":"` + value + "\"}}\n"
}

// TestPairs checks that a resource which the Kptfile pairs with one of the upstream gets its changes, and says itself
// what it is upstream from then on.
func TestPairs(t *testing.T) {
	t.Parallel()
	const of, ofDeploy = "|ConfigMap|default|settings-prod: |ConfigMap|default|settings", "apps|Deployment|prod|web-prod: apps|Deployment|default|web"
	const id = "|ConfigMap|default|settings"
	mine, both := renamed("settings-prod", cmMine), renamed("settings-prod", cmBoth)
	other := in("prod", renamed("web-prod", deploy))
	for name, c := range map[string]struct {
		original, updated, local, want files
		conflicts                      []string
	}{
		"changed": {one(cmv1), one(cmv2), files{"Kptfile": pairing(of), "b.yaml": mine},
			files{"Kptfile": kptfile, "b.yaml": identified(id, both)}, nil},
		"one of two": {files{"a.yaml": cmv1, "d.yaml": deploy}, files{"a.yaml": cmv2, "d.yaml": deploy},
			files{"Kptfile": pairing(of, ofDeploy), "a.yaml": mine, "d.yaml": other},
			files{"Kptfile": pairing(ofDeploy), "a.yaml": identified(id, both), "d.yaml": other}, nil},
		"not changed": {one(cmv1), one(cmv1), files{"Kptfile": pairing(of), "a.yaml": mine},
			files{"Kptfile": pairing(of), "a.yaml": mine}, nil},
		"with annotations": {one(cmv1), one(cmv2), files{"Kptfile": pairing(of),
			"a.yaml": strings.Replace(mine, "\ndata:", "\n  annotations: {a: b}\ndata:", 1)},
			files{"Kptfile": kptfile, "a.yaml": strings.Replace(both, "\ndata:",
				"\n  annotations: {a: b, internal.kpt.dev/upstream-identifier: '"+id+"'}\ndata:", 1)}, nil},
		"moved to a namespace upstream": {one(cmv1), one(in("ns-b", cmv1)), files{"Kptfile": pairing(of), "a.yaml": mine},
			files{"Kptfile": kptfile, "a.yaml": strings.Replace(identified("|ConfigMap|ns-b|settings", mine), "\n  annotations:",
				"\n  namespace: ns-b\n  annotations:", 1)}, nil},
		"in JSON": {files{"a.json": inJSON("settings", "one")}, files{"a.json": inJSON("settings", "two")},
			files{"Kptfile": pairing(of), "a.json": inJSON("settings-prod", "one")}, files{"Kptfile": kptfile, "a.json": strings.Replace(
				inJSON("settings-prod", "two"), `prod"`, `prod", "annotations": {"internal.kpt.dev/upstream-identifier": "`+id+`"}`, 1)}, nil},
		"removed upstream": {files{"a.yaml": cmv1, "d.yaml": deploy}, files{"d.yaml": deploy},
			files{"Kptfile": pairing(of), "a.yaml": renamed("settings-prod", cmv1), "d.yaml": deploy},
			files{"Kptfile": kptfile, "d.yaml": deploy}, nil},
		"removed upstream, with one of its name": {files{"a.yaml": cmv1, "d.yaml": deploy}, files{"d.yaml": deploy},
			files{"Kptfile": pairing(of), "a.yaml": cmv1 + "---\n" + renamed("settings-prod", cmv1), "d.yaml": deploy},
			files{"Kptfile": kptfile, "a.yaml": renamed("settings-prod", cmv1), "d.yaml": deploy}, nil},
		"removed upstream, changed here": {files{"a.yaml": cmv1, "d.yaml": deploy}, files{"d.yaml": deploy},
			files{"Kptfile": pairing(of), "a.yaml": mine, "d.yaml": deploy},
			files{"Kptfile": pairing(of), "a.yaml": mine, "d.yaml": deploy}, []string{`a.yaml ConfigMap "settings-prod": local`}},
		"both changed": {one(cmv1), one(cmv2), files{"Kptfile": pairing(of), "a.yaml": renamed("settings-prod", cmOther)},
			files{"Kptfile": pairing(of), "a.yaml": renamed("settings-prod", cmOther)},
			[]string{`a.yaml ConfigMap "settings-prod" data.a: local`}},
		"says something else itself": {one(cmv1), one(cmv2), files{"Kptfile": pairing("|ConfigMap|default|settings-prod: |ConfigMap|default|old"),
			"a.yaml": identified(id, mine)},
			files{"Kptfile": kptfile, "a.yaml": identified(id, both)}, nil},
		"no such resource": {one(cmv1), one(cmv2), files{"Kptfile": pairing(ofDeploy), "a.yaml": cmMine},
			files{"Kptfile": pairing(ofDeploy), "a.yaml": cmBoth}, nil},
		"merged with the package itself": {files{"Kptfile": pairing(of), "a.yaml": renamed("settings-prod", cmv1)},
			files{"Kptfile": pairing(of), "a.yaml": renamed("settings-prod", cmv2)},
			files{"Kptfile": pairing(of), "a.yaml": renamed("settings-prod", cmv1)},
			files{"Kptfile": pairing(of), "a.yaml": renamed("settings-prod", cmv2)}, nil},
		"merged with the package itself, which says it": {files{"Kptfile": pairing(of), "a.yaml": renamed("settings-prod", cmv1)},
			files{"Kptfile": kptfile, "a.yaml": identified(id, renamed("settings-prod", cmv2))},
			files{"Kptfile": pairing(of), "a.yaml": renamed("settings-prod", cmMine)},
			files{"Kptfile": kptfile, "a.yaml": identified(id, renamed("settings-prod", cmBoth))}, nil},
		"of the upstream's upstream": {files{"Kptfile": pairing(of), "a.yaml": cmv1}, files{"Kptfile": pairing(of), "a.yaml": cmv2},
			one(cmMine), one(cmBoth), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, conflicts := merge(t, c.original, c.updated, c.local, merging.Options{OnConflict: merging.KeepLocal})
			if diff := cmp.Diff(with(c.want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.conflicts, told(conflicts)); diff != "" {
				t.Errorf("conflicts -want +got:\n%s", diff)
			}
		})
	}
	want := "Kptfile: metadata.annotations.config.porch.kpt.dev/upstream-identifiers has the line \"settings: web\": write " +
		"group|kind|namespace|name of a resource of the package, a colon and a space, and the same of the resource that it is upstream"
	_, _, err := merging.Merge(with(one(cmv1)), with(one(cmv2)), files{"Kptfile": pairing("settings: web"), "a.yaml": cmMine}, merging.Options{})
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v", err)
	}
}
