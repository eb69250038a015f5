// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/process"
	"github.com/package-variants/package-variants/e2e/stack"
)

// grace is how long the controller may take to end by itself.
const grace = 5 * time.Second

// cluster is what runs beside the demo.
type cluster struct {
	stack      *stack.Stack
	controller *process.Process
	logs       string
}

// startCluster starts what the set-up of the example has its reader start: a Kubernetes API, Porch, a git server, and
// the controller. If it fails, nothing is left running.
func startCluster(ctx context.Context, p *page, w *workplace) (*cluster, error) {
	if err := os.MkdirAll(w.logs, 0o700); err != nil {
		return nil, err
	}
	p.heading("Starting up")
	p.prose("A Kubernetes API, Porch, its function-runner, a git server and sync-controller start as processes "+
		"of this machine. There are no containers; what the commands below talk to is real nevertheless.", "")
	running, err := stack.Start(ctx, stack.Options{Dir: filepath.Join(w.clone, "bin", "stack")})
	if err != nil {
		return nil, fmt.Errorf("cannot start the cluster: %w", err)
	}
	c := &cluster{stack: running, logs: w.logs}
	if err := c.startController(ctx); err != nil {
		return nil, errors.Join(err, c.stop(true))
	}
	return c, nil
}

// startController starts the controller, and returns once it is ready.
func (c *cluster) startController(ctx context.Context) error {
	if err := c.stack.InstallVariants(ctx); err != nil {
		return err
	}
	var health int
	if err := process.FreePorts(&health); err != nil {
		return err
	}
	var err error
	c.controller, err = process.Start(c.logs, "sync-controller", os.Getenv("SYNC_CONTROLLER"), nil,
		"--kubeconfig="+c.stack.Kubeconfig,
		"--metrics-bind-address=0", "--health-probe-bind-address="+process.Local(health), "--log-format=text")
	if err != nil {
		return err
	}
	return c.controller.Await(ctx, "it was ready", func(ctx context.Context) error {
		return process.Answers(ctx, http.DefaultClient, "http://"+process.Local(health)+"/readyz")
	})
}

// watch cancels the run if the controller ends before ctx does.
func (c *cluster) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	select {
	case <-ctx.Done():
	case <-c.controller.Done():
		cancel(fmt.Errorf("sync-controller ended%s", c.controller.Tail(10)))
	}
}

// stop ends all that was started. Before that it copies all logs into one directory, if one is given; otherwise they
// are lost.
func (c *cluster) stop(keepLogs bool) error {
	if c.controller != nil {
		c.controller.Stop(grace)
	}
	var err error
	if keepLogs {
		err = collect(c.stack.Dir, c.logs)
	} else {
		err = os.RemoveAll(c.logs)
	}
	return errors.Join(err, c.stack.Stop())
}

// collect copies the logs that are in one directory to another.
func collect(from, to string) error {
	files, err := filepath.Glob(filepath.Join(from, "*.log"))
	if err != nil {
		return err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
