// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/process"
)

// The components that Kill ends and Restart starts again. Not every stack has the last two; see Components.
const (
	APIServer        = "kube-apiserver"
	Porch            = "porch"
	FunctionRunner   = "function-runner"
	GitServer        = "git-server"
	PorchControllers = "porch-controllers"
	Postgres         = "postgres"
)

// Components returns the components for Kill and Restart, each after those that it needs to start.
func (s *Stack) Components() []string {
	components := []string{APIServer, GitServer, FunctionRunner}
	if s.cache == DBCache {
		components = append(components, Postgres)
	}
	if s.porch.foreign {
		components = append(components, PorchControllers)
	}
	return append(components, Porch)
}

// Kill ends a component at once, as when a node fails, and returns when it has ended. Its data stays, except for the
// cache directory of Porch, which is lost with its node: Porch v1.5 does not recover a cache whose writing was
// interrupted. PorchControllers has its own node and cache directory, so each of the two can be killed alone. The
// database has its own node, too, and keeps what it has committed; see EmptyDatabase.
func (s *Stack) Kill(component string) error {
	p := s.process(component)
	if component == GitServer {
		s.pauseGit(p)
	}
	_ = s.signal(p, syscall.SIGCONT) // an error means that it has ended
	p.Kill()
	switch component {
	case Porch, PorchControllers:
		return os.RemoveAll(s.cacheDirectory(component))
	default:
		return nil
	}
}

// pauseGit stops the git server while it writes no reference. Unlike git, which replaces the file of a reference, the
// server of Porch's tests empties it first.
func (s *Stack) pauseGit(p *process.Process) {
	for p.Running() {
		_ = syscall.Kill(p.PID(), syscall.SIGSTOP) // an error means that it has just ended
		if s.gitIsWhole() {
			return
		}
		_ = syscall.Kill(p.PID(), syscall.SIGCONT)
		time.Sleep(time.Millisecond)
	}
}

// gitIsWhole reports whether no reference in the git repositories is empty.
func (s *Stack) gitIsWhole() bool {
	err := filepath.WalkDir(filepath.Join(s.Dir, "git"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(path, "/refs/") {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Size() == 0 {
			err = errTorn
		}
		return err
	})
	return err == nil
}

// errTorn says that a reference is being written.
var errTorn = errors.New("a reference is empty")

// Restart starts a component that was ended again, in the same way, and returns once it serves.
func (s *Stack) Restart(ctx context.Context, component string) error {
	if s.process(component).Running() {
		return fmt.Errorf("%s is not started: it runs", component)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout,
		fmt.Errorf("%s did not start within %s", component, startTimeout))
	defer cancel()
	s.mu.Lock()
	program := s.programs[component]
	s.mu.Unlock()
	if component == FunctionRunner {
		if err := s.forgetFunctions(ctx, functionNamespace); err != nil {
			return err
		}
	}
	p, err := s.launchProgram(program)
	if err != nil {
		return err
	}
	switch component {
	case APIServer:
		return p.Await(ctx, "it was ready", s.answers(s.Config.Host+"/readyz"))
	case GitServer:
		return p.Await(ctx, "it was listening", listens(s.ports.git))
	case FunctionRunner:
		return s.awaitRunner(ctx, p)
	case PorchControllers:
		return s.awaitPorchControllers(ctx, p)
	case Postgres:
		return p.Await(ctx, "it accepted queries", s.database.Ready)
	case Porch:
		if err := s.awaitPorch(ctx, p); err != nil {
			return err
		}
		return s.aggregate(ctx)
	default:
		return fmt.Errorf("%s cannot be started again", component)
	}
}
