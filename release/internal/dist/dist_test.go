// SPDX-License-Identifier: Apache-2.0

package dist

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/package-variants/package-variants/release/internal/archive"
	"github.com/package-variants/package-variants/release/internal/naming"
)

var (
	images = []string{"inject-config", "sync-controller"}
	names  = naming.Names{Registry: "r.example.com/fleet", Version: "v0.2.0"}
)

// The tree of a repository.
var tree = map[string]string{
	"sync-controller/config/Kptfile":          "kind: Kptfile\n",
	"sync-controller/config/README.md":        "Installs ghcr.io/package-variants/sync-controller:v0.1.0.\n",
	"sync-controller/config/1-namespace.yaml": "kind: Namespace\n",
	"sync-controller/config/6-deployment.yaml": "---\nimage: ghcr.io/package-variants/sync-controller:v0.1.0\n---\n" +
		"kind: Budget",
	"sync-controller/config/12-all-namespaces.yaml": "kind: ClusterRoleBinding\n",
	"sync-controller/config/3-cluster-role.yaml":    "kind: ClusterRole\n",
	"sync-controller/config/policies/1-create.yaml": "kind: Policy\n",
	"sync-controller/namespaced/Kptfile":            "kind: Kptfile\n",
	"sync-controller/namespaced/1-deployment.yaml":  "image: ghcr.io/package-variants/sync-controller:v0.1.0\n",
	"sync-controller/config/crds/b.yaml":            "---\nname: b\n",
	"sync-controller/config/crds/a.yaml":            "---\nname: a\n",
	"examples/e/Kptfile": "image: ghcr.io/package-variants/inject-config:v0.1.0\n" +
		"other: gcr.io/kpt-fn/set-namespace:v0.4.1\n",
	"examples/e/data.bin": "\xff\xfe",
	"functions/f.go":      "package f\n",
}

func newTree(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	files := fstest.MapFS{}
	for name, content := range tree {
		files[name] = &fstest.MapFile{Data: []byte(content), Mode: 0o644}
	}
	if err := os.CopyFS(root, files); err != nil {
		t.Fatal(err)
	}
	return root
}

// contents returns the content of all files below a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := archive.Read(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range files {
		found[f.Name] = string(f.Data)
	}
	return found
}

