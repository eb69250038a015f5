// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// maxReadme is how many lines of the repository's README a newcomer reads. All else is for the pages.
const maxReadme = 130

// pages returns the README of the repository and the pages under docs, by their paths from the root.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := markdown(os.DirFS(root), "docs")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 8 {
		t.Fatalf("found only the pages %q", found)
	}
	return append([]string{"README.md"}, found...)
}

// example is how a set-up copies the example that a page works on.
var example = regexp.MustCompile(`(?m)^cp -r examples/([a-z-]+) ~`)

// TestPages does what each page says that has a set-up, except for what needs a container runtime where there is none.
func TestPages(t *testing.T) {
	t.Parallel()
	followed := 0
	for _, page := range pages(t) {
		begin := find(parse(t, filepath.Join(root, page)), setUp)
		if begin == nil {
			continue
		}
		followed++
		var commands string
		for _, part := range begin.Parts {
			if part.Lang == walkthrough.Commands {
				commands += part.Text
			}
		}
		match := example.FindStringSubmatch(commands)
		if match == nil {
			t.Errorf("%s: its set-up copies no example to the home directory", page)
			continue
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			follow(t, filepath.Join(root, page), match[1])
		})
	}
	if followed == 0 {
		t.Error("no page has a set-up")
	}
}

// TestCommandsAreRun checks that a page which has commands has a set-up, by which TestPages follows it, or that a test
// of another package of e2e, which then has to run them, names the page.
func TestCommandsAreRun(t *testing.T) {
	t.Parallel()
	tests := testFiles(t)
	for _, page := range pages(t) {
		doc := parse(t, filepath.Join(root, page))
		commands := slices.ContainsFunc(doc.Sections, func(s *walkthrough.Section) bool {
			return slices.ContainsFunc(s.Parts, func(p *walkthrough.Part) bool { return p.Lang == walkthrough.Commands })
		})
		dir, name := filepath.Split(page)
		named := strings.Contains(tests, `/`+page+`"`) || strings.Contains(tests, `"`+filepath.Clean(dir)+`", "`+name+`"`)
		if commands && find(doc, setUp) == nil && (dir == "" || !named) {
			t.Errorf("%s: no test runs its commands: give it a section %q, or run them in a test that names the page; blocks "+
				"that are only to be read are marked bash or text, not sh", page, setUp)
		}
	}
}

// testFiles returns the tests of all packages of e2e but this one.
func testFiles(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "examples" {
			return fs.SkipDir
		}
		if err == nil && strings.HasSuffix(path, "_test.go") {
			all.WriteString(read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestReadme checks that the README of the repository stays within its length.
func TestReadme(t *testing.T) {
	t.Parallel()
	if lines := strings.Count(read(t, filepath.Join(root, "README.md")), "\n"); lines > maxReadme {
		t.Errorf("README.md has %d lines, want %d at most: say it on a page under docs", lines, maxReadme)
	}
}

// TestGoProgram runs the program that the page about the functions shows on a package, of which one line must change.
func TestGoProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "main.go")
	for _, section := range parse(t, filepath.Join(root, "docs", "use-kpt.md")).Sections {
		for _, part := range section.Parts {
			if part.Lang == "go" {
				write(t, program, part.Text+"\n")
			}
		}
	}
	blueprint := filepath.Join(root, "examples", "variant-of-a-fleet", "blueprint")
	want, err := tree.Read(blueprint)
	if err != nil {
		t.Fatal(err)
	}
	pkg := filepath.Join(dir, "package")
	if err := os.CopyFS(pkg, os.DirFS(blueprint)); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "go", "run", program, pkg)
	command.Dir, command.Env = filepath.Join(root, "functions"), append(os.Environ(), "GOWORK=off")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := tree.Read(pkg)
	if err != nil {
		t.Fatal(err)
	}
	const context = "package-context.yaml"
	want[context] = strings.Replace(want[context], "site: none", "site: fra", 1)
	if diff := cmp.Diff(want, got); diff != "" || !strings.Contains(got[context], "site: fra") {
		t.Errorf("the package (-want +got):\n%s", diff)
	}
}
