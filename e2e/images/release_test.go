// SPDX-License-Identifier: Apache-2.0

package images

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/package-variants/package-variants/e2e/internal/process"
	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// document is what a bill of materials has.
type document struct {
	BOMFormat string
	Metadata  struct{ Component material }
	// Components are the modules.
	Components []material
}

type material struct {
	Name, Version, PURL string
	Hashes              []struct{ Alg, Content string }
	Properties          []struct{ Name, Value string }
	Components          []material
}

// checkDocument checks the subject of a bill of materials, and that it has modules that are known to be in the
// programs.
func checkDocument(t *testing.T, text []byte, name, version, digest string) {
	t.Helper()
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	subject := d.Metadata.Component
	purl := fmt.Sprintf("pkg:oci/%s@%s?tag=%s", name, strings.Replace(digest, ":", "%3A", 1), version)
	if diff := cmp.Diff([]string{"CycloneDX", name, version, purl},
		[]string{d.BOMFormat, subject.Name, subject.Version, subject.PURL}); diff != "" {
		t.Errorf("%s: the bill of materials (-want +got):\n%s", name, diff)
	}
	if len(subject.Components) != 2 {
		t.Errorf("%s: programs %v, want one for each platform", name, subject.Components)
	}
	var unversioned []string
	modules := map[string]string{}
	for _, module := range d.Components {
		modules[module.Name] = module.Version
		if module.Version == "" || module.Version == "(devel)" {
			unversioned = append(unversioned, module.Name)
		}
	}
	const own = "github.com/package-variants/package-variants/"
	if len(unversioned) > 0 || modules[own+"functions"] != version || modules[own+"api"] != version ||
		modules["stdlib"] == "" {
		t.Errorf("%s: modules %v, without a version: %v", name, modules, unversioned)
	}
	sdk, library := modules["github.com/kptdev/krm-functions-sdk/go/fn"], modules["sigs.k8s.io/controller-runtime"]
	if sdk == "" || (library != "") != (name == controller) {
		t.Errorf("%s: the SDK is %q, controller-runtime %q", name, sdk, library)
	}
}

// TestRelease makes a release of a copy of the source, as others do elsewhere. Its images are identical, and all that
// names them has the registry to which they are released.
func TestRelease(t *testing.T) {
	t.Parallel()
	images, clone, out := made(t), t.TempDir(), t.TempDir()
	for _, name := range []string{"LICENSE", "README.md", "go.work", "go.work.sum", "api", "docs", "engine", "examples",
		"functions", "local", "sync-controller"} {
		copyInto(t, filepath.Join(clone, name), filepath.Join(root, name))
	}
	const elsewhere = "registry.example.com/fleet"
	platforms, args := platformsMade()
	args = append([]string{"dist", "-root", clone, "-dir", out, "-registry", elsewhere, "-version", images.Version}, args...)
	if _, err := release(t, args...); err != nil {
		t.Fatal(err)
	}
	files, err := tree.Read(filepath.Join(out, images.Version))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"SHA256SUMS", "crds.yaml", "examples.tar.gz", "install-namespaced.yaml", "install.yaml",
		"package-variants-sync-controller-namespaced.tar.gz", "package-variants-sync-controller.tar.gz", "variants.yaml"}
	for _, platform := range platforms {
		want = append(want, archive("kubectl-variants", images.Version, platform), archive("variants", images.Version, platform))
	}
	var got []string
	for name := range files {
		got = append(got, name)
	}
	for _, name := range names {
		want = append(want, name+".tar", name+".cdx.json")
		ref, digest := inFile(t, filepath.Join(out, images.Version, name+".tar"))
		_, first := inFile(t, images.File(name))
		if ref != elsewhere+"/"+name+":"+images.Version || digest != first {
			t.Errorf("the image is %s@%s, want the digest %s", ref, digest, first)
		}
		document, err := os.ReadFile(filepath.Join(images.Dir, name+".cdx.json"))
		if err != nil || files[name+".cdx.json"] != string(document) {
			t.Errorf("%s: another bill of materials than that of make images, error %v", name, err)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files of the release (-want +got):\n%s", diff)
	}
	checkSums(t, files)
	checkKrew(t, filepath.Join(out, images.Version), files, images.Version, platforms)
	image := "image: " + elsewhere + "/sync-controller:" + images.Version + "\n"
	for _, install := range []string{"install.yaml", "install-namespaced.yaml"} {
		if !strings.Contains(files[install], image) {
			t.Errorf("%s has no %s", install, image)
		}
	}
}

