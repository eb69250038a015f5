// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/package-variants/package-variants/e2e/internal/process"
)

// staleTimeout is when porch-controllers reads a Repository again after an interrupted read. The default is 20 minutes,
// longer than tests wait after they kill it.
const staleTimeout = "20s"

// silence turns off the metrics and traces of a Porch that was built elsewhere.
var silence = []string{"OTEL_METRICS_EXPORTER=none", "OTEL_TRACES_EXPORTER=none", "OTEL_LOGS_EXPORTER=none"}

// edition is a Porch that a stack can run.
type edition struct {
	source  string // the directory of its sources
	version string
	foreign bool // not the pinned one
}

// newEdition returns the Porch in a directory, or the pinned one if dir is empty.
func newEdition(ctx context.Context, dir string) (edition, error) {
	if dir != "" {
		return edition{source: filepath.Join(dir, "source"), version: dir, foreign: true}, nil
	}
	m, err := sources(ctx, porchModule)
	return edition{source: m.Dir, version: m.Version}, err
}

// Cache returns where the stack's Porch keeps packages.
func (s *Stack) Cache() Cache { return s.cache }

// Foreign reports whether the stack's Porch was built elsewhere; see Options.Porch.
func (s *Stack) Foreign() bool { return s.porch.foreign }

// Version names the stack's Porch: the version of the pinned one, the directory of another.
func (s *Stack) Version() string { return s.porch.version }

// fixedPorts are the ports for metrics and probes that are fixed in the programs of a Porch that was built elsewhere,
// as they appear in the binaries. The replacement has the same length and stands for any free port.
var fixedPorts = []string{":8080", ":8081"}

const anyPort = ":0000"

// anyPorts makes the programs of a Porch that was built elsewhere listen on no fixed port. In a cluster each has its
// own address; here the second program, and a second stack, would not start. It runs copies of the binaries with other
// ports.
func (s *Stack) anyPorts(context.Context) error {
	dir := filepath.Join(s.Dir, "bin")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for _, name := range builtElsewhere {
		if name == porchctl {
			continue // it does not listen on it
		}
		content, err := os.ReadFile(s.tools.path(name))
		if err != nil {
			return fmt.Errorf("cannot copy %s: %w", name, err)
		}
		for _, port := range fixedPorts {
			content = bytes.ReplaceAll(content, []byte(port), []byte(anyPort))
		}
		moved := filepath.Join(dir, name)
		if err := os.WriteFile(moved, content, 0o700); err != nil {
			return fmt.Errorf("cannot copy %s: %w", name, err)
		}
		s.tools.moved[name] = moved
	}
	return nil
}

// startPorchControllers starts porch-controllers, which reads the Repositories in a Porch that was built elsewhere.
func (s *Stack) startPorchControllers(ctx context.Context) error {
	p, err := s.launch(PorchControllers, s.porchEnv(), "--reconcilers=repositories",
		"--repositories.cache-type="+string(s.cache),
		"--repositories.cache-directory="+s.cacheDirectory(PorchControllers),
		"--repositories.full-sync-frequency="+s.frequency.String(),
		"--repositories.health-check-frequency="+s.frequency.String(),
		"--repositories.sync-stale-timeout="+staleTimeout,
		"--repositories.create-v1alpha2-rpkg") // for Repositories that opt in, where their CRD is installed
	if err != nil {
		return err
	}
	return s.awaitPorchControllers(ctx, p)
}

// awaitPorchControllers waits until porch-controllers reads the Repositories, according to its log.
func (s *Stack) awaitPorchControllers(ctx context.Context, p *process.Process) error {
	return p.Await(ctx, "it started its workers", func(context.Context) error {
		printed, err := p.Printed()
		if err == nil && !bytes.Contains(printed, []byte("Starting workers")) {
			err = errors.New("its log does not say that it has")
		}
		return err
	})
}
