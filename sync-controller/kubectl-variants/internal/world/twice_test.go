// SPDX-License-Identifier: Apache-2.0

package world

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
)

// TestTwice checks that an object that is twice in a snapshot, or in manifests, is an error that names both places, unless
// both are equal.
func TestTwice(t *testing.T) {
	t.Parallel()
	types, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	repository := object(ours, "Repository", "fleet")
	labelled := strings.Replace(repository, "  name: one\n", "  name: one\n  labels: {a: b}\n", 1)
	const contents = "---\napiVersion: porch.kpt.dev/v1alpha1\nkind: PackageRevisionResources\nmetadata:\n  name: one\n  namespace: fleet\n" +
		"spec: {resources: {Kptfile: FILE}}\n"
	variant := object(ours, "PackageVariant", "")
	read := map[string]func(string) error{
		"snapshot": func(dir string) error {
			_, err := FromFiles(types, dir, nil)
			return err
		},
		"manifests": func(dir string) error {
			manifests, err := snapshot.ReadFiles(types, dir, true)
			if err != nil {
				return err
			}
			w, err := FromFiles(types, fileOf(t, repository), nil)
			if err == nil {
				_, err = Overlay(t.Context(), w, manifests.Objects, "fleet")
			}
			return err
		},
	}
	for name, c := range map[string]struct{ of, a, b, want string }{
		"in a snapshot": {"snapshot", repository, repository + labelled, "Repository one is twice in the snapshot, with " +
			"different content, in DIR/a.yaml, line 2, and DIR/b.yaml, line 9: remove the one that is out of date"},
		"equal in a snapshot": {"snapshot", repository, repository, ""},
		"contents": {"snapshot", repository + contents, "# later\n" + strings.Replace(contents, "FILE", "x", 1), "PackageRevisionResources one " +
			"is twice in the snapshot, with different content, in DIR/a.yaml, line 9, and DIR/b.yaml, line 3: remove the one that " +
			"is out of date"},
		"equal contents": {"snapshot", repository + contents, contents, ""},
		"in manifests": {"manifests", variant, object(ours, "PackageVariant", "fleet") + "---\n" + strings.Replace(variant, "edge", "other", 1),
			"PackageVariant one is twice in what -f names, with different content, in DIR/a.yaml, line 2, and DIR/b.yaml, line 10: " +
				"remove one of them"},
		"equal in manifests": {"manifests", variant, object(ours, "PackageVariant", "fleet"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range map[string]string{"a.yaml": c.a, "b.yaml": c.b} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := ""
			if err := read[c.of](dir); err != nil {
				got = strings.ReplaceAll(err.Error(), dir, "DIR")
			}
			if got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}
