// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/package-variants/package-variants/e2e/internal/process"

	"sigs.k8s.io/yaml"
)

// startRunner starts Porch's function-runner, which runs binaries in place of images. It always listens on all
// addresses.
func (s *Stack) startRunner(ctx context.Context, functions map[string]string) error {
	args, err := s.runnerArgs(ctx, functions)
	if err != nil {
		return err
	}
	p, err := s.launch(FunctionRunner, nil, args...)
	if err != nil {
		return err
	}
	return s.awaitRunner(ctx, p)
}

// awaitRunner waits until the function-runner listens and knows its functions.
func (s *Stack) awaitRunner(ctx context.Context, p *process.Process) error {
	if err := p.Await(ctx, "it was listening", listens(s.ports.runner)); err != nil || !s.porch.foreign {
		return err
	}
	return p.Await(ctx, "it knew its functions", func(ctx context.Context) error {
		return s.functionsKnown(ctx, functionNamespace)
	})
}

// FunctionRunner returns the address at which the stack's function-runner serves gRPC.
func (s *Stack) FunctionRunner() string { return local(s.ports.runner) }

// runnerArgs lists the functions in a file or, for a function-runner that was built elsewhere, as objects in the
// cluster. It returns the arguments for the function-runner.
func (s *Stack) runnerArgs(ctx context.Context, functions map[string]string) ([]string, error) {
	dir := filepath.Join(s.Dir, "functions")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	absolute := map[string]string{}
	for image, binary := range functions {
		binary, err := filepath.Abs(binary)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(binary); err != nil {
			return nil, fmt.Errorf("the function %s: %w", image, err)
		}
		absolute[image] = binary
	}
	args := []string{"--port=" + strconv.Itoa(s.ports.runner), "--disable-runtimes=pod", "--functions=" + dir}
	if s.porch.foreign {
		return append(args, "--kubeconfig="+s.Kubeconfig, "--pod-namespace="+functionNamespace),
			s.applyFunctions(ctx, functionNamespace, absolute)
	}
	config := filepath.Join(dir, "config.yaml")
	return append(args, "--config="+config), linkFunctions(dir, config, absolute)
}

// linkFunctions links the binaries into dir, and writes the function-runner's config.
func linkFunctions(dir, config string, functions map[string]string) error {
	type entry struct {
		Function string   `json:"function"`
		Images   []string `json:"images"`
	}
	entries := []entry{}
	for image, binary := range functions {
		name := "function-" + strconv.Itoa(len(entries))
		if err := os.Symlink(binary, filepath.Join(dir, name)); err != nil {
			return err
		}
		entries = append(entries, entry{Function: name, Images: []string{image}})
	}
	content, err := yaml.Marshal(map[string]any{"functions": entries})
	if err != nil {
		return err
	}
	return os.WriteFile(config, content, 0o600)
}
