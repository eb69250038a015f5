// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/kpt"
	"github.com/package-variants/package-variants/e2e/internal/tree"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"
)

var (
	tool   kpt.Tool
	images stack.Images
	shared *stack.Stack
)

func TestMain(m *testing.M) { os.Exit(kpt.Main(withStack{m}, &tool)) }

// withStack runs the tests with a stack whose function-runner has the functions.
type withStack struct{ m *testing.M }

func (w withStack) Run() int {
	var err error
	images, err = stack.ImagesFromEnv()
	var functions map[string]string
	if err == nil {
		functions, err = images.Binaries(tool.Functions)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return stacktest.Main(w.m, &shared, stack.Options{Functions: functions})
}

// byImage returns the files with images in place of executables.
func byImage(files tree.Tree) tree.Tree {
	return replace(files, regexp.MustCompile(`\bexec: ([a-z-]+)`), "image: "+images.Ref("${1}"))
}

// byExec returns the files with executables in place of images.
func byExec(files tree.Tree) tree.Tree {
	ref := strings.Replace(regexp.QuoteMeta(images.Ref("NAME")), "NAME", "([a-z-]+)", 1)
	return replace(files, regexp.MustCompile(`\bimage: `+ref), "exec: $1")
}

// golden compares what porchctl printed with a file of testdata, where images have neither registry nor version. A newer
// Porch has files of its own.
func golden(t *testing.T, name, printed string) {
	t.Helper()
	printed = strings.NewReplacer(images.Registry+"/", "", ":"+images.Version, "").Replace(printed)
	tree.Golden(t, filepath.Join(goldenDir(), name), printed)
}

// goldenDir is the directory of golden files for the Porch of the stack.
func goldenDir() string {
	if shared.Foreign() {
		return filepath.Join("testdata", "newer")
	}
	return "testdata"
}

func replace(files tree.Tree, what *regexp.Regexp, by string) tree.Tree {
	replaced := maps.Clone(files)
	for name, content := range replaced {
		replaced[name] = what.ReplaceAllString(content, by)
	}
	return replaced
}

// draft is a draft in Porch, and its files as a user has them.
type draft struct {
	*fleet.Fleet
	name, dir string
}

// metadata is the file in which porchctl records the draft that a directory belongs to.
const metadata = ".KptRevisionMetadata"

// newDraft makes a draft of a package and pulls it.
func newDraft(t *testing.T, pkg string) *draft {
	t.Helper()
	d := &draft{
		Fleet: fleet.New(t, shared, strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))),
		name:  "blueprints." + pkg + ".v1", dir: filepath.Join(t.TempDir(), pkg),
	}
	d.Repository("blueprints", nil, false)
	d.must(t, "rpkg", "init", pkg, "--repository=blueprints", "--workspace=v1")
	d.must(t, "rpkg", "pull", d.name, d.dir)
	return d
}

// porchctl runs porchctl in the draft's namespace.
func (d *draft) porchctl(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return shared.Porchctl(t.Context(), append(args, "--namespace="+d.Namespace)...)
}

// must runs porchctl, which must work, and returns what it prints.
func (d *draft) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := d.porchctl(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// put replaces the user's files of the draft.
func (d *draft) put(t *testing.T, files tree.Tree) {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(d.dir, metadata))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(d.dir); err != nil {
		t.Fatal(err)
	}
	if err := files.Add(".", tree.Tree{metadata: string(key)}).Write(d.dir); err != nil {
		t.Fatal(err)
	}
}

// save saves the user's files in Porch, which renders them, and returns what Porch has then, which the user gets too.
func (d *draft) save(t *testing.T) tree.Tree {
	t.Helper()
	d.must(t, "rpkg", "push", d.name, d.dir)
	if err := os.RemoveAll(d.dir); err != nil {
		t.Fatal(err)
	}
	d.must(t, "rpkg", "pull", d.name, d.dir)
	files := tree.Load(t, d.dir)
	delete(files, metadata)
	return files
}

// byKpt renders a package by kpt, with executables in place of images.
func byKpt(t *testing.T, files tree.Tree) tree.Tree {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "package")
	if err := byExec(files).Write(dir); err != nil {
		t.Fatal(err)
	}
	if out, err := tool.Render(dir); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return byImage(tree.Load(t, dir))
}
