// SPDX-License-Identifier: Apache-2.0

package tags

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/package-variants/package-variants/release/internal/naming"
)

var (
	images = []string{"inject-config", "sync-controller"}
	names  = naming.Names{Registry: "ghcr.io/me/x", Version: "v0.2.0"}
)

// functionConfig returns the spec of a FunctionConfig.
func functionConfig(image, registry, tag string) string {
	return "spec:\n  image: " + image + "\n  prefixes: [" + registry + "]\n" +
		"  binaryExecutor: {path: " + image + ", tags: [" + tag + "]}\n"
}

func TestRewrite(t *testing.T) {
	t.Parallel()
	digest := "@sha256:" + strings.Repeat("0123456789abcdef", 4)
	for name, c := range map[string]struct{ text, want string }{
		"another tag": {"image: ghcr.io/package-variants/inject-config:v0.1.0\n",
			"image: ghcr.io/me/x/inject-config:v0.2.0\n"},
		"what it should be": {"image: ghcr.io/me/x/inject-config:v0.2.0", "image: ghcr.io/me/x/inject-config:v0.2.0"},
		"another registry": {"r.example.com:5000/a/b/sync-controller:latest",
			"r.example.com:5000/a/b/sync-controller:v0.2.0"},
		"a registry without path": {"r.example.com/sync-controller:1", "r.example.com/sync-controller:v0.2.0"},
		"on this machine":         {"localhost:5000/x/inject-config:v0.1.0", "localhost:5000/x/inject-config:v0.2.0"},
		"below home": {"ghcr.io/package-variants/old/inject-config:v0.1.0",
			"ghcr.io/package-variants/old/inject-config:v0.2.0"},
		"a digest goes": {"ghcr.io/package-variants/inject-config:v1" + digest,
			"ghcr.io/me/x/inject-config:v0.2.0"},
		"quoted": {`"ghcr.io/package-variants/inject-config:v1"`, `"ghcr.io/me/x/inject-config:v0.2.0"`},
		"with a transport": {"docker://ghcr.io/package-variants/inject-config:v1",
			"docker://ghcr.io/me/x/inject-config:v0.2.0"},
		"before a full stop": {"Run ghcr.io/x/inject-config:v1.0.0. Then", "Run ghcr.io/x/inject-config:v0.2.0. Then"},
		"several in a line": {"ghcr.io/x/inject-config:v1 ghcr.io/x/sync-controller:v1",
			"ghcr.io/x/inject-config:v0.2.0 ghcr.io/x/sync-controller:v0.2.0"},
		"another image": {"gcr.io/kpt-fn/set-namespace:v0.4.1", "gcr.io/kpt-fn/set-namespace:v0.4.1"},
		"a longer name": {"ghcr.io/x/my-inject-config:v1 ghcr.io/x/inject-config-2:v1",
			"ghcr.io/x/my-inject-config:v1 ghcr.io/x/inject-config-2:v1"},
		"a name within a path": {"ghcr.io/inject-config/other:v1", "ghcr.io/inject-config/other:v1"},
		"no tag": {"image: ghcr.io/package-variants/inject-config\nname: x",
			"image: ghcr.io/package-variants/inject-config\nname: x"},
		"no registry": {"functions/inject-config:v1 inject-config:v1",
			"functions/inject-config:v1 inject-config:v1"},
		"a link to the repository": {"https://github.com/x/x/tree/main/functions/inject-config",
			"https://github.com/x/x/tree/main/functions/inject-config"},
		"the tag of a release": {"--certificate-identity https://x/.github/workflows/release.yaml@refs/tags/v0.1.0-rc.1 \\",
			"--certificate-identity https://x/.github/workflows/release.yaml@refs/tags/v0.2.0 \\"},
		"a download":    {"gh release download v0.1.0 --repo x/x.", "gh release download v0.2.0 --repo x/x."},
		"another's tag": {"x/.github/workflows/ci.yaml@refs/tags/v0.1.0", "x/.github/workflows/ci.yaml@refs/tags/v0.1.0"},
		"FunctionConfig": {functionConfig("inject-config", "ghcr.io/package-variants", "v0.1.0"),
			functionConfig("inject-config", "ghcr.io/me/x", "v0.2.0")},
		"FunctionConfig of another registry": {functionConfig("inject-config", "localhost:5000", "v0.1.0"),
			functionConfig("inject-config", "localhost:5000", "v0.2.0")},
		"FunctionConfig of another function": {functionConfig("set-labels", "ghcr.io/package-variants", "v0.1.0"),
			functionConfig("set-labels", "ghcr.io/package-variants", "v0.1.0")},
		"nothing": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Rewrite(c.text, images, names)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if again := Rewrite(got, images, names); again != got {
				t.Errorf("the second run changes it to %s", again)
			}
		})
	}
}

// tree writes files to a directory that has all the places in which references stand.
func tree(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for file, content := range files {
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestWriteAndCheck(t *testing.T) {
	t.Parallel()
	const before, after = "ghcr.io/package-variants/inject-config:v0.1.0", "ghcr.io/me/x/inject-config:v0.2.0"
	root := tree(t, map[string]string{
		"README.md":                             before,
		"CONTRIBUTING.md":                       before, // no user copies from there
		"docs/use.md":                           before,
		"examples/README.md":                    "nothing",
		"examples/e/.expected/diff.patch":       before,
		"functions/inject-config/README.md":     before,
		"functions/inject-config/metadata.yaml": before,
		"functions/inject-config/testdata/x":    before,
		"sync-controller/config/6.yaml":         after,
		"sync-controller/namespaced/4.yaml":     before,
	})
	want := "not all references to images are ghcr.io/me/x/<name>:v0.2.0: run 'make tags' and commit what it changes: " +
		"README.md, docs/use.md, examples/e/.expected/diff.patch, functions/inject-config/README.md, " +
		"sync-controller/namespaced/4.yaml"
	if err := Check(root, images, names); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if err := Write(root, images, names); err != nil {
		t.Fatal(err)
	}
	if err := Check(root, images, names); err != nil {
		t.Error(err)
	}
	for file, want := range map[string]string{
		"README.md": after, "CONTRIBUTING.md": before, "examples/README.md": "nothing",
		"docs/use.md": after, "examples/e/.expected/diff.patch": after,
		"functions/inject-config/README.md": after, "functions/inject-config/metadata.yaml": before,
		"functions/inject-config/testdata/x": before, "sync-controller/config/6.yaml": after,
		"sync-controller/namespaced/4.yaml": after,
	} {
		if got, err := os.ReadFile(filepath.Join(root, file)); err != nil || string(got) != want {
			t.Errorf("%s: %q, error %v, want %q", file, got, err, want)
		}
	}
}

func TestWrongRoot(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	want := root + ": there is no README.md: it is not the root of the repository"
	if err := Check(root, images, names); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestDeployment checks that Check looks at the tree of this repository: with another version, the Deployment of the
// controller is out of step.
func TestDeployment(t *testing.T) {
	t.Parallel()
	err := Check("../../..", images, naming.Names{Registry: "ghcr.io/package-variants", Version: "v99.0.0"})
	if err == nil || !strings.Contains(err.Error(), "sync-controller/config/6-deployment.yaml") {
		t.Errorf("got %v", err)
	}
}
