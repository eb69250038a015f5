// SPDX-License-Identifier: Apache-2.0

package kustomize

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/kpt"
	"github.com/package-variants/package-variants/e2e/internal/tree"
)

var (
	tool   kpt.Tool
	binary string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if tool, err = kpt.FromEnv(); err == nil {
		binary = filepath.Join(os.Getenv("TOOLS_BIN"), "kustomize")
		_, err = os.Stat(binary)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v: run this by make, which builds kustomize\n", err)
		return 1
	}
	return m.Run()
}

// The flags by which kustomize runs functions.
var (
	plugins     = "--enable-alpha-plugins"
	executables = "--enable-exec"
)

// built is what a run of kustomize printed, and its exit code.
type built struct {
	stdout, stderr string
	code           int
}

// build runs `kustomize build` on a directory of the files, with the functions on the PATH.
func build(t *testing.T, files tree.Tree, dir string, flags ...string) built {
	t.Helper()
	root := t.TempDir()
	if err := files.Write(root); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, append([]string{"build", filepath.Join(root, dir)}, flags...)...)
	cmd.Env = append(os.Environ(), "PATH="+tool.Functions+string(os.PathListSeparator)+os.Getenv("PATH"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return built{stdout: stdout.String(), stderr: strings.ReplaceAll(stderr.String(), root, "ROOT"),
		code: cmd.ProcessState.ExitCode()}
}

// must runs `kustomize build` with functions, which must work and say nothing but what it builds, and returns that.
func must(t *testing.T, files tree.Tree, dir string) string {
	t.Helper()
	b := build(t, files, dir, plugins, executables)
	if b.code != 0 || b.stderr != "" {
		t.Fatalf("exit code %d: %s", b.code, b.stderr)
	}
	return b.stdout
}

// functionAnnotation tells kustomize which function a config is for.
const functionAnnotation = "config.kubernetes.io/function"

// configFor returns a config with the annotation that makes it one of a function, by its name on the PATH.
func configFor(function, config string) string {
	annotation := "    " + functionAnnotation + ": |\n      exec:\n        path: " + function + "\n"
	if strings.Contains(config, "\n  annotations:\n") {
		return strings.Replace(config, "\n  annotations:\n", "\n  annotations:\n"+annotation, 1)
	}
	return strings.Replace(config, "\nmetadata:\n", "\nmetadata:\n  annotations:\n"+annotation, 1)
}

// kustomization returns a kustomization of the resources and transformers.
func kustomization(resources []string, transformers ...string) string {
	var b strings.Builder
	for _, list := range []struct {
		field string
		files []string
	}{{"resources", resources}, {"transformers", transformers}} {
		if len(list.files) > 0 {
			b.WriteString(list.field + ":\n- " + strings.Join(list.files, "\n- ") + "\n")
		}
	}
	return b.String()
}

// resources returns the sorted names of the files that hold the resources of a package, without its config.
func resources(files tree.Tree) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool {
		return name == "config.yaml" || path.Ext(name) != ".yaml" && path.Base(name) != "Kptfile"
	})
}

// buildable returns the files of a package as far as kustomize can build them: without subpackages, whose package
// contexts have the name and kind of the package's own. The output has all other files, including those that are not
// deployed.
func buildable(files tree.Tree) tree.Tree {
	all := maps.Clone(files)
	for name := range files {
		if dir, file := path.Split(name); file == "Kptfile" && dir != "" {
			maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasPrefix(name, dir) })
		}
	}
	for name, content := range all {
		all[name] = strings.ReplaceAll(content, `config.kubernetes.io/local-config: "true"`,
			`config.kubernetes.io/local-config: "false"`)
	}
	return all
}

// byKpt returns the package after kpt has run functions on it, each with the config of its own.
func byKpt(t *testing.T, files tree.Tree, functions ...string) tree.Tree {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "package")
	if err := files.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, function := range functions {
		if out, err := tool.Eval(dir, function, filepath.Join(dir, "config.yaml")); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return tree.Load(t, dir)
}
