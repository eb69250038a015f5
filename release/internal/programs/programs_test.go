// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/google/go-cmp/cmp"

	"github.com/package-variants/package-variants/release/internal/archive"
)

const version = "v0.2.0"

// write writes a release of programs that are their platforms' names, and returns its directory.
func write(t *testing.T) string {
	t.Helper()
	dir, programs := t.TempDir(), t.TempDir()
	program := func(_ Program, p v1.Platform) string { return filepath.Join(programs, p.OS+"-"+p.Architecture) }
	for _, p := range Platforms() {
		if err := os.WriteFile(program(Git, p), []byte(p.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(filepath.Join("..", "..", ".."), dir, version, Platforms(), program); err != nil {
		t.Fatal(err)
	}
	return dir
}

// contents returns the files of an archive, each with its mode and its first line.
func contents(t *testing.T, name string, data []byte) []string {
	t.Helper()
	var out []string
	add := func(name string, executable bool, data []byte) {
		first, _, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
		out = append(out, fmt.Sprintf("%s %v %s", name, executable, first))
	}
	if strings.HasSuffix(name, ".zip") {
		r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.File {
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, f.Mode()&0o100 != 0, content)
		}
		return out
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	files, err := archive.Parse(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		add(f.Name, f.Executable, f.Data)
	}
	return out
}

// TestWrite checks what is released for each platform, and that a second time it is the same, byte for byte.
func TestWrite(t *testing.T) {
	t.Parallel()
	first, second := write(t), write(t)
	const license, script = "LICENSE false Apache License", "kubectl_complete-variants true #!/usr/bin/env sh"
	want := map[string][]string{}
	for _, system := range []string{"linux", "darwin"} {
		for _, of := range []string{"amd64", "arm64"} {
			want["kubectl-variants_v0.2.0_"+system+"_"+of+".tar.gz"] = []string{license,
				"kubectl-variants true " + system + "/" + of, script}
			want["variants_v0.2.0_"+system+"_"+of+".tar.gz"] = []string{license, "variants true " + system + "/" + of}
		}
	}
	for _, of := range []string{"amd64", "arm64"} {
		want["kubectl-variants_v0.2.0_windows_"+of+".zip"] = []string{license,
			"kubectl-variants.exe true windows/" + of}
		want["variants_v0.2.0_windows_"+of+".zip"] = []string{license, "variants.exe true windows/" + of}
	}
	got := map[string][]string{}
	files, err := archive.Read(os.DirFS(first))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		again, err := os.ReadFile(filepath.Join(second, f.Name))
		if err != nil || !bytes.Equal(again, f.Data) {
			t.Errorf("%s is another the second time, error %v", f.Name, err)
		}
		if f.Name != ManifestFile {
			got[f.Name] = contents(t, f.Name, f.Data)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestManifest checks that the manifest has each archive with its checksum.
func TestManifest(t *testing.T) {
	t.Parallel()
	dir := write(t)
	text, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Platforms() {
		name := Plugin.Archive(p, version)
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		uri := "uri: https://github.com/package-variants/package-variants/releases/download/v0.2.0/" + name + "\n"
		if !strings.Contains(string(text), "sha256: "+hex.EncodeToString(sum[:])+"\n") || !strings.Contains(string(text), uri) {
			t.Errorf("the manifest has not %s with its checksum:\n%s", name, text)
		}
	}
}

// TestManifestForKrew has krew itself check the manifest. It runs with RARE=1 only, as make test-all does: krew's check is
// a tool that nothing else needs.
func TestManifestForKrew(t *testing.T) {
	t.Parallel()
	if os.Getenv("RARE") == "" {
		t.Skip("RARE is not set")
	}
	tools := os.Getenv("TOOLS_BIN")
	if tools == "" {
		t.Fatal("the environment variable TOOLS_BIN must name where krew's check is: run this by make, which builds and sets it")
	}
	check := func(file string) (string, error) {
		out, err := exec.CommandContext(t.Context(), filepath.Join(tools, "validate-krew-manifest"), "-skip-install",
			"-manifest", file).CombinedOutput()
		return string(out), err
	}
	written := filepath.Join(write(t), ManifestFile)
	if out, err := check(written); err != nil {
		t.Errorf("krew does not accept it: %v\n%s", err, out)
	}
	text, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	// That krew's check is one shows where it finds something.
	broken := filepath.Join(t.TempDir(), ManifestFile)
	if err := os.WriteFile(broken, bytes.ReplaceAll(text, []byte("arch: arm64"), []byte("arch: amd64")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := check(broken); err == nil || !strings.Contains(out, "overlapping") {
		t.Errorf("of two archives for one platform krew says %v\n%s", err, out)
	}
}

// TestWriteErrors checks the errors for missing inputs.
func TestWriteErrors(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	nowhere := func(Program, v1.Platform) string { return filepath.Join("no", "such", "program") }
	for name, c := range map[string]struct{ root, want string }{
		"no program": {root, "open no/such/program: no such file or directory"},
		"no license": {t.TempDir(), "LICENSE: no such file or directory"},
	} {
		if err := Write(c.root, t.TempDir(), version, Platforms(), nowhere); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	if _, err := manifest(version, Platforms(), nil); err == nil || err.Error() != "kubectl-variants_v0.2.0_darwin_amd64.tar.gz has no checksum" {
		t.Errorf("without checksums: %v", err)
	}
	if !slices.IsSortedFunc(Platforms(), func(a, b v1.Platform) int { return strings.Compare(a.String(), b.String()) }) {
		t.Error("the platforms are in no order")
	}
}

// TestSelect checks that every platform is made unless some are named.
func TestSelect(t *testing.T) {
	t.Parallel()
	all := []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}
	for list, want := range map[string][]string{
		"":                          all,
		"linux/arm64":               {"linux/arm64"},
		"linux/amd64,windows/arm64": {"linux/amd64", "windows/arm64"},
	} {
		platforms, err := Select(list)
		if err != nil {
			t.Error(err)
		}
		var got []string
		for _, p := range platforms {
			got = append(got, p.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", list, diff)
		}
	}
	_, err := Select("linux/amd64,linux/s390x")
	want := fmt.Sprintf(`no program is made for the platform "linux/s390x": choose from %v`, all)
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