// platformsMade returns the platforms of the command lines that TestRelease has made, and the arguments that say so: that of
// this machine and one of another system, since six take a quarter of an hour to compile; with EVERY_PLATFORM=1, as the
// nightly run has it, all.
func platformsMade() (platforms, args []string) {
	if os.Getenv("EVERY_PLATFORM") == "1" {
		return []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}, nil
	}
	platforms = []string{runtime.GOOS + "/" + runtime.GOARCH, "windows/arm64"}
	return platforms, []string{"-platforms", strings.Join(platforms, ",")}
}

// archive returns the name of the file in which a command line is released for a platform.
func archive(program, version, platform string) string {
	suffix := ".tar.gz"
	if strings.HasPrefix(platform, "windows/") {
		suffix = ".zip"
	}
	return program + "_" + version + "_" + strings.Replace(platform, "/", "_", 1) + suffix
}

// checkKrew checks that krew's manifest is one that krew accepts, and that it has the archive of each platform, with
// its checksum.
func checkKrew(t *testing.T, dir string, files tree.Tree, version string, platforms []string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), filepath.Join(os.Getenv("TOOLS_BIN"), "validate-krew-manifest"),
		"-skip-install", "-manifest", filepath.Join(dir, "variants.yaml")).CombinedOutput()
	if err != nil {
		t.Errorf("krew does not accept variants.yaml: %v\n%s", err, out)
	}
	var manifest struct {
		Spec struct {
			Platforms []struct{ URI, SHA256 string }
		}
	}
	if err := yaml.Unmarshal([]byte(files["variants.yaml"]), &manifest); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, platform := range platforms {
		name := archive("kubectl-variants", version, platform)
		sum := sha256.Sum256([]byte(files[name]))
		want = append(want, "https://github.com/package-variants/package-variants/releases/download/"+version+"/"+name+" "+
			hex.EncodeToString(sum[:]))
	}
	for _, p := range manifest.Spec.Platforms {
		got = append(got, p.URI+" "+p.SHA256)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("archives in variants.yaml (-want +got):\n%s", diff)
	}
}

func copyInto(t *testing.T, to, from string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else {
		var content []byte
		if content, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, content, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// checkSums checks that the checksums are right, and that there is one for each other file.
func checkSums(t *testing.T, files tree.Tree) {
	t.Helper()
	var want strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != "SHA256SUMS" {
			sum := sha256.Sum256([]byte(files[name]))
			fmt.Fprintf(&want, "%s  %s\n", hex.EncodeToString(sum[:]), name)
		}
	}
	if diff := cmp.Diff(want.String(), files["SHA256SUMS"]); diff != "" {
		t.Errorf("SHA256SUMS (-want +got):\n%s", diff)
	}
}

// TestBadInput checks what the program prints when it cannot do its work.
func TestBadInput(t *testing.T) {
	t.Parallel()
	images, empty := made(t), t.TempDir()
	var port int
	if err := process.FreePorts(&port); err != nil {
		t.Fatal(err)
	}
	nobody := process.Local(port)
	for name, c := range map[string]struct{ command, dir, registry, version, want string }{
		"nothing listens": {
			"push", images.Dir, nobody + "/x", images.Version,
			"cannot push NOBODY/x/apply-package-context:" + images.Version +
				`: Get "https://NOBODY/v2/": dial tcp NOBODY: connect: connection refused; ` +
				`Get "http://NOBODY/v2/": dial tcp NOBODY: connect: connection refused`,
		},
		"no images": {
			"push", empty, nobody, images.Version,
			"open " + empty + "/apply-package-context.tar: no such file or directory: run 'make images' first",
		},
		"images of another version": {
			"push", images.Dir, nobody, "v99.0.0",
			images.File("apply-package-context") + " holds " + images.Ref("apply-package-context") +
				", not version v99.0.0: run 'make images VERSION=v99.0.0' first",
		},
		"no version": {
			"dist", empty, nobody, "99",
			`VERSION "99" is not a version: write vMAJOR.MINOR.PATCH, such as v0.1.0 or v0.2.0-rc.1`,
		},
		"no registry": {
			"push", images.Dir, "https://" + nobody, images.Version,
			`REGISTRY "https://NOBODY" is not a place for images: ` +
				`write HOST/PATH, without a scheme, such as ghcr.io/package-variants or localhost:5000/x`,
		},
		"references out of step": {
			"check-tags", "", "ghcr.io/package-variants", "v99.0.0",
			"not all references to images are ghcr.io/package-variants/<name>:v99.0.0: " +
				"run 'make tags' and commit what it changes: docs/images.md, ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := release(t, c.command, "-root", root, "-dir", c.dir, "-registry", c.registry, "-version", c.version)
			want := "release: " + strings.ReplaceAll(c.want, "NOBODY", nobody)
			if err == nil || err.Error() != want && (c.command != "check-tags" || !strings.HasPrefix(err.Error(), want)) {
				t.Errorf("got %v\nwant %s", err, want)
			}
		})
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("%v is left, error %v", left, err)
	}
}
