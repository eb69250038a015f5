// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func rev(pkg, workspace string, number int, lifecycle revision.Lifecycle) revision.Revision {
	repo, name, _ := strings.Cut(pkg, "/")
	return revision.Revision{Name: repo + "." + name + "." + workspace, Package: revision.Package{Repo: repo, Name: name},
		Workspace: workspace, Number: number, Lifecycle: lifecycle}
}

// TestPairsOf checks which revisions are compared.
func TestPairsOf(t *testing.T) {
	t.Parallel()
	blueprint := []revision.Revision{rev("blueprints/web", "v1", 1, revision.Published), rev("blueprints/web", "v2", 2, revision.Published)}
	main, first := rev("edge/web", "main", -1, revision.Published), rev("edge/web", "a-1", 1, revision.Published)
	second, draft, proposed := rev("edge/web", "a-2", 2, revision.DeletionProposed), rev("edge/web", "a-3", 0, revision.Draft),
		rev("edge/web", "a-4", 0, revision.Proposed)
	type pairs = []pair
	for name, c := range map[string]struct {
		revisions []revision.Revision
		against   string
		want      pairs
		note      string // or the error
	}{
		"a draft": {[]revision.Revision{main, first, second, draft}, published, pairs{{"edge.web.a-2", "edge.web.a-3"}}, ""},
		"two": {[]revision.Revision{first, draft, proposed}, published,
			pairs{{"edge.web.a-1", "edge.web.a-3"}, {"edge.web.a-1", "edge.web.a-4"}}, ""},
		"the first draft": {[]revision.Revision{draft}, published, pairs{{"", "edge.web.a-3"}}, ""},
		"no draft":        {[]revision.Revision{main, first}, published, nil, "web has no draft: edge.web.a-1 is published"},
		"no package":      {nil, published, nil, "web has no draft: it has no package yet"},
		"a draft, with the upstream": {append(blueprint, first, draft), upstream,
			pairs{{"blueprints.web.v2", "edge.web.a-3"}}, ""},
		"what is published, with the upstream": {append(blueprint, first, second), upstream,
			pairs{{"blueprints.web.v2", "edge.web.a-2"}}, ""},
		"no package to compare with the upstream": {blueprint, upstream, nil, "web has no draft: it has no package yet"},
		"no upstream": {[]revision.Revision{draft}, upstream, nil, "there is no PackageRevision of blueprints/web that is published, " +
			"which web asks for: see its condition Stalled"},
	} {
		pv := &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: variant.Spec{
			Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.Revision{Str: "latest"}},
			Downstream: &variant.Downstream{Repo: "edge", Package: "web"}}}
		got, note, err := pairsOf(pv, c.revisions, c.against)
		if err != nil {
			note = err.Error()
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(pair{})); diff != "" || note != c.note {
			t.Errorf("%s: note %q, want %q; pairs (-want +got):\n%s", name, note, c.note, diff)
		}
	}
}

// TestProgram checks which program the environment variable stands for.
func TestProgram(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                         {"diff", "-u", "-N", "-r"},
		"  ":                       {"diff", "-u", "-N", "-r"},
		"colordiff":                {"colordiff"},
		"git diff --no-index -U=1": {"git", "diff", "--no-index", "-U=1"},
		"diff -u; rm $HOME |x -q":  {"diff", "rm", "-q"},
	} {
		got := program(func(name string) string {
			if name != "KUBECTL_EXTERNAL_DIFF" {
				t.Errorf("it reads %s", name)
			}
			return text
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestRun compares directories with a real program, and with programs that fail.
func TestRun(t *testing.T) {
	t.Parallel()
	before := side{"before", map[string]string{"a.yaml": "a: 1\n", "sub/b.yaml": "b: 1\n"}}
	for name, c := range map[string]struct {
		program   []string
		to        side
		code      int
		out, want string // the beginning of an error
	}{
		"the same": {program(noEnv), side{"after", before.files}, 0, "", ""},
		"a difference": {[]string{"diff", "-r", "-q"}, side{"after", map[string]string{"a.yaml": "a: 2\n", "sub/b.yaml": "b: 1\n"}}, 1,
			"Files before/a.yaml and after/a.yaml differ\n", ""},
		"a file in a directory": {[]string{"diff", "-r", "-q"}, side{"after", map[string]string{"a.yaml": "a: 1\n", "sub/b.yaml": "b: 2\n"}}, 1,
			"Files before/sub/b.yaml and after/sub/b.yaml differ\n", ""},
		"nothing to compare with": {[]string{"diff", "-r", "-q", "-N"}, side{name: "after"}, 1,
			"Files before/a.yaml and after/a.yaml differ\nFiles before/sub/b.yaml and after/sub/b.yaml differ\n", ""},
		"no such program": {[]string{"no-such-diff"}, side{name: "after"}, 2, "", `cannot run no-such-diff, which is to show the differences: ` +
			`exec: "no-such-diff": executable file not found in $PATH; install it, or name another program in KUBECTL_EXTERNAL_DIFF`},
		"a program that fails": {[]string{"diff", "--no-such-flag"}, side{name: "after"}, 2, "", "diff failed: exit status 2"},
		"a file out of the package": {program(noEnv), side{"after", map[string]string{"../x": ""}}, 2, "",
			`cannot write the files to compare: after has the file "../x", which is not in the package`},
		"two files in the place of one": {program(noEnv), side{"after", map[string]string{"x": "", "x/y": ""}}, 2, "",
			"cannot write the files to compare: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			streams, _, out, _ := genericiooptions.NewTestIOStreams()
			err := run(t.Context(), cli.New(streams), c.program, before, c.to)
			if got := cli.ExitCode(err); got != c.code {
				t.Errorf("exit code %d, want %d: %v", got, c.code, err)
			}
			if c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			if diff := cmp.Diff(c.out, out.String()); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
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
		from, to := shown(side{"from", c.from}, side{"to", c.to})
		if diff := cmp.Diff(c.wantFrom, from.files) + cmp.Diff(c.wantTo, to.files); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func noEnv(string) string { return "" }

// TestPrintConflicts checks that the three sides are printed, and which of them the draft has.
func TestPrintConflicts(t *testing.T) {
	t.Parallel()
	pv := &v1alpha1.PackageVariant{}
	pv.Status.ConflictCount = 3
	pv.Status.Conflicts = []v1alpha1.Conflict{
		{File: "a.yaml", Resource: "ConfigMap a", Field: "data.x", Original: "1", Local: "2", Updated: "3",
			Taken: "upstream"},
		{File: "notes.txt", Original: "sha256:1", Local: "sha256:2", Taken: "local"},
	}
	var out strings.Builder
	if err := printConflicts(&out, pv); err != nil {
		t.Fatal(err)
	}
	want := `conflict in a.yaml, ConfigMap a, data.x
  original: 1
  local:    2
  updated:  3  (in the draft)
conflict in notes.txt
  original: sha256:1
  local:    sha256:2  (in the draft)
  updated:  (absent)
and 1 more, which the status does not have
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	boom := errors.New("boom")
	if err := printConflicts(broken{boom}, pv); !errors.Is(err, boom) {
		t.Errorf("of a stream that is closed it says %v", err)
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }
