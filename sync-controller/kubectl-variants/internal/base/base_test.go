// SPDX-License-Identifier: Apache-2.0

package base

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/manifestfile"
)

// object returns the manifest of an object.
func object(kind, namespace, name string) string {
	return "apiVersion: v1\nkind: " + kind + "\nmetadata: {name: " + name + ", namespace: " + namespace + "}\n---\n"
}

// write writes files below a directory, and removes those without a text.
func write(t *testing.T, directory string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(directory, name)
		if text == "" {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// gone returns what a base has and a path no longer has, as "Kind namespace/name", and its notes without the
// directory.
func gone(t *testing.T, directory, of, path string) (names, notes []string) {
	t.Helper()
	types, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	b, err := Read(of)
	if err != nil {
		t.Fatal(err)
	}
	var manifests []manifestfile.Object
	if _, err := os.Stat(path); err == nil {
		files, err := manifestfile.ReadFiles(types, path)
		if err != nil {
			t.Fatal(err)
		}
		manifests = files.Objects
	}
	for _, o := range b.Gone(manifests, "fleet") {
		names = append(names, o.GetObjectKind().GroupVersionKind().Kind+" "+o.GetNamespace()+"/"+o.GetName())
	}
	for _, note := range b.Notes {
		notes = append(notes, strings.ReplaceAll(note, directory+"/", ""))
	}
	return names, notes
}

// TestGone checks what is gone since a base.
func TestGone(t *testing.T) {
	t.Parallel()
	a, b := object("ConfigMap", "fleet", "a"), object("ConfigMap", "fleet", "b")
	list := "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a, namespace: fleet}\n"
	for name, c := range map[string]struct {
		before, after map[string]string
		names, notes  []string
	}{
		"nothing":             {map[string]string{"fleet/a.yaml": a}, nil, nil, nil},
		"a file":              {map[string]string{"fleet/a.yaml": a, "fleet/b.yaml": b}, map[string]string{"fleet/b.yaml": ""}, []string{"ConfigMap fleet/b"}, nil},
		"a document":          {map[string]string{"fleet/a.yaml": a + b}, map[string]string{"fleet/a.yaml": b}, []string{"ConfigMap fleet/a"}, nil},
		"an item":             {map[string]string{"fleet/a.yaml": list}, map[string]string{"fleet/a.yaml": b}, []string{"ConfigMap fleet/a"}, nil},
		"the whole directory": {map[string]string{"fleet/a.yaml": a, "fleet/b/c.yml": b}, map[string]string{"fleet": ""}, []string{"ConfigMap fleet/a", "ConfigMap fleet/b"}, nil},
		"twice in the base":   {map[string]string{"fleet/a.yaml": a, "fleet/b.yaml": a}, map[string]string{"fleet/a.yaml": "", "fleet/b.yaml": b}, []string{"ConfigMap fleet/a"}, nil},
		"once of two":         {map[string]string{"fleet/a.yaml": a, "fleet/b.yaml": a}, map[string]string{"fleet/a.yaml": ""}, nil, nil},
		"moved to a file":     {map[string]string{"fleet/a.yaml": a}, map[string]string{"fleet/a.yaml": "", "fleet/sub/z.yaml": a}, nil, nil},
		"namespace written out": {map[string]string{"fleet/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"},
			map[string]string{"fleet/a.yaml": a}, nil, nil},
		"moved to a namespace": {map[string]string{"fleet/a.yaml": a}, map[string]string{"fleet/a.yaml": object("ConfigMap", "other", "a")},
			[]string{"ConfigMap fleet/a"}, nil},
		"another version": {map[string]string{"fleet/a.yaml": "apiVersion: example.com/v1\nkind: Site\nmetadata: {name: a}\n"},
			map[string]string{"fleet/a.yaml": "apiVersion: example.com/v2\nkind: Site\nmetadata: {name: a}\n"}, nil, nil},
		"wrong but for its name": {map[string]string{"fleet/a.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\n" +
			"metadata: {name: a}\nspec: {nonsense: 1}\n"}, map[string]string{"fleet/a.yaml": ""}, []string{"PackageVariant /a"}, nil},
		"no YAML": {map[string]string{"fleet/a.yaml": a + "a: [\n", "fleet/b.yaml": b}, map[string]string{"fleet/a.yaml": "", "fleet/b.yaml": ""},
			[]string{"ConfigMap fleet/a", "ConfigMap fleet/b"}, []string{"fleet/a.yaml cannot be read (line 5: did not find expected node content): " +
				"look for yourself whether an object was removed from it"}},
		"not read": {map[string]string{"fleet/a.yaml": a, "fleet/.b.yaml": b, "fleet/.c/c.yaml": b, "fleet/d.txt": b,
			"fleet/values.yaml": "a: 1\n", "other/b.yaml": b}, map[string]string{"fleet": ""}, []string{"ConfigMap fleet/a"}, nil},
		"names with spaces": {map[string]string{"fleet/a b \"c\" é.yaml": a}, map[string]string{"fleet": ""}, []string{"ConfigMap fleet/a"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			before, now := filepath.Join(directory, "before"), filepath.Join(directory, "now")
			write(t, before, c.before)
			write(t, now, c.before)
			write(t, now, c.after)
			names, notes := gone(t, before, filepath.Join(before, "fleet"), filepath.Join(now, "fleet"))
			if diff := cmp.Diff(c.names, names); diff != "" {
				t.Errorf("gone (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.notes, notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPath checks that a base may be one file, and that one which is not there is an error.
func TestPath(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	write(t, directory, map[string]string{"a.txt": object("ConfigMap", "fleet", "a"), "now/b.yaml": object("ConfigMap", "fleet", "b")})
	names, notes := gone(t, directory, filepath.Join(directory, "a.txt"), filepath.Join(directory, "now"))
	if diff := cmp.Diff([]string{"ConfigMap fleet/a"}, names); diff != "" || notes != nil {
		t.Errorf("gone (-want +got):\n%s%v", diff, notes)
	}
	const want = "there is no directory origin/main for --base: a git revision becomes one by git worktree add DIR REVISION"
	if _, err := Read("origin/main"); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
