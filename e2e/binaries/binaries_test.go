// SPDX-License-Identifier: Apache-2.0

// Package binaries tests the functions' binaries as an orchestrator meets them: by name, without arguments.
package binaries

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/e2e/internal/kpt"
	"sigs.k8s.io/yaml"
)

const root = "../.."

// functions returns the names of the functions: those directories below functions that have a main.go.
func functions(t *testing.T) []string {
	t.Helper()
	mains, err := filepath.Glob(filepath.Join(root, "functions", "*", "main.go"))
	if err != nil || len(mains) != 5 {
		t.Fatalf("found %q, %v, want five functions", mains, err)
	}
	var names []string
	for _, main := range mains {
		names = append(names, filepath.Base(filepath.Dir(main)))
	}
	return names
}

// TestBuild checks that `go build ./functions/<name>`, in the root of the repository, gives a binary named <name>.
func TestBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range functions(t) {
		cmd := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "./functions/"+name)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOWORK=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", cmd, err, out)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// run runs a function's binary and returns what it prints and its exit code.
func run(t *testing.T, name, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	tool, err := kpt.FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool.Function(name), args...)
	var out, errOut strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errOut
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

// TestNoConfig checks that a function without a config fails, with an example of one that it takes.
func TestNoConfig(t *testing.T) {
	t.Parallel()
	for _, name := range functions(t) {
		for _, stdin := range []string{"", "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"} {
			stdout, stderr, code := run(t, name, stdin)
			if code != 1 || !strings.HasPrefix(stderr, "no function config: pass one by --fn-config") ||
				!strings.Contains(stdout, "severity: error") {
				t.Errorf("%s: exit code %d\n%s%s", name, code, stderr, stdout)
			}
			_, example, _ := strings.Cut(stderr, "for example ")
			var config map[string]any
			if err := yaml.UnmarshalStrict([]byte(example), &config); err != nil {
				t.Fatalf("%s: the example is no YAML: %v\n%s", name, err, example)
			}
			list, err := yaml.Marshal(map[string]any{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList",
				"functionConfig": config, "items": []any{}})
			if err != nil {
				t.Fatal(err)
			}
			if _, stderr, _ := run(t, name, string(list)); strings.Contains(stderr, "config") &&
				!strings.Contains(stderr, "Kptfile") {
				t.Errorf("%s: does not take its own example: %s", name, stderr)
			}
		}
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for _, name := range functions(t) {
		stdout, stderr, code := run(t, name, "", "file.yaml")
		want := "unexpected argument \"file.yaml\": the function takes a ResourceList on standard input, with its config " +
			"in it; see --help\n"
		if stdout != "" || stderr != want || code != 1 {
			t.Errorf("%s file.yaml: exit code %d\n%s%s", name, code, stdout, stderr)
		}
	}
}

// TestVersion checks that --version prints the function's name and version: without make build, only what the go
// command knows.
func TestVersion(t *testing.T) {
	t.Parallel()
	known := regexp.MustCompile(`^\(devel\)$|^v\d`)
	for _, name := range functions(t) {
		for _, args := range [][]string{{"--version"}, {"--version", "--help"}, {"--doc", "--version"}} {
			stdout, stderr, code := run(t, name, "", args...)
			version, found := strings.CutPrefix(strings.TrimSuffix(stdout, "\n"), name+" ")
			if !found || !known.MatchString(version) || stderr != "" || code != 0 {
				t.Errorf("%s %q: exit code %d\n%s%s", name, args, code, stderr, stdout)
			}
		}
	}
}

// TestHelp checks that --help prints the manual that stands in the function's README, and --doc the same and the
// metadata as JSON.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, name := range functions(t) {
		readme, err := os.ReadFile(filepath.Join(root, "functions", name, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		var sections []string
		for _, section := range []string{"Short", "Long", "Examples"} {
			_, text, _ := strings.Cut(string(readme), "<!--mdtogo:"+section+"-->")
			text, _, found := strings.Cut(text, "<!--mdtogo-->")
			if !found {
				t.Errorf("%s: README.md has no section %s", name, section)
			}
			sections = append(sections, strings.TrimSpace(text))
		}
		help, _, code := run(t, name, "", "--help")
		for _, text := range sections {
			if !strings.Contains(help, text) || code != 0 {
				t.Errorf("%s --help: exit code %d, lacks\n%s", name, code, text)
			}
		}
		checkDoc(t, name, sections)
	}
}

func checkDoc(t *testing.T, name string, sections []string) {
	t.Helper()
	stdout, _, code := run(t, name, "", "--doc")
	var doc struct {
		Short, Long, Examples, Image, Description, SourceURL, License string
		Tags, ExamplePackageURLs                                      []string
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 0 {
		t.Fatalf("%s --doc: exit code %d, %v", name, code, err)
	}
	got := []string{doc.Short, doc.Long, doc.Examples, doc.Image, doc.Description, doc.License}
	want := append(slices.Clone(sections), "ghcr.io/package-variants/"+name, sections[0], "Apache-2.0")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s --doc (-want +got):\n%s", name, diff)
	}
	if len(doc.Tags) == 0 || len(doc.ExamplePackageURLs) == 0 {
		t.Errorf("%s: metadata.yaml has the tags %v and the examples %v", name, doc.Tags, doc.ExamplePackageURLs)
	}
	// Examples have the names that they would have in the function catalog, and all of a function are in its metadata.
	named, err := filepath.Glob(filepath.Join(root, "examples", name+"-*"))
	if err != nil || len(named) != len(doc.ExamplePackageURLs) {
		t.Errorf("%s: the examples %v, of which %v are in metadata.yaml, error %v", name, named, doc.ExamplePackageURLs, err)
	}
	for _, url := range doc.ExamplePackageURLs {
		_, dir, _ := strings.Cut(url, "/tree/main/")
		if !strings.HasPrefix(dir, "examples/"+name+"-") {
			t.Errorf("%s: the example %s is not named %s-<what it shows>", name, url, name)
		}
		if _, err := os.Stat(filepath.Join(root, dir, "README.md")); err != nil {
			t.Errorf("%s: the example %s: %v", name, url, err)
		}
	}
	_, dir, _ := strings.Cut(doc.SourceURL, "/tree/main/")
	if _, err := os.Stat(filepath.Join(root, dir, "main.go")); err != nil {
		t.Errorf("%s: sourceURL %s: %v", name, doc.SourceURL, err)
	}
}
