// SPDX-License-Identifier: Apache-2.0

// Package kpt runs the functions in each of the ways in which the real kpt runs functions, and compares what they make
// of packages with what is known to be right.
package kpt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/kpt"
	"github.com/package-variants/package-variants/e2e/internal/tree"
)

var tool kpt.Tool

func TestMain(m *testing.M) { os.Exit(containers.Close(kpt.Main(m, &tool))) }

// way runs a function on a package, with the config that stands in config.yaml of the package, and returns what the
// package is then, and what was printed.
type way func(t *testing.T, files tree.Tree, function string) (tree.Tree, kpt.Output, error)

// ways are the ways in which kpt runs functions.
var ways = map[string]way{
	"eval": func(t *testing.T, files tree.Tree, function string) (tree.Tree, kpt.Output, error) {
		dir := write(t, files)
		out, err := tool.Eval(dir, function, filepath.Join(dir, "config.yaml"))
		return tree.Load(t, dir), out, err
	},
	"pipe": func(t *testing.T, files tree.Tree, function string) (tree.Tree, kpt.Output, error) {
		dir := write(t, files)
		result := filepath.Join(t.TempDir(), "result")
		out, err := tool.Pipe(dir, function, filepath.Join(dir, "config.yaml"), result)
		if err != nil {
			return nil, out, err
		}
		return tree.Load(t, result), out, nil
	},
	"render": func(t *testing.T, files tree.Tree, _ string) (tree.Tree, kpt.Output, error) {
		dir := write(t, files)
		out, err := tool.Render(dir)
		return tree.Load(t, dir), out, err
	},
	"eval-image": func(t *testing.T, files tree.Tree, function string) (tree.Tree, kpt.Output, error) {
		tool, dir := withContainers(t), write(t, files)
		out, err := tool.EvalImage(dir, image(t, function), filepath.Join(dir, "config.yaml"))
		return tree.Load(t, dir), out, err
	},
	"render-image": func(t *testing.T, files tree.Tree, _ string) (tree.Tree, kpt.Output, error) {
		tool, dir := withContainers(t), write(t, byImage(t, files))
		out, err := tool.RenderImages(dir)
		return byExec(t, tree.Load(t, dir)), out, err
	},
}

// renders are those of the ways that run the pipeline of the Kptfile, as it stands there or with images in it.
var renders = []string{"render", "render-image"}

// repeats reports whether a test should run a way again on its result. Containers are slow, and an image that does what
// the executable does on the first run also does so on the second.
func repeats(way string) bool { return !strings.HasSuffix(way, "-image") }

// render renders the package in one of the ways to do so, which must work.
func render(t *testing.T, way string, files tree.Tree) tree.Tree {
	t.Helper()
	rendered, _, err := ways[way](t, files, "")
	if err != nil {
		t.Fatal(err)
	}
	return rendered
}

// golden compares the difference between two trees with a file of testdata.
func golden(t *testing.T, name string, from, to tree.Tree) {
	t.Helper()
	tree.Golden(t, filepath.Join("testdata", name), diff(t, from, to))
}

// equal checks that two trees are equal.
func equal(t *testing.T, what string, want, got tree.Tree) {
	t.Helper()
	if d := diff(t, want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func diff(t *testing.T, from, to tree.Tree) string {
	t.Helper()
	d, err := tree.Diff(from, to)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// write writes the files into a new directory.
func write(t *testing.T, files tree.Tree) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "package")
	if err := files.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}
