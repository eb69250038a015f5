// SPDX-License-Identifier: Apache-2.0

package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/package-variants/package-variants/release/internal/component"
)

var function = component.Component{
	Name: "inject-config", Path: "/usr/local/bin/function", Description: "Fill the injection points.",
	License: "Apache-2.0",
}

var labels = map[string]string{
	"org.opencontainers.image.title":       "inject-config",
	"org.opencontainers.image.description": "Fill the injection points.",
	"org.opencontainers.image.source":      "https://github.com/package-variants/package-variants",
	"org.opencontainers.image.version":     "v0.1.0",
	"org.opencontainers.image.licenses":    "Apache-2.0",
}

// programs writes a program for each platform to a new directory, with a time, and returns their paths.
func programs(t *testing.T, modified time.Time) func(v1.Platform) string {
	t.Helper()
	dir := t.TempDir()
	path := func(p v1.Platform) string { return filepath.Join(dir, p.Architecture) }
	for _, p := range Platforms() {
		content := []byte("the program for " + p.Architecture)
		if err := errors.Join(os.WriteFile(path(p), content, 0o700), os.Chtimes(path(p), modified, modified)); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func newIndex(t *testing.T, modified time.Time) v1.ImageIndex {
	t.Helper()
	index, err := New(function, "v0.1.0", programs(t, modified))
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func TestIndex(t *testing.T) {
	t.Parallel()
	index := newIndex(t, time.Unix(1, 0))
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(labels, manifest.Annotations); diff != "" || manifest.MediaType != types.OCIImageIndex {
		t.Errorf("media type %s, annotations (-want +got):\n%s", manifest.MediaType, diff)
	}
	var platforms []string
	for i := range manifest.Manifests {
		platforms = append(platforms, manifest.Manifests[i].Platform.String())
		checkImage(t, index, &manifest.Manifests[i])
	}
	if diff := cmp.Diff([]string{"linux/amd64", "linux/arm64"}, platforms); diff != "" {
		t.Errorf("platforms (-want +got):\n%s", diff)
	}
}

// checkImage holds what is in an image, and how it is run.
func checkImage(t *testing.T, index v1.ImageIndex, descriptor *v1.Descriptor) {
	t.Helper()
	img, err := index.Image(descriptor.Digest)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	mediaTypes := []types.MediaType{descriptor.MediaType, manifest.MediaType, manifest.Config.MediaType}
	for i := range manifest.Layers {
		mediaTypes = append(mediaTypes, manifest.Layers[i].MediaType)
	}
	if diff := cmp.Diff([]types.MediaType{types.OCIManifestSchema1, types.OCIManifestSchema1, types.OCIConfigJSON,
		types.OCILayer}, mediaTypes); diff != "" {
		t.Fatalf("media types (-want +got):\n%s", diff)
	}
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	diffID, err := layers[0].DiffID()
	if err != nil {
		t.Fatal(err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	epoch := v1.Time{Time: time.Unix(0, 0).UTC()}
	want := &v1.ConfigFile{
		OS: "linux", Architecture: descriptor.Platform.Architecture, Created: epoch,
		Config:  v1.Config{Entrypoint: []string{"/usr/local/bin/function"}, User: "65534:65534", Labels: labels},
		RootFS:  v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{diffID}},
		History: []v1.History{{Created: epoch, CreatedBy: "make images"}},
	}
	if diff := cmp.Diff(want, config); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantEntries(descriptor.Platform.Architecture), entries(t, layers[0])); diff != "" {
		t.Errorf("layer (-want +got):\n%s", diff)
	}
}

type entry struct {
	Name    string
	Mode    int64
	UID     int
	Content string
}

func wantEntries(architecture string) []entry {
	return []entry{
		{Name: "etc/", Mode: 0o755},
		{Name: "etc/passwd", Mode: 0o644, Content: "nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n"},
		{Name: "usr/", Mode: 0o755},
		{Name: "usr/local/", Mode: 0o755},
		{Name: "usr/local/bin/", Mode: 0o755},
		{Name: "usr/local/bin/function", Mode: 0o755, Content: "the program for " + architecture},
	}
}

func entries(t *testing.T, layer v1.Layer) (all []entry) {
	t.Helper()
	content, err := layer.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = content.Close() }()
	for r := tar.NewReader(content); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, entry{h.Name, h.Mode, h.Uid, string(data)})
	}
}

