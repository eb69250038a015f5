// SPDX-License-Identifier: Apache-2.0

package render

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
	"github.com/package-variants/package-variants/e2e/internal/tree"

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
// compares what is printed with what the README shows. What a newer Porch prints in its place is in testdata/newer.
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
			if update || shared.Foreign() {
				doc.Update(section, i, results)
			} else if differences := doc.Compare(section, i, results); differences != "" {
				t.Error(differences)
			}
		}
	}
	if shared.Foreign() {
		diff, err := tree.Diff(tree.Tree{"README.md": string(content)}, tree.Tree{"README.md": doc.String()})
		if err != nil {
			t.Fatal(err)
		}
		tree.Golden(t, filepath.Join(goldenDir(), "example.diff"), diff)
		return
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
	s, err := walkthrough.Start(t.Context(), dir, append(walkthrough.Environment(), "HOME="+temp))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Run(`make() { [[ "$*" == stack-up ]]; }`); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFunctionConfigs checks that the function-runner of a newer Porch is configured as the example says: its objects
// are those of the stack, but that binaries have other paths there, and such a Porch takes them.
func TestFunctionConfigs(t *testing.T) {
	t.Parallel()
	file := filepath.Join(exampleDir, "functionconfigs.yaml")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for text := range strings.SplitSeq(string(content), "---\n") {
		var config struct {
			APIVersion string            `json:"apiVersion"`
			Kind       string            `json:"kind"`
			Metadata   map[string]string `json:"metadata"`
			Spec       struct {
				Image          string   `json:"image"`
				Prefixes       []string `json:"prefixes"`
				BinaryExecutor struct {
					Path string   `json:"path"`
					Tags []string `json:"tags"`
				} `json:"binaryExecutor"`
			} `json:"spec"`
		}
		if err := yaml.UnmarshalStrict([]byte(text), &config); err != nil {
			t.Fatal(err)
		}
		for _, prefix := range config.Spec.Prefixes {
			for _, tag := range config.Spec.BinaryExecutor.Tags {
				got[prefix+"/"+config.Spec.Image+":"+tag] = tool.Function(config.Spec.BinaryExecutor.Path)
			}
		}
	}
	if diff := cmp.Diff(configured(t), got); diff != "" {
		t.Errorf("binaries by image in the stack (-) and in the example (+):\n%s", diff)
	}
	if !shared.Foreign() {
		return // Porch v1.5 has no such objects
	}
	if out, err := shared.Kubectl(t.Context(), "apply", "--dry-run=server", "--filename="+file); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// configured returns the binaries of the functions that the stack has, by image.
func configured(t *testing.T) map[string]string {
	t.Helper()
	binaries, err := images.Binaries(tool.Functions)
	if err != nil {
		t.Fatal(err)
	}
	delete(binaries, images.Ref("noop"))
	return binaries
}

// TestConfig checks that the function-runner of the stack is configured as the example says: each function of this
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
	if diff := cmp.Diff(configured(t), got); diff != "" {
		t.Errorf("binaries by image in the stack (-) and in the example (+):\n%s", diff)
	}
}
