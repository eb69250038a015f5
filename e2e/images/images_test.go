// SPDX-License-Identifier: Apache-2.0

package images

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/package-variants/package-variants/e2e/internal/podman"
	"github.com/package-variants/package-variants/e2e/internal/registry"
)

const root = "../.."

// controller is the only image without a function.
const controller = "sync-controller"

// names are those of all images, by name.
var names = []string{"apply-package-context", "expand-variantset", "inject-config", "merge-upstream",
	"prepend-pipeline", controller}

// maxFunction is how many bytes of a function's image may be downloaded.
const maxFunction = 12_000_000

// made returns the images that make images has written.
func made(t *testing.T) podman.Images {
	t.Helper()
	images, err := podman.ImagesFromEnv()
	if err != nil {
		t.Fatal(err)
	}
	return images
}

// release runs the program that makes images and releases.
func release(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	var errOut strings.Builder
	cmd := exec.CommandContext(t.Context(), os.Getenv("RELEASE"), args...)
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil && errOut.Len() > 0 {
		err = errors.New(strings.TrimSuffix(errOut.String(), "\n"))
	}
	return string(out), err
}

// descriptor is how manifests refer to one another, and to blobs.
type descriptor struct {
	MediaType, Digest, ArtifactType string
	Size                            int64
	Platform                        struct{ OS, Architecture string }
	Annotations                     map[string]string
}

// manifest is that of an index, of an image or of an artifact.
type manifest struct {
	MediaType   string
	Manifests   []descriptor
	Config      descriptor
	Layers      []descriptor
	Subject     descriptor
	Annotations map[string]string
}

// inFile returns the name of the one image in an archive, and its digest.
func inFile(t *testing.T, file string) (ref, digest string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for r := tar.NewReader(f); ; {
		header, err := r.Next()
		if err != nil {
			t.Fatalf("%s: no index.json: %v", file, err)
		}
		if header.Name != "index.json" {
			continue
		}
		var index manifest
		if err := json.NewDecoder(r).Decode(&index); err != nil || len(index.Manifests) != 1 {
			t.Fatalf("%s: %d images, error %v, want one", file, len(index.Manifests), err)
		}
		return index.Manifests[0].Annotations["org.opencontainers.image.ref.name"], index.Manifests[0].Digest
	}
}

// remote is a registry to which the images were pushed, in the path x.
type remote struct {
	*registry.Registry
}

