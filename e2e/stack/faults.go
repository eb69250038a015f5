// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"fmt"
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

// Kill ends a component at once, as a node that fails does, and returns when it has ended. What it stored stays.
func (s *Stack) Kill(component string) { s.process(component).Kill() }

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
