// SPDX-License-Identifier: Apache-2.0

package git

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPropose proposes files with each kind of name that git takes.
func TestPropose(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, name := range []string{"a b", "a\"b", `a\b`, "a\nb", "a\x1b[31mb", "a\u009bb", "a\u202eb", "é/ß", "\xff", "'$(a)'"} {
		files[name] = "text of " + name
	}
	dir := filepath.Join(t.TempDir(), "proposed")
	if err := Propose(t.Context(), dir, "main", files, map[string]string{"link": "a b"}, []string{"web/v1"}); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	out, err := Process{Repository: dir}.output(t.Context(), nil, "ls-tree", "-r", "-z", "web/v1")
	if err != nil {
		t.Fatal(err)
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		head, name, _ := strings.Cut(entry, "\t")
		text, err := Process{Repository: dir}.output(t.Context(), nil, "cat-file", "blob", strings.Fields(head)[2])
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(text)
	}
	files["link"] = "a b"
	if diff := cmp.Diff(files, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
