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

// The components that Kill ends and Restart starts again.
const (
	APIServer      = "kube-apiserver"
	Porch          = "porch"
	FunctionRunner = runnerName
	GitServer      = "git-server"
)

// command is how a component was started.
type command struct{ env, args []string }

// Kill ends a component at once, as a node that fails does, and returns when it has ended. What it stored stays, but
// for Porch's cache, which goes with its node: Porch v1.5 does not read a cache again in which it was cut short.
func (s *Stack) Kill(component string) error {
	p := s.process(component)
	if component == GitServer {
		s.pauseGit(p)
	}
	p.Kill()
	if component == Porch {
		return os.RemoveAll(s.cache())
	}
	return nil
}

// pauseGit stops the git server at a moment at which it writes no reference. Unlike git, which replaces the file of a
// reference, that of Porch's tests empties it first.
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

// Restart starts a component that was ended, as it was started first, and returns once it serves again.
func (s *Stack) Restart(ctx context.Context, component string) error {
	if s.process(component).Running() {
		return fmt.Errorf("%s is not started: it runs", component)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout,
		fmt.Errorf("%s did not start within %s", component, startTimeout))
	defer cancel()
	s.mu.Lock()
	c := s.commands[component]
	s.mu.Unlock()
	p, err := s.launch(component, c.env, c.args...)
	if err != nil {
		return err
	}
	switch component {
	case APIServer:
		return p.Await(ctx, "it was ready", s.answers(s.Config.Host+"/readyz"))
	case GitServer:
		return p.Await(ctx, "it was listening", listens(s.ports.git))
	case FunctionRunner:
		return p.Await(ctx, "it was listening", listens(s.ports.runner))
	case Porch:
		if err := s.awaitPorch(ctx, p); err != nil {
			return err
		}
		return s.aggregate(ctx)
	default:
		return fmt.Errorf("%s cannot be started again", component)
	}
}
