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
	args, err := s.runnerArgs(ctx, filepath.Join(s.Dir, "functions"), s.ports.runner, functionNamespace, functions)
	if err != nil {
		return err
	}
	p, err := s.launch(FunctionRunner, nil, args...)
	if err != nil {
		return err
	}
	return s.awaitRunner(ctx, p, s.ports.runner, functionNamespace)
}

// awaitRunner waits until a function-runner listens and knows its functions.
func (s *Stack) awaitRunner(ctx context.Context, p *process.Process, port int, namespace string) error {
	if err := p.Await(ctx, "it was listening", listens(port)); err != nil || !s.porch.foreign {
		return err
	}
	return p.Await(ctx, "it knew its functions", func(ctx context.Context) error {
		return s.functionsKnown(ctx, namespace)
	})
}

// FunctionRunner returns the address at which the stack's function-runner serves gRPC.
func (s *Stack) FunctionRunner() string { return local(s.ports.runner) }

// Runner is an additional function-runner that Porch does not use, for a test that makes it fail.
type Runner struct {
	// Address is its gRPC address while it runs, the same after each start.
	Address string

	stack     *Stack
	dir       string
	namespace string // of its FunctionConfigs, if it uses those
	functions map[string]string
	port      int
	process   *process.Process
}

// NewRunner returns a function-runner that runs the functions; see Options.Functions. It writes only to dir. It is not
// started, and stops with this process at the latest.
func (s *Stack) NewRunner(dir string, functions map[string]string) (*Runner, error) {
	r := &Runner{stack: s, dir: dir, functions: functions}
	if err := process.FreePorts(&r.port); err != nil {
		return nil, err
	}
	r.Address = local(r.port)
	r.namespace = functionNamespace + "-" + strconv.Itoa(r.port)
	return r, nil
}

// Start starts the function-runner, which must not be running, and returns when it listens and knows its functions.
func (r *Runner) Start(ctx context.Context) error {
	dir := filepath.Join(r.dir, "functions")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	args, err := r.stack.runnerArgs(ctx, dir, r.port, r.namespace, r.functions)
	if err != nil {
		return err
	}
	p, err := process.Start(r.dir, FunctionRunner, r.stack.tools.path(FunctionRunner), nil, args...)
	if err != nil {
		return err
	}
	r.process = p
	return r.stack.awaitRunner(ctx, p, r.port, r.namespace)
}

// Stop kills the function-runner and its child processes, as when a node fails.
func (r *Runner) Stop() {
	if r.process != nil {
		r.process.Kill()
	}
}

// runnerArgs lists the functions in a file in dir or, for a function-runner that was built elsewhere, as objects in the
// namespace. It returns the arguments for the function-runner.
func (s *Stack) runnerArgs(ctx context.Context, dir string, port int, namespace string,
	functions map[string]string) ([]string, error) {
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
	args := []string{"--port=" + strconv.Itoa(port), "--disable-runtimes=pod", "--functions=" + dir}
	if s.porch.foreign {
		return append(args, "--kubeconfig="+s.Kubeconfig, "--pod-namespace="+namespace),
			s.applyFunctions(ctx, namespace, absolute)
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
