// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// FuzzMerge checks for any three versions of a file that a merge has an outcome, that merging it again changes nothing,
// and that changes of one side alone are no conflict: the outcome is that side's file then.
func FuzzMerge(f *testing.F) {
	for _, c := range conflicts {
		f.Add(c.original, c.updated, c.local)
	}
	f.Add(cm+"data: {a: 1}\n---\n"+deploy, deploy+"---\n# c\n"+cm, cm+"---\n---\n"+deploy+"spec: null\n")
	f.Add(in("ns-a", cmv1), in("ns-b", cmv2), noting("ns-a/settings", identified("|ConfigMap|ns-a|settings", in("ns-a", cmMine))))
	f.Add(in("ns-a", cmv1), in("ns-b", cmv2)+"---\n"+in("ns-c", cmv2), in("ns-x", cmMine)+"---\n"+in("ns-b", cmOther))
	f.Add(namespace+"ns-a\n---\n"+in("ns-a", cmv1), namespace+"ns-b\n---\n"+in("ns-b", cmv1),
		namespace+"ns-x\n---\n"+in("ns-x", cmMine))
	f.Add(renamed("a-s", cmv1)+"---\n"+renamed("a-w", deploy), renamed("b-s", cmv2)+"---\n"+renamed("b-w", deploy),
		renamed("s-x", cmv1)+"---\n"+renamed("w-x", deploy))
	f.Add("a: &a [*a]\n", "? [a] : b\n", "a: {<<: {b: c}}\n")
	f.Add("- a\n", "", "\r\n")
	f.Fuzz(func(t *testing.T, original, updated, local string) {
		for _, onConflict := range []merging.OnConflict{merging.TakeUpstream, merging.KeepLocal} {
			check(t, original, updated, local, onConflict)
		}
		if got, conflicts := check(t, original, original, local, merging.Stop); got != local || len(conflicts) > 0 {
			t.Errorf("nothing changed upstream, but the outcome is %q, %v", got, conflicts)
		}
		want := updated
		if unix(original) == unix(updated) {
			want = original // other line ends are no change
		}
		if got, conflicts := check(t, original, updated, original, merging.Stop); got != want || len(conflicts) > 0 {
			t.Errorf("nothing changed here, but the outcome is %q, %v", got, conflicts)
		}
	})
}

func unix(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// check merges three versions of a file, and again what comes of it.
func check(t *testing.T, original, updated, local string, onConflict merging.OnConflict) (string, []merging.Conflict) {
	t.Helper()
	o, u, l := with(one(original)), with(one(updated)), with(one(local))
	got, conflicts, err := merging.Merge(o, u, l, merging.Options{OnConflict: onConflict})
	if err != nil {
		if !strings.Contains(err.Error(), "in common") {
			t.Fatal(err)
		}
		t.Skip()
	}
	again, _, err := merging.Merge(o, u, got, merging.Options{OnConflict: onConflict})
	if err != nil {
		t.Fatalf("a second merge: %v", err)
	}
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("a second merge changes the package (-first +second):\n%s", diff)
	}
	if readable(original) && readable(updated) && readable(local) && !readable(got["a.yaml"]) {
		t.Errorf("the outcome is no YAML:\n%s", got["a.yaml"])
	}
	areUnsettled(t, got, conflicts)
	return got["a.yaml"], conflicts
}

// readable reports whether text is YAML.
func readable(text string) bool {
	dec := yaml.NewDecoder(strings.NewReader(text))
	for {
		var n yaml.Node
		switch err := dec.Decode(&n); {
		case err == nil:
		case err.Error() == "EOF":
			return true
		default:
			return false
		}
	}
}

func FuzzInput(f *testing.F) {
	fntest.FuzzInput(f, testdata, merging.Run)
}
