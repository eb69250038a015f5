// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/package-variants/package-variants/functions/bounds"
)

// watched is a directory that keeps which files were read.
type watched struct {
	fs.FS
	read []string
}

func (w *watched) ReadFile(name string) ([]byte, error) {
	w.read = append(w.read, name)
	return fs.ReadFile(w.FS, name)
}

func (w *watched) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(w.FS, name) }
func (w *watched) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(w.FS, name) }

// numbered is a directory with that many empty files.
type numbered int

func (n numbered) Open(string) (fs.File, error) { return nil, fs.ErrInvalid }

func (n numbered) Stat(name string) (fs.FileInfo, error) {
	if name != "." {
		return nil, fs.ErrNotExist
	}
	return fs.Stat(fstest.MapFS{}, ".")
}

func (n numbered) ReadDir(string) ([]fs.DirEntry, error) {
	all := make([]fs.DirEntry, n)
	for i := range all {
		all[i] = empty(i)
	}
	return all, nil
}

// empty is an empty file in such a directory.
type empty int

func (e empty) Name() string               { return fmt.Sprint(int(e)) }
func (e empty) IsDir() bool                { return false }
func (e empty) Type() fs.FileMode          { return 0 }
func (e empty) Mode() fs.FileMode          { return 0 }
func (e empty) Size() int64                { return 0 }
func (e empty) ModTime() time.Time         { return time.Time{} }
func (e empty) Sys() any                   { return nil }
func (e empty) Info() (fs.FileInfo, error) { return e, nil }

// configMaps returns the manifests of ConfigMaps with numbers as names.
func configMaps(from, to int) []byte {
	var b bytes.Buffer
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d}\n", i)
	}
	return b.Bytes()
}

// TestBounds reads fleets that are beyond the bounds of one: sizes are asked for before anything is read, and the error
// names file, line and bound.
func TestBounds(t *testing.T) {
	t.Parallel()
	file := func(data []byte) *fstest.MapFile { return &fstest.MapFile{Data: data} }
	text := func(text string) *fstest.MapFile { return file([]byte(text)) }
	const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	laughs := configMap + "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		laughs += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
	}
	many := fstest.MapFS{}
	for i := range 6 {
		many[fmt.Sprintf("%d.yaml", i)] = file(make([]byte, bounds.ObjectBytes))
	}
	values := fstest.MapFS{"z.yaml": text(variant)}
	for i := range 11 {
		values[fmt.Sprintf("%02d.yaml", i)] = text(strings.Replace(configMap, "name: a", fmt.Sprintf("name: a%d", i), 1) + "a: [" + strings.Repeat("1,", 290_000) + "]\n")
	}
	const fewer = ": move what is no manifest elsewhere, or make several fleets of it"
	for name, c := range map[string]struct {
		root fs.FS
		want string
		read []string
	}{
		"a large file": {fstest.MapFS{"a.yaml": text(variant), "big.yml": file(make([]byte, bounds.ObjectBytes+1))},
			"big.yml has 12582913 bytes, and may have 12582912: split it, or move it elsewhere", []string{"a.yaml"}},
		"large files": {many, "DIR has more than 67108864 bytes in its YAML files" + fewer, nil},
		"many values": {values, "DIR has more than 3000000 values in its YAML files" + fewer,
			[]string{"00.yaml", "01.yaml", "02.yaml", "03.yaml", "04.yaml", "05.yaml", "06.yaml", "07.yaml", "08.yaml", "09.yaml", "10.yaml"}},
		"many files": {numbered(bounds.FleetFiles), "DIR has more than 500000 files and directories" + fewer, nil},
		"many objects": {fstest.MapFS{"a.yaml": file(configMaps(0, 60_000)), "b.yaml": file(configMaps(60_000, 120_000)), "c.yaml": text("a: [")},
			"b.yaml, line 160002: DIR has more than 100000 objects" + fewer, []string{"a.yaml", "b.yaml"}},
		"laughs": {fstest.MapFS{"a.yaml": text("\n---\n" + laughs)}, "a.yaml, line 3: a4[7]: is a YAML alias (*a3) by which aliases stand for more " +
			"than 100000 values: write the values out", []string{"a.yaml"}},
		"deep": {fstest.MapFS{"a.yaml": text(configMap + "data: " + strings.Repeat("[", 20_000))},
			"a.yaml, line 1: is nested deeper than 250 levels: make it flatter", []string{"a.yaml"}},
		"many values in an object": {fstest.MapFS{"a.yaml": text(variant + "---\n" + configMap + "data: [" + strings.Repeat("1,", 300_000) + "]\n")},
			"a.yaml, line 9: the object has 300013 values, and may have 300000: make it smaller, or split it", []string{"a.yaml"}},
		"a pipe": {fstest.MapFS{"a.yaml": text(variant), "b.yaml": &fstest.MapFile{Mode: fs.ModeNamedPipe}},
			"b.yaml is a device or a pipe: put a file there", []string{"a.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &watched{FS: c.root}
			m, err := Read(w, "DIR")
			wantEqual(t, c.want, strings.TrimPrefix(problems(m, err), "error: "))
			wantEqual(t, c.read, w.read)
		})
	}
}

// TestManyObjects reads as many small objects as a large fleet has, in one file.
func TestManyObjects(t *testing.T) {
	t.Parallel()
	m, err := Read(fstest.MapFS{"a.yaml": {Data: append(configMaps(0, 40_000), "---\n"+variant...)}}, "DIR")
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, 40_001, len(m.Objects))
	wantEqual(t, "a.yaml, line 160002", m.Place(m.Objects[40_000].GroupVersionKind().GroupKind(), "default", "web"))
}

// FuzzSplit splits files: the lines that documents are said to have are those of the file.
func FuzzSplit(f *testing.F) {
	for _, text := range []string{"", "a: b", "---\n", "--- a\n---\n# c\n\n b\n---", "a\n----\n--- |\n  x\r\n---\r\ny\n", "\n\n---\t#\n---\nz", "a\n... \nb\n...\n---\nc\n....\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		for _, d := range split(text) {
			if !strings.Contains(text+"\n", d.text) {
				t.Fatalf("%q is not in the file", d.text)
			}
			inside := strings.Split(d.text, "\n")[d.line-d.before-1]
			if in := lines[d.line-1]; strings.TrimPrefix(in, "---") != inside && in != inside || strings.TrimSpace(inside) == "" {
				t.Errorf("line %d is %q, and the document has %q there", d.line, in, inside)
			}
		}
	})
}
