// SPDX-License-Identifier: Apache-2.0

package build

import (
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/package-variants/package-variants/release/internal/archive"
	"github.com/package-variants/package-variants/release/internal/component"
	"github.com/package-variants/package-variants/release/internal/naming"
)

var (
	components = []component.Component{
		{Name: "f", Module: "functions", Package: "./f", Path: "/usr/local/bin/function", Description: "F.",
			License: "Apache-2.0"},
		{Name: "c", Module: "c", Package: ".", Path: "/usr/local/bin/c", Description: "C.", License: "Apache-2.0"},
	}
	names = naming.Names{Registry: "localhost:5000/x", Version: "v0.1.0"}
)

const program = `package main

import (
	_ "embed"

	"github.com/package-variants/package-variants/functions/version"
)

//go:embed README.md
var manual string

func main() { print(version.Line() + ": " + manual) }
`

// The manual has another version than the one that is built, and an example with a registry of a user's own.
const manual = "ghcr.io/package-variants/f:v0.0.9 localhost:5000/f:v0.0.9"

// newTree writes a workspace with the two components, as that of this repository is, to a new directory.
func newTree(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	const module = "module github.com/package-variants/package-variants/"
	files := fstest.MapFS{
		"go.work":               {Data: []byte("go 1.26.0\n\nuse (\n\t./functions\n\t./c\n)\n")},
		"functions/go.mod":      {Data: []byte(module + "functions\n\ngo 1.26.0\n")},
		"functions/f/README.md": {Data: []byte(manual)},
		"c/README.md":           {Data: []byte("c")},
		"README.md":             {}, "docs/README.md": {}, "examples/README.md": {},
		"sync-controller/config/README.md": {}, "sync-controller/namespaced/README.md": {},
		"functions/f/f.go": {Data: []byte(program)},
		"c/go.mod":         {Data: []byte(module + "c\n\ngo 1.26.0\n")},
		"c/main.go":        {Data: []byte(program)},
	}
	err := errors.Join(
		os.CopyFS(root, files),
		os.CopyFS(filepath.Join(root, "functions", "version"), os.DirFS("../../../functions/version")),
	)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestImages checks that two trees in different places give the same files, and what is printed.
func TestImages(t *testing.T) {
	t.Parallel()
	var written [2]map[string][]byte
	var printed [2]bytes.Buffer
	for i := range written {
		root := newTree(t)
		programs, out := filepath.Join(root, "dist", "build"), filepath.Join(root, "dist", "images")
		for range 2 { // the second time in place of the first
			printed[i].Reset()
			if err := Images(t.Context(), root, programs, out, components, names, &printed[i]); err != nil {
				t.Fatal(err)
			}
		}
		written[i] = contents(t, out)
		checkPrograms(t, programs)
	}
	if !bytes.Equal(printed[0].Bytes(), printed[1].Bytes()) {
		t.Errorf("printed\n%s\nand\n%s", printed[0].String(), printed[1].String())
	}
	line := regexp.MustCompile(`^localhost:5000/x/f:v0\.1\.0@sha256:[0-9a-f]{64} [0-9.]+ ` +
		`MB\nlocalhost:5000/x/c:v0\.1\.0@sha256:[0-9a-f]{64} [0-9.]+ MB\n$`)
	if !line.Match(printed[0].Bytes()) {
		t.Errorf("printed %s", printed[0].String())
	}
	var files []string
	for name, content := range written[0] {
		files = append(files, name)
		if !bytes.Equal(content, written[1][name]) {
			t.Errorf("two builds of %s differ", name)
		}
	}
	if diff := cmp.Diff([]string{"c.cdx.json", "c.tar", "f.cdx.json", "f.tar"},
		slices.Sorted(slices.Values(files))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files, err := archive.Read(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]byte{}
	for _, f := range files {
		found[f.Name] = f.Data
	}
	return found
}

// checkPrograms checks that the programs are static and stripped, for the right processor, and know their version.
func checkPrograms(t *testing.T, dir string) {
	t.Helper()
	for platform, machine := range map[string]elf.Machine{"linux-amd64": elf.EM_X86_64, "linux-arm64": elf.EM_AARCH64} {
		for _, name := range []string{"f", "c"} {
			path := filepath.Join(dir, platform, name)
			program, err := elf.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if program.Machine != machine || program.Section(".interp") != nil || program.Section(".debug_info") != nil ||
				program.Section(".symtab") != nil {
				t.Errorf("%s: for %s, not static or not stripped: %v", path, program.Machine, program.Sections)
			}
			if err := program.Close(); err != nil {
				t.Fatal(err)
			}
			if platform != runtime.GOOS+"-"+runtime.GOARCH {
				continue
			}
			want := map[string]string{"f": "f v0.1.0: ghcr.io/package-variants/f:v0.1.0 localhost:5000/f:v0.1.0",
				"c": "c v0.1.0: c"}[name]
			if out, err := exec.Command(path).CombinedOutput(); err != nil || string(out) != want {
				t.Errorf("%s prints %q, error %v, want %q", path, out, err, want)
			}
		}
	}
}

// TestFailure checks that what was there before stays when something fails.
func TestFailure(t *testing.T) {
	t.Parallel()
	root := newTree(t)
	out := filepath.Join(root, "out")
	if err := Images(t.Context(), root, filepath.Join(root, "build"), out, components, names, io.Discard); err != nil {
		t.Fatal(err)
	}
	before := contents(t, out)
	if err := os.WriteFile(filepath.Join(root, "c", "main.go"), []byte("package main\n\nfunc main() { undefined() }\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	err := Images(t.Context(), root, filepath.Join(root, "build"), out, components, names, io.Discard)
	want := "cannot build . in c for linux/amd64: exit status 1\n# github.com/package-variants/package-variants/c\n" +
		"./main.go:3:15: undefined: undefined\n"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if diff := cmp.Diff(before, contents(t, out)); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	write := func(content string, err error) error {
		return replace(path, func(w io.Writer) error {
			_, writeErr := io.WriteString(w, content)
			return errors.Join(writeErr, err)
		})
	}
	for _, content := range []string{"first", "second"} {
		if err := write(content, nil); err != nil {
			t.Fatal(err)
		}
	}
	want := "cannot write " + path + ": boom"
	if err := write("half", errors.New("boom")); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if diff := cmp.Diff(map[string][]byte{"file": []byte("second")}, contents(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o644 {
		t.Errorf("%v, error %v, want it to be readable by everyone", info.Mode(), err)
	}
}
