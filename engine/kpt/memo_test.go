// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMemo checks that a Memo makes what is made without one, whatever it has made before.
func TestMemo(t *testing.T) {
	t.Parallel()
	type files = map[string]string
	memo := NewMemo()
	for range 2 {
		for name, upstream := range map[string]files{
			"a package":       {"Kptfile": blueprint, "a.yaml": configMap("a", "1"), "NOTES.txt": "as it is\n"},
			"another":         {"Kptfile": blueprint, "a.yaml": configMap("a", "2"), "empty.yaml": "\n"},
			"no YAML":         {"Kptfile": blueprint, "a.yaml": "a: [\n"},
			"a new namespace": {"Kptfile": blueprint, "b.yaml": configMap("a", "1")},
		} {
			for _, pkg := range []string{"eu", "us"} {
				want, problem := Clone(upstream, pkg, lock, true)
				got, err := memo.Clone(upstream, pkg, lock, true)
				compare(t, name+" cloned as "+pkg, want, got, problem, err)
			}
			want, problem := Render(upstream)
			got, err := memo.Render(upstream)
			compare(t, name+" rendered", want, got, problem, err)
		}
	}
}

// TestMemoSave checks the same for what is saved: that depends on all files that have the same resources.
func TestMemoSave(t *testing.T) {
	t.Parallel()
	type files = map[string]string
	memo := NewMemo()
	saved := files{"a.yaml": configMap("a", "1"), "b.yaml": configMap("b", "1"), "a.txt": "text"}
	for range 2 {
		for name, before := range map[string]files{
			"nothing before":     {},
			"no comments":        {"a.yaml": configMap("a", "1")},
			"comments":           {"a.yaml": configMap("a", "1 # one")},
			"other comments":     {"a.yaml": configMap("a", "1 # another")},
			"in another file":    {"old.yaml": configMap("a", "1 # elsewhere") + "---\n" + configMap("b", "1 # too")},
			"in two files":       {"1.yaml": configMap("a", "1 # one"), "2.yaml": configMap("a", "1") + "# two\n"},
			"in two other files": {"1.yaml": configMap("a", "1"), "2.yaml": configMap("a", "1 # two")},
			"a template":         {"a.yaml": configMap("a", "1 #@ data.values.a")},
			"no YAML":            {"a.yaml": "a: [\n"},
		} {
			want, problem := (*Memo)(nil).Save(before, saved)
			got, err := memo.Save(before, saved)
			compare(t, name, want, got, problem, err)
			back := strings.Contains(got["a.yaml"], "# "+backWith[name])
			if err == nil && back != (backWith[name] != "") {
				t.Errorf("%s: a.yaml is\n%s", name, got["a.yaml"])
			}
		}
	}
}

// backWith are the comments that come back, by case.
var backWith = map[string]string{"comments": "one", "other comments": "another", "in another file": "elsewhere",
	"in two files": "one", "in two other files": "two"}

func configMap(name, value string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\ndata:\n  a: " + value + "\n"
}

func compare(t *testing.T, what string, want, got map[string]string, problem, err error) {
	t.Helper()
	if (problem == nil) != (err == nil) || problem != nil && problem.Error() != err.Error() {
		t.Errorf("%s: the error is %v, want %v", what, err, problem)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
