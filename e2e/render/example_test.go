// SPDX-License-Identifier: Apache-2.0

package render

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// example is the example of this way to use the functions.
const example = "rendered-by-porch"

var (
	root       = filepath.Join("..", "..")
	exampleDir = filepath.Join(root, "examples", example)
)

// TestExample does what the README of the example says, with the stack of the tests in place of that of make, and
// compares what is printed with what the README shows.
func TestExample(t *testing.T) {
	t.Parallel()
	file := filepath.Join(exampleDir, "README.md")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := walkthrough.Parse(string(content))
	if err != nil {
		t.Fatal(err)
	}
	s := startSession(t)
	update := os.Getenv("UPDATE_GOLDEN") != ""
	for _, section := range doc.Sections {
		for i, part := range section.Parts {
			if part.Lang != walkthrough.Commands {
				continue
			}
			var results []walkthrough.Result
			for _, command := range part.List() {
				result, err := s.Run(command)
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, result)
			}
			if update {
				doc.Update(section, i, results)
			} else if differences := doc.Compare(section, i, results); differences != "" {
				t.Error(differences)
			}
		}
	}
	if update {
		if err := os.WriteFile(file, []byte(doc.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// startSession starts a shell in what looks like a clone of the repository in which make stack-up has done its work.
func startSession(t *testing.T) *walkthrough.Session {
	t.Helper()
	temp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(temp, "repository")
	if err := walkthrough.Clone(dir, root, map[string]string{"tools": os.Getenv("TOOLS_BIN"),
		"stack": shared.Dir}, example); err != nil {
		t.Fatal(err)
	}
	s, err := walkthrough.Start(t.Context(), dir, append(walkthrough.Environment(), "HOME="+temp, "LC_ALL=C"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Run(`make() { [[ "$*" == stack-up ]]; }`); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestConfig holds that the function-runner of the stack is configured as the example says: each function of this
// repository stands for its image.
func TestConfig(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join(exampleDir, "functions.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Functions []struct {
			Function string   `json:"function"`
			Images   []string `json:"images"`
		} `json:"functions"`
	}
	if err := yaml.UnmarshalStrict(content, &config); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range config.Functions {
		for _, image := range f.Images {
			got[image] = tool.Function(f.Function)
		}
	}
	want, err := images.Binaries(tool.Functions)
	if err != nil {
		t.Fatal(err)
	}
	delete(want, images.Ref("noop"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("binaries by image in the stack (-) and in the example (+):\n%s", diff)
	}
}
