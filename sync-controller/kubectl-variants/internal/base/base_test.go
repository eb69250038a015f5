// SPDX-License-Identifier: Apache-2.0

package base

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
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

// run runs git in a directory, without what the machine and the user have configured.
func run(t *testing.T, directory string, arguments ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", append([]string{"-C", directory, "-c", "user.name=t", "-c",
		"user.email=t@example.com", "-c", "protocol.file.allow=always"}, arguments...)...)
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
}

// repository returns a git repository whose commit v1 has files.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	directory := t.TempDir()
	run(t, directory, "init", "-q", "-b", "main")
	write(t, directory, files)
	run(t, directory, "add", "-A")
	run(t, directory, "commit", "-q", "-m", "one")
	run(t, directory, "tag", "v1")
	return directory
}

// gone returns what a base has and the paths no longer have, as "Kind namespace/name", and its notes without the
// directory.
func gone(t *testing.T, directory, of string, paths ...string) (names, notes []string) {
	t.Helper()
	types, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	b, err := Read(t.Context(), of, paths)
	if err != nil {
		t.Fatal(err)
	}
	var manifests []snapshot.Object
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		files, err := snapshot.ReadFiles(types, path, true)
		if err != nil {
			t.Fatal(err)
		}
		manifests = append(manifests, files.Objects...)
	}
	for _, o := range b.Gone(manifests, "fleet") {
		names = append(names, o.GetObjectKind().GroupVersionKind().Kind+" "+o.GetNamespace()+"/"+o.GetName())
	}
	for _, note := range b.Notes {
		notes = append(notes, strings.ReplaceAll(note, directory+"/", ""))
	}
	return names, notes
}

// TestRevision checks what is gone since a revision, in real git repositories.
func TestRevision(t *testing.T) {
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
			[]string{"ConfigMap fleet/a", "ConfigMap fleet/b"}, []string{"v1:fleet/a.yaml cannot be read (line 5: did not find expected node content): " +
				"look for yourself whether an object was removed from it"}},
		"not read": {map[string]string{"fleet/a.yaml": a, "fleet/.b.yaml": b, "fleet/.c/c.yaml": b, "fleet/d.txt": b,
			"fleet/values.yaml": "a: 1\n", "other/b.yaml": b}, map[string]string{"fleet": ""}, []string{"ConfigMap fleet/a"}, nil},
		"names with spaces": {map[string]string{"fleet/a b \"c\" é.yaml": a}, map[string]string{"fleet": ""}, []string{"ConfigMap fleet/a"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := repository(t, c.before)
			write(t, directory, c.after)
			names, notes := gone(t, directory, "v1", filepath.Join(directory, "fleet"))
			if diff := cmp.Diff(c.names, names); diff != "" {
				t.Errorf("gone (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.notes, notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPaths checks that a base may be a file of a revision, several paths of it, a directory or a file; a link is not
// read.
func TestPaths(t *testing.T) {
	t.Parallel()
	a, b := object("ConfigMap", "fleet", "a"), object("ConfigMap", "fleet", "b")
	directory := repository(t, map[string]string{"fleet/a.yaml": a, "sub/b.txt": b})
	if err := os.Symlink("a.yaml", filepath.Join(directory, "fleet", "link.yaml")); err != nil {
		t.Fatal(err)
	}
	module := repository(t, map[string]string{"b.yaml": b})
	run(t, directory, "submodule", "--quiet", "add", module, "fleet/module")
	run(t, directory, "add", "-A")
	run(t, directory, "commit", "-q", "-m", "two")
	second := t.TempDir()
	write(t, second, map[string]string{"a.yaml": a, "no.yaml": "a: [\n", ".hidden/b.yaml": b})
	fleet, file := filepath.Join(directory, "fleet"), filepath.Join(directory, "sub", "b.txt")
	write(t, directory, map[string]string{"fleet/a.yaml": "", "fleet/link.yaml": "", "fleet/module": "", "sub/b.txt": ""})
	const submodule = "HEAD:fleet/module cannot be read (it is a submodule): look for yourself whether an object was removed from it"
	for name, c := range map[string]struct {
		base         string
		paths        []string
		names, notes []string
	}{
		"file":      {"HEAD", []string{file}, []string{"ConfigMap fleet/b"}, nil},
		"two paths": {"v1", []string{file, fleet}, []string{"ConfigMap fleet/b", "ConfigMap fleet/a"}, nil},
		"submodule": {"HEAD", []string{fleet}, []string{"ConfigMap fleet/a"}, []string{submodule}},
		"directory": {second, []string{fleet}, []string{"ConfigMap fleet/a"}, []string{"no.yaml cannot be read (line 1: did not find " +
			"expected node content): look for yourself whether an object was removed from it"}},
		"one file": {filepath.Join(second, "a.yaml"), []string{fleet}, []string{"ConfigMap fleet/a"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			names, notes := gone(t, directory, c.base, c.paths...)
			if diff := cmp.Diff(c.names, names); diff != "" {
				t.Errorf("gone (-want +got):\n%s", diff)
			}
			for i := range notes {
				notes[i] = strings.ReplaceAll(notes[i], second+"/", "")
			}
			if diff := cmp.Diff(c.notes, notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestErrors checks the errors for a base that cannot be used.
func TestErrors(t *testing.T) {
	directory := repository(t, map[string]string{"fleet/a.yaml": object("ConfigMap", "fleet", "a")})
	outside := t.TempDir()
	t.Chdir(directory)
	run(t, directory, "branch", "fleet")
	for name, c := range map[string]struct{ base, path, want string }{
		"no revision": {"v2", "fleet", "there is no directory v2, and the git repository of fleet has no such revision: correct " +
			"--base, or fetch the revision by git fetch; actions/checkout of GitHub fetches all with fetch-depth: 0"},
		"an option": {"--all", "fleet", "there is no directory --all, and the git repository of fleet has no such revision: correct " +
			"--base, or fetch the revision by git fetch; actions/checkout of GitHub fetches all with fetch-depth: 0"},
		"outside of git": {"v1", outside, "there is no directory v1, and " + outside + " is not in a git repository that can be read " +
			"(fatal: not a git repository (or any of the parent directories): .git): name a directory by --base, or run it in a clone"},
		"neither here nor there": {"v1", "flet", "there is no file or directory flet, neither here nor in v1"},
		"standard input":         {"v1", "-", "the standard input has no git revision v1: name files by -f, or a directory by --base"},
		"both":                   {"fleet", "fleet", "--base fleet is a path and a git revision (COMMIT): write ./fleet for the path, or that commit"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(t.Context(), c.base, []string{c.path})
			if err == nil {
				t.Fatal("there is no error")
			}
			out, _ := exec.CommandContext(t.Context(), "git", "rev-parse", "--short=12", "HEAD").Output()
			got := strings.ReplaceAll(err.Error(), strings.TrimSpace(string(out)), "COMMIT")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("without git", func(t *testing.T) {
		t.Setenv("PATH", outside)
		const want = "there is no directory v1, and to read a revision needs git: install it, or name a directory by --base"
		if _, err := Read(t.Context(), "v1", []string{"fleet"}); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	})
}