func TestNoProgram(t *testing.T) {
	t.Parallel()
	_, err := New(function, "v0.1.0", func(v1.Platform) string { return "/nowhere/program" })
	want := "cannot make the image of inject-config for linux/amd64: open /nowhere/program: no such file or directory"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestReproducible checks that an image and its archive contain neither the place nor the time of the programs.
func TestReproducible(t *testing.T) {
	t.Parallel()
	var archives [2]bytes.Buffer
	for i := range archives {
		index := newIndex(t, time.Unix(int64(1+i*1000000000), 0))
		if err := Write(&archives[i], index, "ghcr.io/x/inject-config:v0.1.0", t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0].Bytes(), archives[1].Bytes()) {
		t.Error("two archives of the same image differ")
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	index := newIndex(t, time.Unix(1, 0))
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var want int64
	for i := range manifest.Manifests {
		img, err := index.Image(manifest.Manifests[i].Digest)
		if err != nil {
			t.Fatal(err)
		}
		layers, err := img.Layers()
		if err != nil {
			t.Fatal(err)
		}
		layer, layerErr := layers[0].Size()
		config, configErr := img.RawConfigFile()
		if err := errors.Join(layerErr, configErr); err != nil {
			t.Fatal(err)
		}
		want = max(want, layer+int64(len(config)))
	}
	if got, err := Size(index); err != nil || got != want {
		t.Errorf("got %d, error %v, want %d", got, err, want)
	}
}

func TestReadWhatWasWritten(t *testing.T) {
	t.Parallel()
	index := newIndex(t, time.Unix(1, 0))
	const ref = "ghcr.io/x/inject-config:v0.1.0"
	file := filepath.Join(t.TempDir(), "image.tar")
	var archive bytes.Buffer
	if err := errors.Join(Write(&archive, index, ref, t.TempDir()),
		os.WriteFile(file, archive.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	read, gotRef, err := Read(file, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(read); err != nil {
		t.Error(err)
	}
	want, wantErr := index.Digest()
	got, gotErr := read.Digest()
	if err := errors.Join(wantErr, gotErr); err != nil || got != want || gotRef != ref {
		t.Errorf("got %s %s, error %v, want %s %s", gotRef, got, err, ref, want)
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	var nothing, several bytes.Buffer
	tw := tar.NewWriter(&nothing)
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	tw = tar.NewWriter(&several)
	for name, content := range map[string]string{"oci-layout": `{"imageLayoutVersion":"1.0.0"}`,
		"index.json": `{"schemaVersion":2,"manifests":[]}`} {
		if err := tw.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ content, want string }{
		"no archive":    {strings.Repeat("no archive ", 100), "FILE: archive/tar: invalid tar header"},
		"no layout":     {nothing.String(), "FILE: is no OCI image layout: stat DIR/index.json: no such file or directory"},
		"not one image": {several.String(), "FILE: holds 0 images, want one"},
		"missing":       {"", "open FILE: no such file or directory"},
		"leads outside": {outside(t), "FILE: mkdirat ..: path escapes from parent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, dir := filepath.Join(t.TempDir(), "image.tar"), t.TempDir()
			if c.content != "" {
				if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want := strings.NewReplacer("FILE", file, "DIR", dir).Replace(c.want)
			if _, _, err := Read(file, dir); err == nil || err.Error() != want {
				t.Errorf("got %v\nwant %s", err, want)
			}
		})
	}
}

// outside returns an archive with a file that would lie outside of the directory to which it is extracted.
func outside(t *testing.T) string {
	t.Helper()
	var archive bytes.Buffer
	tw := tar.NewWriter(&archive)
	if err := errors.Join(tw.WriteHeader(&tar.Header{Name: "../evil", Mode: 0o644}), tw.Close()); err != nil {
		t.Fatal(err)
	}
	return archive.String()
}
