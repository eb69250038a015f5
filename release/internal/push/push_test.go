// SPDX-License-Identifier: Apache-2.0

package push

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/package-variants/package-variants/release/internal/component"
	"github.com/package-variants/package-variants/release/internal/image"
	"github.com/package-variants/package-variants/release/internal/naming"
)

const document = `{"bomFormat":"CycloneDX"}`

// imagesIn writes the images a and b of v0.1.0, and their bills of materials, to a new directory.
func imagesIn(t *testing.T) (dir string) {
	t.Helper()
	return imagesOf(t, "v0.1.0", "program")
}

// imagesOf does that with another version and other programs.
func imagesOf(t *testing.T, version, content string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []component.Component{{Name: "a", Path: "/a"}, {Name: "b", Path: "/b"}} {
		index, err := image.New(c, version, func(v1.Platform) string { return program })
		if err != nil {
			t.Fatal(err)
		}
		var archive bytes.Buffer
		err = errors.Join(
			image.Write(&archive, index, "ghcr.io/package-variants/"+c.Name+":"+version, t.TempDir()),
			os.WriteFile(filepath.Join(dir, c.Name+".tar"), archive.Bytes(), 0o600),
			os.WriteFile(filepath.Join(dir, c.Name+".cdx.json"), []byte(document), 0o600),
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// host starts a registry in this process, and returns its address.
func host(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0)),
		registry.WithReferrersSupport(true)))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func TestImages(t *testing.T) {
	t.Parallel()
	dir, names := imagesIn(t), naming.Names{Registry: host(t) + "/x", Version: "v0.1.0"}
	var out, again bytes.Buffer
	if err := Images(t.Context(), dir, []string{"a", "b"}, names, &out); err != nil {
		t.Fatal(err)
	}
	if err := Images(t.Context(), dir, []string{"a", "b"}, names, &again); err != nil || again.String() != out.String() {
		t.Errorf("the second push prints %s, error %v", again.String(), err)
	}
	var want, tagged, sums string
	for _, component := range []string{"a", "b"} {
		tag, err := name.NewTag(names.Ref(component))
		if err != nil {
			t.Fatal(err)
		}
		index, err := remote.Index(tag)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Index(index); err != nil {
			t.Error(err)
		}
		digest, err := index.Digest()
		if err != nil {
			t.Fatal(err)
		}
		want += "pushed " + names.Ref(component) + "@" + digest.String() + "\n"
		for _, floating := range []string{"v0.1", "v0"} {
			tagged += "tagged " + tag.Tag(floating).String() + "@" + digest.String() + "\n"
		}
		sums += digest.Hex + "  " + names.Registry + "/" + component + "\n"
		checkReferrers(t, tag.Digest(digest.String()))
	}
	if diff := cmp.Diff(want+tagged, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	out.Reset()
	if err := Digests(dir, []string{"a", "b"}, names, &out); err != nil || out.String() != sums {
		t.Errorf("the digests are\n%s, error %v, want\n%s", out.String(), err, sums)
	}
}

// TestFollow moves the tags of an image that another program has pushed.
func TestFollow(t *testing.T) {
	t.Parallel()
	names := naming.Names{Registry: host(t) + "/x", Version: "v0.1.0"}
	var out, log bytes.Buffer
	want := "cannot tag " + names.Ref("a") + ": "
	if err := Follow(t.Context(), "a", names, &out, &log); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("of no image: %v, want %s", err, want)
	}
	index, err := image.New(component.Component{Name: "a", Path: "/a"}, "v0.1.0", func(v1.Platform) string { return os.Args[0] })
	if err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(names.Ref("a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(tag, index); err != nil {
		t.Fatal(err)
	}
	if err := Follow(t.Context(), "a", names, &out, &log); err != nil {
		t.Fatal(err)
	}
	digest, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(digest.Hex+"  "+names.Registry+"/a\n", out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	moved := ""
	for _, floating := range []string{"v0.1", "v0"} {
		moved += "tagged " + tag.Tag(floating).String() + "@" + digest.String() + "\n"
	}
	if diff := cmp.Diff(moved, log.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestTags pushes one version after the other to a registry, and checks where the tags point: a version's tag never
// moves, and those of a series point to its newest release.
func TestTags(t *testing.T) {
	t.Parallel()
	names := naming.Names{Registry: host(t)}
	push := func(version, content string) error {
		of := naming.Names{Registry: names.Registry, Version: version}
		return Images(t.Context(), imagesOf(t, version, content), []string{"a", "b"}, of, io.Discard)
	}
	for _, version := range []string{"v0.1.0", "v0.2.0", "v0.1.1", "v0.3.0-rc.1", "v0.2.0"} {
		if err := push(version, version); err != nil {
			t.Fatal(err)
		}
	}
	digests := map[string]string{}
	for _, tag := range []string{"v0.1.0", "v0.1.1", "v0.2.0", "v0.3.0-rc.1", "v0.1", "v0.2", "v0"} {
		digests[tag] = digestOf(t, names.Registry+"/b:"+tag)
	}
	for floating, version := range map[string]string{"v0.1": "v0.1.1", "v0.2": "v0.2.0", "v0": "v0.2.0"} {
		if digests[floating] != digests[version] {
			t.Errorf("%s is not %s: %v", floating, version, digests)
		}
	}
	if tag := names.Registry + "/a:v0.3"; digestOf(t, tag) != "" {
		t.Errorf("there is %s", tag)
	}
	err := push("v0.2.0", "another program")
	want := "cannot push " + names.Registry + "/a:v0.2.0: the registry has another image under this tag, " +
		digestOf(t, names.Registry+"/a:v0.2.0") + ", and the tag of a version never moves: " +
		"name another VERSION, such as v0.2.0-dev.1"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if got := digestOf(t, names.Registry+"/b:v0.2.0"); got != digests["v0.2.0"] {
		t.Errorf("v0.2.0 of b has moved to %s", got)
	}
}

// digestOf returns the digest that a tag points to, or nothing if there is no such tag.
func digestOf(t *testing.T, tag string) string {
	t.Helper()
	ref, err := name.NewTag(tag)
	if err != nil {
		t.Fatal(err)
	}
	descriptor, err := remote.Head(ref)
	var refused *transport.Error
	if errors.As(err, &refused) && refused.StatusCode == http.StatusNotFound {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return descriptor.Digest.String()
}

// checkReferrers checks that an index has one referrer, which holds the bill of materials.
func checkReferrers(t *testing.T, subject name.Digest) {
	t.Helper()
	referrers, err := remote.Referrers(subject)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := referrers.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(manifest.Manifests) != 1 {
		t.Fatalf("%d referrers, want one", len(manifest.Manifests))
	}
	artifact, err := remote.Image(subject.Context().Digest(manifest.Manifests[0].Digest.String()))
	if err != nil {
		t.Fatal(err)
	}
	m, err := artifact.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	got := []string{string(m.MediaType), string(m.Config.MediaType), string(m.Layers[0].MediaType),
		m.Subject.Digest.String(), manifest.Manifests[0].ArtifactType}
	const cyclonedx = "application/vnd.cyclonedx+json"
	want := []string{string(types.OCIManifestSchema1), cyclonedx, cyclonedx, subject.DigestStr(), cyclonedx}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the artifact (-want +got):\n%s", diff)
	}
	layers, err := artifact.Layers()
	if err != nil {
		t.Fatal(err)
	}
	content, err := layers[0].Compressed()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = content.Close() }()
	if data, err := io.ReadAll(content); err != nil || string(data) != document {
		t.Errorf("it holds %q, error %v", data, err)
	}
}

// TestErrors checks the errors for what is missing or wrong, and that nothing is pushed then.
func TestErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		version string
		spoil   func(dir string) error
		want    string
	}{
		"no image": {"v0.1.0", remove("b.tar"),
			"open DIR/b.tar: no such file or directory: run 'make images' first"},
		"no bill of materials": {"v0.1.0", remove("b.cdx.json"),
			"open DIR/b.cdx.json: no such file or directory: run 'make images' first"},
		"of another version": {"v0.2.0", remove(),
			"DIR/a.tar holds ghcr.io/package-variants/a:v0.1.0, not version v0.2.0: run 'make images VERSION=v0.2.0' first"},
		"cut off": {"v0.1.0", cut("b.tar", 700), "DIR/b.tar: unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, names := imagesIn(t), naming.Names{Registry: host(t), Version: c.version}
			if err := c.spoil(dir); err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(c.want, "DIR", dir)
			if err := Images(t.Context(), dir, []string{"a", "b"}, names, io.Discard); err == nil || err.Error() != want {
				t.Errorf("got %v\nwant %s", err, want)
			}
			if repositories := catalog(t, names.Registry); len(repositories) > 0 {
				t.Errorf("%v were pushed", repositories)
			}
		})
	}
}

func remove(files ...string) func(dir string) error {
	return func(dir string) error {
		var errs []error
		for _, file := range files {
			errs = append(errs, os.Remove(filepath.Join(dir, file)))
		}
		return errors.Join(errs...)
	}
}

func cut(file string, size int64) func(dir string) error {
	return func(dir string) error { return os.Truncate(filepath.Join(dir, file), size) }
}

func catalog(t *testing.T, host string) []string {
	t.Helper()
	r, err := name.NewRegistry(host)
	if err != nil {
		t.Fatal(err)
	}
	repositories, err := remote.Catalog(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return repositories
}

func TestNoRegistry(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	err = Images(t.Context(), imagesIn(t), []string{"a", "b"}, naming.Names{Registry: address, Version: "v0.1.0"},
		io.Discard)
	want := strings.ReplaceAll(`cannot push HOST/a:v0.1.0: Get "https://HOST/v2/": dial tcp HOST: connect: `+
		`connection refused; `+
		`Get "http://HOST/v2/": dial tcp HOST: connect: connection refused`, "HOST", address)
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Images(ctx, imagesIn(t), []string{"a", "b"}, naming.Names{Registry: host(t), Version: "v0.1.0"}, io.Discard)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
