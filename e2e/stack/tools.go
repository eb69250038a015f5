// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const porchctl = "porchctl"

// tools locates the binaries.
type tools struct {
	dir   string            // of all binaries except moved
	moved map[string]string // the paths of binaries elsewhere, by name
}

// toolsFromEnv returns the tools in the directory TOOLS_BIN, which the Makefile sets. It fails if a tool is missing
// that a stack with these options needs. Porch's tools are in the directory porch, if given.
func toolsFromEnv(options Options, porch string) (tools, error) {
	t := tools{dir: os.Getenv("TOOLS_BIN"), moved: map[string]string{}}
	if t.dir == "" {
		return t, errors.New("the environment variable TOOLS_BIN must name the directory of etcd, kube-apiserver and " +
			"Porch: run this by make, which builds them and sets it")
	}
	names := []string{"etcd", APIServer, Porch, porchctl, FunctionRunner, GitServer, "kubectl"}
	if options.ControllerManager {
		names = append(names, "kube-controller-manager")
	}
	if porch != "" {
		for _, name := range builtElsewhere {
			t.moved[name] = filepath.Join(porch, name)
		}
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(builtElsewhere, name) })
	}
	for _, name := range names {
		if _, err := os.Stat(t.path(name)); err != nil {
			return t, fmt.Errorf("%w: run make stack-tools, which builds it", err)
		}
	}
	return t, nil
}

// path returns the path of a binary.
func (t tools) path(name string) string {
	if moved := t.moved[name]; moved != "" {
		return moved
	}
	return filepath.Join(t.dir, name)
}

// The modules that have files that a stack needs.
const (
	porchModule = "github.com/nephio-project/porch"
	apiModule   = "github.com/package-variants/package-variants/api"
)

// module is the location and version of a module's sources.
type module struct{ Dir, Version string }

// sources finds the sources of a module. The working directory must be in a module that requires it.
func sources(ctx context.Context, path string) (module, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-json", path)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var m module
	if err == nil {
		err = json.Unmarshal(out, &m)
	}
	if err == nil && m.Dir == "" {
		err = errors.New("it is not in the module cache")
	}
	if err != nil {
		return m, fmt.Errorf("cannot find the sources of %s: %w\n%s", path, err, stderr.String())
	}
	return m, nil
}
