// SPDX-License-Identifier: Apache-2.0

package review

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func rev(pkg, workspace string, number int, lifecycle revision.Lifecycle) revision.Revision {
	repo, name, _ := strings.Cut(pkg, "/")
	return revision.Revision{Name: repo + "." + name + "." + workspace, Package: revision.Package{Repo: repo, Name: name},
		Workspace: workspace, Number: number, Lifecycle: lifecycle}
}

// TestPairs checks which revisions are compared.
func TestPairs(t *testing.T) {
	t.Parallel()
	blueprint := []revision.Revision{rev("blueprints/web", "v1", 1, revision.Published), rev("blueprints/web", "v2", 2, revision.Published)}
	main, first := rev("edge/web", "main", -1, revision.Published), rev("edge/web", "a-1", 1, revision.Published)
	second, draft, proposed := rev("edge/web", "a-2", 2, revision.DeletionProposed), rev("edge/web", "a-3", 0, revision.Draft),
		rev("edge/web", "a-4", 0, revision.Proposed)
	type pairs = []Pair
	for name, c := range map[string]struct {
		revisions []revision.Revision
		against   string
		want      pairs
		note      string // or the error
	}{
		"a draft": {[]revision.Revision{main, first, second, draft}, Published, pairs{{"edge.web.a-2", "edge.web.a-3"}}, ""},
		"two": {[]revision.Revision{first, draft, proposed}, Published,
			pairs{{"edge.web.a-1", "edge.web.a-3"}, {"edge.web.a-1", "edge.web.a-4"}}, ""},
		"the first draft": {[]revision.Revision{draft}, Published, pairs{{"", "edge.web.a-3"}}, ""},
		"no draft":        {[]revision.Revision{main, first}, Published, nil, "web has no draft: edge.web.a-1 is published"},
		"no package":      {nil, Published, nil, "web has no draft: it has no package yet"},
		"a draft, with the upstream": {append(blueprint, first, draft), Upstream,
			pairs{{"blueprints.web.v2", "edge.web.a-3"}}, ""},
		"what is published, with the upstream": {append(blueprint, first, second), Upstream,
			pairs{{"blueprints.web.v2", "edge.web.a-2"}}, ""},
		"no package to compare with the upstream": {blueprint, Upstream, nil, "web has no draft: it has no package yet"},
		"no upstream": {[]revision.Revision{draft}, Upstream, nil, "there is no PackageRevision of blueprints/web that is published, " +
			"which web asks for: see its condition Stalled"},
	} {
		pv := &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: variant.Spec{
			Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.Revision{Str: "latest"}},
			Downstream: &variant.Downstream{Repo: "edge", Package: "web"}}}
		got, note, err := Pairs(pv, c.revisions, c.against)
		if err != nil {
			note = err.Error()
		}
		if diff := cmp.Diff(c.want, got); diff != "" || note != c.note {
			t.Errorf("%s: note %q, want %q; pairs (-want +got):\n%s", name, note, c.note, diff)
		}
	}
}

// TestShown checks that the content of a file cannot control the terminal, with any diff program, and that two files
// that differ still differ.
func TestShown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ from, to, wantFrom, wantTo map[string]string }{
		"what is visible stays": {map[string]string{"a": "x\\n\n"}, map[string]string{"a": "é\t\n"},
			map[string]string{"a": "x\\n\n"}, map[string]string{"a": "é\t\n"}},
		"a screen is cleared": {map[string]string{"a": "x\n"}, map[string]string{"a": "\x1b[2J\x1b[Hx\n"},
			map[string]string{"a": "x\n"}, map[string]string{"a": `\x1b[2J\x1b[Hx` + "\n"}},
		"it looks as if nothing differed": {map[string]string{"a": `\x1b[2J`}, map[string]string{"a": "\x1b[2J"},
			map[string]string{"a": `\\x1b[2J`}, map[string]string{"a": `\x1b[2J`}},
		"directions": {nil, map[string]string{"a": "\u202eb\u2066"}, map[string]string{}, map[string]string{"a": `\u202eb\u2066`}},
		"names": {nil, map[string]string{"a\x1b": "x", `a\x1b`: "y"}, map[string]string{},
			map[string]string{`a\x1b`: "x", `a\\x1b`: "y"}},
	} {
		from, to := Shown(Side{"from", c.from}, Side{"to", c.to})
		if diff := cmp.Diff(c.wantFrom, from.Files) + cmp.Diff(c.wantTo, to.Files); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestPrintConflicts checks that the three sides are printed, and which of them the draft has now, whatever the merge
// took.
func TestPrintConflicts(t *testing.T) {
	t.Parallel()
	pv := &v1alpha1.PackageVariant{}
	pv.Status.Conflicts = []v1alpha1.Conflict{
		{File: "a.yaml", Resource: `ConfigMap "a"`, Field: "data.x", Original: "1", Local: "2", Updated: "3", Taken: "local"},
		{File: "notes.txt", Original: "sha256:1", Local: "sha256:2", Updated: "(removed)", Taken: "local"},
		{File: "a.yaml", Resource: `ConfigMap "a"`, Field: "data.y", Original: "1", Local: "2", Updated: "3", Taken: "local"},
	}
	pv.Status.OpenDraft = &v1alpha1.OpenDraft{Name: "draft"}
	boom := errors.New("boom")
	files := func(name string) (map[string]string, error) {
		if name != "draft" {
			return nil, boom
		}
		return map[string]string{"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: 3\n  y: 4\n"}, nil
	}
	var out strings.Builder
	if err := PrintConflicts(&out, pv, files); err != nil {
		t.Fatal(err)
	}
	want := `conflict in a.yaml, ConfigMap "a", data.x
  original: 1
  local:    2
  updated:  3  (in the draft)
conflict in notes.txt
  original: sha256:1
  local:    sha256:2
  updated:  (removed)  (in the draft)
conflict in a.yaml, ConfigMap "a", data.y
  original: 1
  local:    2
  updated:  3
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	out.Reset()
	pv.Status.Conflicts = slices.Repeat(pv.Status.Conflicts[:1], v1alpha1.MaxConflicts)
	if err := PrintConflicts(&out, pv, files); err != nil ||
		!strings.HasSuffix(out.String(), "\nand there may be more: the status has the first 100\n") {
		t.Errorf("it says %q, %v", out.String(), err)
	}
	if err := PrintConflicts(broken{boom}, pv, files); !errors.Is(err, boom) {
		t.Errorf("of a stream that is closed it says %v", err)
	}
	pv.Status.OpenDraft.Name = "gone"
	if err := PrintConflicts(&out, pv, files); !errors.Is(err, boom) {
		t.Errorf("of a draft that cannot be read it says %v", err)
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }
