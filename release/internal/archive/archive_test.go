// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var files = []File{
	{Name: "a.txt", Data: []byte("a")},
	{Name: "dir/deep/b.txt", Data: []byte("b")},
	{Name: "dir/run", Executable: true, Data: []byte("run")},
	{Name: "dir-2", Data: []byte{}},
}

// header is what of an entry can differ.
type header struct {
	Type              byte
	Name              string
	Mode, Size, Epoch int64
	Owners            [2]int
	OwnerNames        [2]string
}

func TestWrite(t *testing.T) {
	t.Parallel()
	var archive bytes.Buffer
	if err := Write(&archive, files); err != nil {
		t.Fatal(err)
	}
	var got []header
	for r := tar.NewReader(bytes.NewReader(archive.Bytes())); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, header{h.Typeflag, h.Name, h.Mode, h.Size, h.ModTime.Unix(), [2]int{h.Uid, h.Gid},
			[2]string{h.Uname, h.Gname}})
	}
	want := []header{
		{Type: tar.TypeReg, Name: "a.txt", Mode: 0o644, Size: 1},
		{Type: tar.TypeReg, Name: "dir-2", Mode: 0o644},
		{Type: tar.TypeDir, Name: "dir/", Mode: 0o755},
		{Type: tar.TypeDir, Name: "dir/deep/", Mode: 0o755},
		{Type: tar.TypeReg, Name: "dir/deep/b.txt", Mode: 0o644, Size: 1},
		{Type: tar.TypeReg, Name: "dir/run", Mode: 0o755, Size: 3},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	reversed := slices.Clone(files)
	slices.Reverse(reversed)
	var again bytes.Buffer
	if err := Write(&again, reversed); err != nil || !bytes.Equal(archive.Bytes(), again.Bytes()) {
		t.Errorf("files in another order give another archive (error %v)", err)
	}
}

// TestRead checks that files that differ only in times and the rights of group and others are the same.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plain, program os.FileMode
		modified       time.Time
	}{
		{0o644, 0o755, time.Unix(1, 0)},
		{0o600, 0o700, time.Unix(2000000000, 0)},
	} {
		dir := t.TempDir()
		for _, f := range files {
			path := filepath.Join(dir, f.Name)
			mode := c.plain
			if f.Executable {
				mode = c.program
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, f.Data, mode),
				os.Chtimes(path, c.modified, c.modified)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Read(os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		byName := cmpopts.SortSlices(func(a, b File) bool { return a.Name < b.Name })
		if diff := cmp.Diff(files, got, byName); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	_, err := Read(os.DirFS(dir))
	if want := "link: is no regular file, which is all that an archive can hold"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	var archive bytes.Buffer
	if err := Write(&archive, files); err != nil {
		t.Fatal(err)
	}
	got, err := Parse(bytes.NewReader(archive.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	want := []File{files[0], files[3], files[1], files[2]}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// 512 bytes for the entry a.txt, 512 for its content, and one of the next entry.
	if _, err := Parse(bytes.NewReader(archive.Bytes()[:1025])); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v on an archive that is cut off", err)
	}
}
