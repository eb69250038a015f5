// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tools is the directory of the binaries.
type tools string

// toolsFromEnv returns the directory that TOOLS_BIN names, as the Makefile sets it, if it has all that a stack with
// these options needs.
func toolsFromEnv(options Options) (tools, error) {
	dir := os.Getenv("TOOLS_BIN")
	if dir == "" {
		return "", errors.New("the environment variable TOOLS_BIN must name the directory of etcd, kube-apiserver and " +
			"Porch: run this by make, which builds them and sets it")
	}
	names := []string{"etcd", "kube-apiserver", "porch", "porchctl", "function-runner", "git-server", "kubectl"}
	if options.ControllerManager {
		names = append(names, "kube-controller-manager")
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("%w: run make stack-tools, which builds it", err)
		}
	}
	return tools(dir), nil
}

// path returns the path of a binary.
func (t tools) path(name string) string { return filepath.Join(string(t), name) }

// The modules by which the CRDs that a stack gets are found.
const (
	porchModule = "github.com/nephio-project/porch"
	apiModule   = "github.com/package-variants/package-variants/api"
)

// sources returns the directory of a module's sources. The working directory must be in a module that requires it.
func sources(ctx context.Context, module string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	dir := strings.TrimSpace(string(out))
	if err == nil && dir == "" {
		err = errors.New("it is not in the module cache")
	}
	if err != nil {
		return "", fmt.Errorf("cannot find the sources of %s: %w\n%s", module, err, stderr.String())
	}
	return dir, nil
}
