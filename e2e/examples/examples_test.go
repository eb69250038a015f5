// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
	"github.com/package-variants/package-variants/e2e/internal/skipped"
)

// root is the root of the repository.
const root = "../.."

// setUp is the heading of the section that every example begins with. What its commands leave is what the example's
// changes are compared with.
const setUp = "Set up"

var update = os.Getenv("UPDATE_GOLDEN") != ""

// inContainers is the heading of a section that needs a container runtime. Where there is none, it is left out.
const inContainers = "Container images"

// testedElsewhere are the examples whose commands other tests run: those of e2e/demo and e2e/render.
var testedElsewhere = []string{"fleet-in-a-cluster", "rollout", "rendered-by-porch"}

// withHelm is the example that needs helm. Where only the tools are built that most tests need, it is left out.
const withHelm = "blueprint-from-chart"

// TestExamples does what the README of each other example says.
func TestExamples(t *testing.T) {
	for _, name := range names(t) {
		if slices.Contains(testedElsewhere, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat(filepath.Join(os.Getenv("TOOLS_BIN"), "helm")); name == withHelm && err != nil {
				_ = skipped.Report(t.Name(), err)
				t.Skip(err)
			}
			dir := filepath.Join(root, "examples", name)
			changes := follow(t, filepath.Join(dir, "README.md"), name)
			golden(t, filepath.Join(dir, ".expected", "diff.patch"), changes)
		})
	}
}

// follow runs the commands of a document, which work on an example, compares what they print with what it shows, and
// returns what they changed after the set-up.
func follow(t *testing.T, file, example string) (changes string) {
	t.Helper()
	doc := parse(t, file)
	s := startShell(t, example)
	var before string
	for _, section := range doc.Sections {
		if section.Heading == inContainers && !s.hasContainers(t) {
			continue
		}
		for i, p := range section.Parts {
			if p.Lang != walkthrough.Commands {
				continue
			}
			results := s.runAll(t, p.List())
			if update {
				doc.Update(section, i, results)
			} else if differences := doc.Compare(section, i, results); differences != "" {
				t.Error(differences)
			}
		}
		if section.Heading == setUp {
			before = s.tree(t)
		}
	}
	if before == "" {
		t.Fatalf("%s has no section %q", file, setUp)
	}
	if update {
		write(t, file, doc.String())
	}
	return s.run(t, "git diff "+before+" "+s.tree(t))
}

// TestIndex checks that the index has a row for each example and a link to its README.
func TestIndex(t *testing.T) {
	index := parse(t, filepath.Join(root, "examples", "README.md")).String()
	for _, name := range names(t) {
		if row := "| [" + name + "](" + name + "/README.md) |"; !strings.Contains(index, row) {
			t.Errorf("examples/README.md has no row that begins with %s", row)
		}
	}
}

// TestQuotedFiles checks that the YAML which a README quotes stands in a file of the example.
func TestQuotedFiles(t *testing.T) {
	for _, name := range names(t) {
		dir := filepath.Join(root, "examples", name)
		files := contents(t, dir)
		for _, section := range parse(t, filepath.Join(dir, "README.md")).Sections {
			for _, p := range section.Parts {
				if p.Lang == "yaml" && !quoted(p.Text, files) {
					t.Errorf("%s: no file holds what the README quotes under %q:\n%s", name, section.Heading, p.Text)
				}
			}
		}
	}
}

// quoted reports whether text stands in one of the files, possibly further to the right. Lines "..." leave out lines.
func quoted(text string, files []string) bool {
	for _, file := range files {
		rest, found := "\n"+file, true
		for _, piece := range strings.Split("\n"+text+"\n", "\n...\n") {
			at := -1
			for indent := 0; indent <= 10 && at < 0; indent++ {
				shifted := strings.ReplaceAll("\n"+strings.Trim(piece, "\n"), "\n", "\n"+strings.Repeat(" ", indent)) + "\n"
				if at = strings.Index(rest, shifted); at >= 0 {
					rest = rest[at+len(shifted)-1:]
				}
			}
			found = found && at >= 0
		}
		if found {
			return true
		}
	}
	return false
}

// names returns the names of all examples.
func names(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, "examples"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	if len(out) < 5 {
		t.Fatalf("found only %d examples: %q", len(out), out)
	}
	return out
}

func parse(t *testing.T, path string) *walkthrough.Document {
	t.Helper()
	doc, err := walkthrough.Parse(read(t, path))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return doc
}

// contents returns the YAML files below dir.
func contents(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && (strings.HasSuffix(path, ".yaml") || e.Name() == "Kptfile") {
			out = append(out, read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// golden compares got with the content of a file, or writes it there.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if update {
		write(t, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s is missing: run make golden", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-) is not what the example did (+); if it should be, run make golden:\n%s", path, d)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
