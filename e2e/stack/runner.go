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

const runnerName = "function-runner"

// startRunner starts Porch's function-runner, which runs a binary in place of an image. It listens on all addresses:
// it cannot be told otherwise.
func (s *Stack) startRunner(ctx context.Context, functions map[string]string) error {
	args, err := runnerArgs(filepath.Join(s.Dir, "functions"), s.ports.runner, functions)
	if err != nil {
		return err
	}
	p, err := s.launch(runnerName, nil, args...)
	if err != nil {
		return err
	}
	return p.Await(ctx, "it was listening", listens(s.ports.runner))
}

// FunctionRunner returns the address at which the stack's function-runner serves gRPC.
func (s *Stack) FunctionRunner() string { return local(s.ports.runner) }

// Runner is a function-runner beside the stack's own, which Porch does not know, for a test that has it fail.
type Runner struct {
	// Address is where it serves gRPC when it runs, the same after each start.
	Address string

	dir, binary string
	args        []string
	port        int
	process     *process.Process
}

// NewRunner returns a function-runner that runs the functions; see Options.Functions. All that it writes is in dir. It
// does not run yet, and stops with this process at the latest.
func (s *Stack) NewRunner(dir string, functions map[string]string) (*Runner, error) {
	r := &Runner{dir: dir, binary: s.tools.path(runnerName)}
	if err := process.FreePorts(&r.port); err != nil {
		return nil, err
	}
	r.Address = local(r.port)
	var err error
	r.args, err = runnerArgs(filepath.Join(dir, "functions"), r.port, functions)
	return r, err
}

// Start starts the function-runner, which must not run, and returns when it listens.
func (r *Runner) Start(ctx context.Context) error {
	p, err := process.Start(r.dir, runnerName, r.binary, nil, r.args...)
	if err != nil {
		return err
	}
	r.process = p
	return p.Await(ctx, "it was listening", listens(r.port))
}

// Stop kills the function-runner, as a node that fails does, and what it runs.
func (r *Runner) Stop() {
	if r.process != nil {
		r.process.Kill()
	}
}

// runnerArgs writes the function-runner's config, into the directory that the binaries are linked into, and returns the
// arguments to start it with.
func runnerArgs(dir string, port int, functions map[string]string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	type entry struct {
		Function string   `json:"function"`
		Images   []string `json:"images"`
	}
	entries := []entry{}
	for image, binary := range functions {
		binary, err := filepath.Abs(binary)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(binary); err != nil {
			return nil, fmt.Errorf("the function %s: %w", image, err)
		}
		name := "function-" + strconv.Itoa(len(entries))
		if err := os.Symlink(binary, filepath.Join(dir, name)); err != nil {
			return nil, err
		}
		entries = append(entries, entry{Function: name, Images: []string{image}})
	}
	content, err := yaml.Marshal(map[string]any{"functions": entries})
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "config.yaml")
	return []string{"--port=" + strconv.Itoa(port), "--disable-runtimes=pod", "--functions=" + dir, "--config=" + config},
		os.WriteFile(config, content, 0o600)
}
