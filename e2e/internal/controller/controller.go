// SPDX-License-Identifier: Apache-2.0

// Package controller runs the sync-controller as a process, as it runs in a cluster.
package controller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/internal/metrics"
	"github.com/package-variants/package-variants/e2e/internal/process"
)

const (
	// grace is the time the controller has to end by itself; a manager gives its workers half a minute.
	grace = 40 * time.Second
	// tailLines is how many lines of the log a failed test shows.
	tailLines = 200
)

// Options say how to start the controller.
type Options struct {
	// Kubeconfig is the controller's kubeconfig file.
	Kubeconfig string
	// Namespaces are the namespaces that the controller watches, one flag for each; without any, it watches all.
	Namespaces []string
	// Args are further arguments.
	Args []string
	// Env are additional environment variables, as NAME=value.
	Env []string
	// Dir is the directory for the controller and its log, created if needed. A controller in the directory of an earlier
	// one appends to its log. The default is a new directory.
	Dir string
}

// Process is a controller that is running or has run.
type Process struct {
	t       harness.T
	process *process.Process
	address string
	metrics string
	health  string
}

// Start starts the controller in the environment variable SYNC_CONTROLLER, which the Makefile sets.
// The controller is killed when the test ends; if the test failed, the end of the log is printed. A failure here or in
// the methods ends the test.
func Start(t harness.T, options Options) *Process {
	t.Helper()
	binary := os.Getenv("SYNC_CONTROLLER")
	if binary == "" {
		t.Fatal("the environment variable SYNC_CONTROLLER must name the binary of the controller: " +
			"run this by make, which builds it and sets it")
	}
	dir := options.Dir
	if dir == "" {
		dir = t.TempDir()
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatalf("cannot make the directory of the controller: %v", err)
	}
	var metricsPort, healthPort int
	if err := process.FreePorts(&metricsPort, &healthPort); err != nil {
		t.Fatal(err)
	}
	args := []string{"--kubeconfig=" + options.Kubeconfig}
	for _, namespace := range options.Namespaces {
		args = append(args, "--namespace="+namespace)
	}
	// Metrics are served in plain HTTP: other tests cover access to them.
	args = append(args, "--metrics-secure=false", "--metrics-bind-address="+process.Local(metricsPort),
		"--health-probe-bind-address="+process.Local(healthPort))
	running, err := process.Start(dir, "sync-controller", binary, options.Env, append(args, options.Args...)...)
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{
		t: t, process: running,
		address: process.Local(metricsPort),
		metrics: "http://" + process.Local(metricsPort) + "/metrics",
		health:  "http://" + process.Local(healthPort) + "/readyz",
	}
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("sync-controller (process %d)%s", p.PID(), running.Tail(tailLines))
		}
	})
	return p
}

// PID returns the process ID.
func (p *Process) PID() int { return p.process.PID() }

// Ended returns a channel that is closed when the controller has ended for any reason.
func (p *Process) Ended() <-chan struct{} { return p.process.Done() }

// Ready checks once whether the controller is ready, and returns nil if it is.
func (p *Process) Ready(ctx context.Context) error {
	return process.Answers(ctx, http.DefaultClient, p.health)
}

// WaitReady waits until the controller is ready. The test fails if the controller or ctx ends first.
func (p *Process) WaitReady(ctx context.Context) {
	p.t.Helper()
	if err := p.process.Await(ctx, "it was ready", p.Ready); err != nil {
		p.t.Fatal(err)
	}
}

// Kill ends the controller at once, as when a node fails, and waits for its end. Unlike the other methods it may be
// called in any goroutine, such as in a proxy's hook.
func (p *Process) Kill() { p.process.Kill() }

// Stop asks the controller to end, as Kubernetes does, and returns its exit code, -1 if a signal ended it. If that
// takes longer than grace, the test fails and the controller is killed.
func (p *Process) Stop() int {
	p.t.Helper()
	began := time.Now()
	code := p.process.Stop(grace)
	if took := time.Since(began); took >= grace {
		p.t.Errorf("the controller did not end within %s of being asked to", grace)
	}
	return code
}

// Log returns the controller's output.
func (p *Process) Log() string {
	p.t.Helper()
	content, err := os.ReadFile(p.process.Log)
	if err != nil {
		p.t.Fatalf("cannot read the controller's log: %v", err)
	}
	return string(content)
}

// MetricsAddress returns the host and port of the metrics, which are plain HTTP unless the arguments say otherwise.
func (p *Process) MetricsAddress() string { return p.address }

// Metrics returns the controller's metrics. A controller may be ready a moment before it serves them.
func (p *Process) Metrics() (metrics.Families, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	families, err := metrics.Get(ctx, http.DefaultClient, p.metrics)
	for errors.Is(err, syscall.ECONNREFUSED) && p.process.Running() && ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond)
		families, err = metrics.Get(ctx, http.DefaultClient, p.metrics)
	}
	if err != nil {
		return nil, fmt.Errorf("sync-controller: %w", err)
	}
	return families, nil
}

// Metric returns the sum of a metric's series that have the labels; see metrics.Families.Sum.
func (p *Process) Metric(name string, labels map[string]string) float64 {
	p.t.Helper()
	families, err := p.Metrics()
	if err != nil {
		p.t.Fatal(err)
	}
	return families.Sum(name, labels)
}