func imagesInto(content string) func(string) error {
	return func(dir string) error {
		return os.WriteFile(filepath.Join(dir, "inject-config.tar"), []byte(content), 0o600)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	root, out := newTree(t), t.TempDir()
	if err := Write(root, out, images, names, imagesInto("first")); err != nil {
		t.Fatal(err)
	}
	if err := Write(root, out, images, names, imagesInto("second")); err != nil { // in place of the first
		t.Fatal(err)
	}
	if diff := cmp.Diff(tree, contents(t, root)); diff != "" {
		t.Errorf("the tree (-before +after):\n%s", diff)
	}
	got := contents(t, out)
	const crds = "---\nname: a\n---\nname: b\n"
	const image = "r.example.com/fleet/sync-controller:v0.2.0"
	const deployment = "---\nimage: " + image + "\n---\nkind: Budget"
	want := map[string]string{
		"v0.2.0/inject-config.tar": "second",
		"v0.2.0/crds.yaml":         crds,
		"v0.2.0/install.yaml": crds + "---\nkind: Namespace\n---\nkind: ClusterRoleBinding\n---\nkind: ClusterRole\n" +
			deployment + "\n---\nkind: Policy\n",
		"v0.2.0/install-namespaced.yaml": crds + "---\nkind: Namespace\n---\nkind: ClusterRole\n---\nkind: Policy\n---\nimage: " + image + "\n",
		"v0.2.0/package-variants-sync-controller-namespaced.tar.gz": listing(map[string]string{
			"package-variants-sync-controller-namespaced/Kptfile":           "kind: Kptfile\n",
			"package-variants-sync-controller-namespaced/1-deployment.yaml": "image: " + image + "\n",
		}),
		"v0.2.0/package-variants-sync-controller.tar.gz": listing(map[string]string{
			"package-variants-sync-controller/Kptfile":                "kind: Kptfile\n",
			"package-variants-sync-controller/README.md":              "Installs " + image + ".\n",
			"package-variants-sync-controller/1-namespace.yaml":       "kind: Namespace\n",
			"package-variants-sync-controller/12-all-namespaces.yaml": "kind: ClusterRoleBinding\n",
			"package-variants-sync-controller/3-cluster-role.yaml":    "kind: ClusterRole\n",
			"package-variants-sync-controller/6-deployment.yaml":      deployment,
			"package-variants-sync-controller/policies/1-create.yaml": "kind: Policy\n",
			"package-variants-sync-controller/crds/a.yaml":            "---\nname: a\n",
			"package-variants-sync-controller/crds/b.yaml":            "---\nname: b\n",
		}),
		"v0.2.0/examples.tar.gz": listing(map[string]string{
			"examples/e/Kptfile": "image: r.example.com/fleet/inject-config:v0.2.0\n" +
				"other: gcr.io/kpt-fn/set-namespace:v0.4.1\n",
			"examples/e/data.bin": "\xff\xfe",
		}),
		"v0.2.0/SHA256SUMS": sums(got),
	}
	for name := range got {
		if strings.HasSuffix(name, ".tar.gz") {
			got[name] = listing(unpacked(t, got[name]))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// sums returns the checksums of the files of a release other than the one that has them.
func sums(files map[string]string) string {
	var all string
	for _, name := range []string{"crds.yaml", "examples.tar.gz", "inject-config.tar",
		"install-namespaced.yaml", "install.yaml", "package-variants-sync-controller-namespaced.tar.gz",
		"package-variants-sync-controller.tar.gz"} {
		all += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(files["v0.2.0/"+name])), name)
	}
	return all
}

func unpacked(t *testing.T, content string) map[string]string {
	t.Helper()
	zip, err := gzip.NewReader(strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	files, err := archive.Parse(zip)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range files {
		found[f.Name] = string(f.Data)
	}
	return found
}

func listing(files map[string]string) string { return fmt.Sprintf("%q", files) }

// TestReproducible checks that a release in another place, of a copy of the tree, is the same.
func TestReproducible(t *testing.T) {
	t.Parallel()
	var releases [2]map[string]string
	for i := range releases {
		out := t.TempDir()
		if err := Write(newTree(t), out, images, names, imagesInto("image")); err != nil {
			t.Fatal(err)
		}
		releases[i] = contents(t, out)
	}
	if diff := cmp.Diff(releases[0], releases[1]); diff != "" {
		t.Errorf("-first +second:\n%s", diff)
	}
}

// TestFailure checks that a release that fails leaves what was there before, and nothing else.
func TestFailure(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		root   func(*testing.T) string
		images func(string) error
		want   string
	}{
		"no images": {newTree, func(dir string) error { return errors.Join(imagesInto("half")(dir), boom) }, "boom"},
		"no examples": {
			func(t *testing.T) string {
				root := newTree(t)
				if err := os.RemoveAll(filepath.Join(root, "examples")); err != nil {
					t.Fatal(err)
				}
				return root
			},
			imagesInto("image"), "ROOT/examples: stat .: no such file or directory",
		},
		"another name of what works in all namespaces": {
			func(t *testing.T) string {
				root := newTree(t)
				config := filepath.Join(root, "sync-controller", "config")
				err := os.Rename(filepath.Join(config, "6-deployment.yaml"), filepath.Join(config, "7-deployment.yaml"))
				if err != nil {
					t.Fatal(err)
				}
				return root
			},
			imagesInto("image"), "sync-controller/config does not have 6-deployment.yaml and 12-all-namespaces.yaml",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, root := t.TempDir(), c.root(t)
			if err := Write(newTree(t), out, images, names, imagesInto("before")); err != nil {
				t.Fatal(err)
			}
			before := contents(t, out)
			want := strings.ReplaceAll(c.want, "ROOT", root)
			if err := Write(root, out, images, names, c.images); err == nil || err.Error() != want {
				t.Errorf("got %v\nwant %s", err, want)
			}
			if diff := cmp.Diff(before, contents(t, out)); diff != "" {
				t.Errorf("-before +after:\n%s", diff)
			}
			if entries, err := os.ReadDir(out); err != nil || len(entries) != 1 {
				t.Errorf("%v is left, error %v", entries, err)
			}
		})
	}
}

// TestInstall checks that the one file installs what the package does: the same documents, none twice.
func TestInstall(t *testing.T) {
	t.Parallel()
	files, err := assemble("../../..", images, names)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string][]byte{}
	for _, f := range files {
		byName[f.Name] = f.Data
	}
	if printed, err := Install("../../..", images, names); err != nil || !bytes.Equal(printed, byName[installFile]) {
		t.Errorf("printed is something else than %s, error %v", installFile, err)
	}
	count := func(data []byte) int { return bytes.Count(data, []byte("\napiVersion: ")) }
	var want, namespaced int
	for name, content := range contents(t, "../../../sync-controller/config") {
		if strings.HasSuffix(name, ".yaml") {
			want += count([]byte("\n" + content))
			if !slices.Contains(everywhere, name) {
				namespaced += count([]byte("\n" + content))
			}
		}
	}
	for _, content := range contents(t, "../../../sync-controller/namespaced") {
		namespaced += count([]byte("\n" + content))
	}
	namespaced-- // its Kptfile
	if got := count(byName[namespacedFile]); got != namespaced {
		t.Errorf("%s has %d documents, want %d", namespacedFile, got, namespaced)
	}
	if got := count(byName[installFile]); got != want || want == 0 || count(byName[crdsFile]) != 2 {
		t.Errorf("%s has %d documents, want %d; %s has %d, want 2", installFile, got, want, crdsFile, count(byName[crdsFile]))
	}
	if !bytes.Contains(byName[installFile], []byte("image: r.example.com/fleet/sync-controller:v0.2.0\n")) {
		t.Errorf("%s does not have the image of the release", installFile)
	}
}
