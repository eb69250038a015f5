// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/review"
)

var unified = []string{"diff", "-u", "-N", "-r"}

// TestProgram checks which program the environment variable stands for.
func TestProgram(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                         unified,
		"  ":                       unified,
		"colordiff":                {"colordiff"},
		"git diff --no-index -U=1": {"git", "diff", "--no-index", "-U=1"},
		"diff -u; rm $HOME |x -q":  {"diff", "rm", "-q"},
	} {
		differ := Differ{Variable: "KUBECTL_EXTERNAL_DIFF", Default: unified}
		got := differ.program(func(name string) string {
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
	before := review.Side{Name: "before", Files: map[string]string{"a.yaml": "a: 1\n", "sub/b.yaml": "b: 1\n"}}
	for name, c := range map[string]struct {
		program   []string
		to        review.Side
		differs   bool
		out, want string // the beginning of an error
	}{
		"the same": {unified, review.Side{Name: "after", Files: before.Files}, false, "", ""},
		"a difference": {[]string{"diff", "-r", "-q"}, review.Side{Name: "after", Files: map[string]string{"a.yaml": "a: 2\n", "sub/b.yaml": "b: 1\n"}}, true,
			"Files before/a.yaml and after/a.yaml differ\n", ""},
		"a file in a directory": {[]string{"diff", "-r", "-q"}, review.Side{Name: "after", Files: map[string]string{"a.yaml": "a: 1\n", "sub/b.yaml": "b: 2\n"}}, true,
			"Files before/sub/b.yaml and after/sub/b.yaml differ\n", ""},
		"nothing to compare with": {[]string{"diff", "-r", "-q", "-N"}, review.Side{Name: "after"}, true,
			"Files before/a.yaml and after/a.yaml differ\nFiles before/sub/b.yaml and after/sub/b.yaml differ\n", ""},
		"no such program": {[]string{"no-such-diff"}, review.Side{Name: "after"}, false, "", `cannot run no-such-diff, which is to show the differences: ` +
			`exec: "no-such-diff": executable file not found in $PATH; install it, or name another program in KUBECTL_EXTERNAL_DIFF`},
		"a program that fails": {[]string{"diff", "--no-such-flag"}, review.Side{Name: "after"}, false, "", "diff failed: exit status 2"},
		"a file out of the package": {unified, review.Side{Name: "after", Files: map[string]string{"../x": ""}}, false, "",
			`cannot write the files to compare: after has the file "../x", which is not in the package`},
		"a file of git": {unified, review.Side{Name: "after", Files: map[string]string{".git/config": ""}}, false, "",
			`cannot write the files to compare: after has the file ".git/config", which git itself would read: take it out of the package`},
		"two files in the place of one": {unified, review.Side{Name: "after", Files: map[string]string{"x": "", "x/y": ""}}, false, "",
			"cannot write the files to compare: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			differ := Differ{Variable: "KUBECTL_EXTERNAL_DIFF", Default: c.program}
			differs, err := differ.Run(t.Context(), Streams{Out: &out, Err: &out}, before, c.to)
			if got := fmt.Sprint(err); !strings.HasPrefix(got, c.want) || c.want == "" && err != nil {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			if differs != c.differs {
				t.Errorf("it reports %v", differs)
			}
			if diff := cmp.Diff(c.out, out.String()); diff != "" && err == nil {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}