// crane runs crane, which must succeed.
func (r remote) crane(t *testing.T, args ...string) string {
	t.Helper()
	out, err := r.Crane(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (r remote) manifest(t *testing.T, name, reference string) (m manifest) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.crane(t, "manifest", "REGISTRY/x/"+name+reference)), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPush pushes the images to a registry and looks at what is there.
func TestPush(t *testing.T) {
	t.Parallel()
	images, r := made(t), remote{registry.Start(t)}
	got, err := release(t, "push", "-root", root, "-dir", images.Dir, "-registry", r.Address+"/x", "-version",
		images.Version)
	if err != nil {
		t.Fatal(err)
	}
	var want, tagged, sizes string
	for _, name := range names {
		ref, digest := inFile(t, images.File(name))
		if ref != images.Ref(name) {
			t.Errorf("%s holds %s, want %s", images.File(name), ref, images.Ref(name))
		}
		want += fmt.Sprintf("pushed %s/x/%s:%s@%s\n", r.Address, name, images.Version, digest)
		for _, tag := range series(images.Version) {
			tagged += fmt.Sprintf("tagged %s/x/%s:%s@%s\n", r.Address, name, tag, digest)
			if there := strings.TrimSpace(r.crane(t, "digest", "REGISTRY/x/"+name+":"+tag)); there != digest {
				t.Errorf("%s:%s is %s, want %s", name, tag, there, digest)
			}
		}
		sizes += fmt.Sprintf("| `%s` | %d MB |\n", images.Ref(name), r.checkImage(t, images, name))
		r.checkMaterials(t, images, name, digest)
	}
	if diff := cmp.Diff(want+tagged, got); diff != "" {
		t.Errorf("what it prints (-want +got):\n%s", diff)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "images.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := regexp.MustCompile("(?m)^\\| `[^` ]+/[^` ]+:[^` ]+` \\| .*\n").FindAllString(string(page), -1)
	if diff := cmp.Diff(sizes, strings.Join(listed, "")); diff != "" {
		t.Errorf("sizes of the images (-) and in docs/images.md (+):\n%s", diff)
	}
}

// series returns the tags that follow a version, as the function catalog has them: vMAJOR.MINOR and vMAJOR.
func series(version string) []string {
	parts := strings.SplitN(version, ".", 3)
	return []string{parts[0] + "." + parts[1], parts[0]}
}

// checkImage checks what an image says about itself on each platform, and returns how many megabytes a node downloads
// at most.
func (r remote) checkImage(t *testing.T, images podman.Images, name string) (megabytes int64) {
	t.Helper()
	r.crane(t, "validate", "--remote", "REGISTRY/x/"+name+":"+images.Version)
	index := r.manifest(t, name, ":"+images.Version)
	entrypoint := "/usr/local/bin/function"
	if name == controller {
		entrypoint = "/usr/local/bin/sync-controller"
	}
	var platforms []string
	var largest int64
	for _, child := range index.Manifests {
		platform := child.Platform.OS + "/" + child.Platform.Architecture
		platforms = append(platforms, platform)
		m := r.manifest(t, name, "@"+child.Digest)
		if len(m.Layers) != 1 {
			t.Fatalf("%s: %d layers, want one", name, len(m.Layers))
		}
		largest = max(largest, m.Config.Size+m.Layers[0].Size)
		checkConfig(t, r.crane(t, "config", "REGISTRY/x/"+name+"@"+child.Digest), platform, entrypoint, index.Annotations)
		if platform == runtime.GOOS+"/"+runtime.GOARCH {
			r.checkProgram(t, name+"@"+child.Digest, entrypoint, name+" "+images.Version+"\n")
		}
	}
	if diff := cmp.Diff([]string{"linux/amd64", "linux/arm64"}, platforms); diff != "" {
		t.Errorf("%s: platforms (-want +got):\n%s", name, diff)
	}
	if diff := cmp.Diff(wantLabels(name, images.Version), withoutDescription(index.Annotations)); diff != "" {
		t.Errorf("%s: annotations (-want +got):\n%s", name, diff)
	}
	if name != controller && largest > maxFunction {
		t.Errorf("%s: %d bytes are downloaded, want %d at most", name, largest, maxFunction)
	}
	return (largest + 999_999) / 1_000_000
}

func wantLabels(name, version string) map[string]string {
	const prefix = "org.opencontainers.image."
	return map[string]string{
		prefix + "title": name, prefix + "version": version, prefix + "licenses": "Apache-2.0",
		prefix + "source": "https://github.com/package-variants/package-variants",
	}
}

// withoutDescription returns labels without the one that says what the image does, if that is there.
func withoutDescription(labels map[string]string) map[string]string {
	rest := map[string]string{}
	for key, value := range labels {
		if key != "org.opencontainers.image.description" || value == "" {
			rest[key] = value
		}
	}
	return rest
}

// config is what a container runtime reads.
type config struct {
	OS, Architecture string
	Config           struct {
		User       string
		Entrypoint []string
		Labels     map[string]string
	}
}

func checkConfig(t *testing.T, text, platform, entrypoint string, labels map[string]string) {
	t.Helper()
	var got, want config
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want.OS, want.Architecture, _ = strings.Cut(platform, "/")
	want.Config.User, want.Config.Entrypoint, want.Config.Labels = "65534:65534", []string{entrypoint}, labels
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

// checkProgram takes the program out of an image and has it say what it is.
func (r remote) checkProgram(t *testing.T, image, path, want string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	for files := tar.NewReader(strings.NewReader(r.crane(t, "export", "REGISTRY/x/"+image, "-"))); ; {
		header, err := files.Next()
		if err != nil {
			t.Fatalf("%s: no %s: %v", image, path, err)
		}
		if "/"+header.Name != path {
			continue
		}
		content, err := io.ReadAll(files)
		if err := errors.Join(err, os.WriteFile(program, content, header.FileInfo().Mode())); err != nil {
			t.Fatal(err)
		}
		break
	}
	if got, err := exec.CommandContext(t.Context(), program, "--version").Output(); err != nil || string(got) != want {
		t.Errorf("%s --version prints %q, error %v, want %q", image, got, err, want)
	}
}

// checkMaterials checks that the bill of materials is attached to an image, and that it is of this image.
func (r remote) checkMaterials(t *testing.T, images podman.Images, name, digest string) {
	t.Helper()
	const mediaType = "application/vnd.cyclonedx+json"
	// A registry that does not list what refers to an image has it under this tag.
	referrers := r.manifest(t, name, ":"+strings.Replace(digest, ":", "-", 1)).Manifests
	if len(referrers) != 1 || referrers[0].ArtifactType != mediaType {
		t.Fatalf("%s: referrers %v, want one of type %s", name, referrers, mediaType)
	}
	artifact := r.manifest(t, name, "@"+referrers[0].Digest)
	if artifact.Subject.Digest != digest || len(artifact.Layers) != 1 || artifact.Layers[0].MediaType != mediaType {
		t.Fatalf("%s: the artifact is %v", name, artifact)
	}
	got := r.crane(t, "blob", "REGISTRY/x/"+name+"@"+artifact.Layers[0].Digest)
	file, err := os.ReadFile(filepath.Join(images.Dir, name+".cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got != string(file) {
		t.Errorf("%s: the bill of materials in the registry is not %s.cdx.json", name, name)
	}
	checkDocument(t, file, name, images.Version, digest)
}
