// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/postgres"
	"github.com/package-variants/package-variants/e2e/internal/process"

	"k8s.io/client-go/rest"
)

const (
	// startTimeout limits a start, on a slow and busy machine.
	startTimeout = 2 * time.Minute
	// grace is the time a component has to end by itself.
	grace = 5 * time.Second
)

// Stack is a running Kubernetes API with Porch.
type Stack struct {
	// Dir is the directory for everything that the components write; their logs are Dir/<component>.log. Dir/git-url has
	// the address of the git server, for the user's shell.
	Dir string
	// Kubeconfig is the kubeconfig of the administrator, for kubectl, porchctl and other clients.
	Kubeconfig string
	// Config is the same for Go clients.
	Config *rest.Config

	tools tools
	porch edition
	cache Cache
	// frequency is how often Porch reads its git repositories.
	frequency time.Duration
	ports     ports
	certs     *authority
	stopped   chan struct{} // closed when Stop is done

	mu         sync.Mutex
	stopping   bool
	processes  []*process.Process         // in the order of their first start
	programs   map[string]process.Program // by component
	substitute *http.Server               // of Options.PorchAPI; nil without
	database   *postgres.Server           // of the DB cache; nil without
	stop       func() error

	installing sync.Mutex // InstallVariants runs
	installed  bool
}

// Start starts a stack and returns once it serves packages. An error names the component that failed, with the end of
// its log; nothing is left running then. SIGINT and SIGTERM stop the stack before they have their usual effect. Start
// needs the environment that the Makefile sets, and a working directory in the module e2e.
func Start(ctx context.Context, options Options) (*Stack, error) {
	s, err := choose(ctx, options)
	if err != nil {
		return nil, err
	}
	s.stop = sync.OnceValue(s.stopAll)
	if s.ports, err = freePorts(); err != nil {
		return nil, err
	}
	if s.Dir, err = directory(options.Dir); err != nil {
		return nil, err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go s.stopOn(signals)
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("the stack did not start within %s",
		startTimeout))
	defer cancel()
	if err := s.start(ctx, options); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// choose returns a stack whose components are not started yet.
func choose(ctx context.Context, options Options) (*Stack, error) {
	cache, err := chosenCache(options)
	if err != nil {
		return nil, err
	}
	dir, err := chosenPorch(ctx, options)
	if err != nil {
		return nil, err
	}
	bin, err := toolsFromEnv(options, dir)
	if err != nil {
		return nil, err
	}
	porch, err := newEdition(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &Stack{tools: bin, porch: porch, cache: cache, frequency: options.frequency(cache),
		stopped:  make(chan struct{}),
		programs: map[string]process.Program{}}, nil
}

// directory returns the absolute path of an empty directory, which it creates if needed.
func directory(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "stack-")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty: a stack needs a directory of its own", dir)
	}
	return dir, err
}

// start starts the components one after the other.
func (s *Stack) start(ctx context.Context, options Options) error {
	var err error
	if s.certs, err = newAuthority(filepath.Join(s.Dir, "certs")); err != nil {
		return err
	}
	for _, step := range s.steps(options) {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// steps returns the functions that start the components, in order.
func (s *Stack) steps(options Options) []func(context.Context) error {
	steps := []func(context.Context) error{s.startEtcd,
		func(ctx context.Context) error { return s.startAPIServer(ctx, options.NoPolicies) }, s.installPorch}
	if options.PorchAPI != nil {
		steps = append(steps, func(ctx context.Context) error { return s.startSubstitute(ctx, options.PorchAPI) })
	} else {
		if s.cache == DBCache {
			steps = append(steps, s.startDatabase)
		}
		if s.porch.foreign {
			steps = append(steps, s.anyPorts)
		}
		steps = append(steps,
			func(ctx context.Context) error { return s.startRunner(ctx, options.Functions) },
			s.startGit, s.installWebhook)
		if s.porch.foreign {
			steps = append(steps, s.startPorchControllers)
		}
		steps = append(steps, s.startPorch, s.aggregate)
	}
	if options.ControllerManager {
		steps = append(steps, s.startControllers)
	}
	return steps
}

// launch starts a component, replacing one of its name that has ended, unless the stack is stopping.
func (s *Stack) launch(name string, env []string, args ...string) (*process.Process, error) {
	return s.launchProgram(process.Program{Name: name, Logs: s.Dir, Binary: s.tools.path(name), Env: env, Args: args})
}

// launchProgram is launch with all options of a program.
func (s *Stack) launchProgram(program process.Program) (*process.Process, error) {
	name := program.Name
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return nil, fmt.Errorf("%s is not started: the stack is being stopped", name)
	}
	p, err := program.Start()
	if err != nil {
		return nil, err
	}
	if i := s.index(name); i >= 0 {
		s.processes[i] = p
	} else {
		s.processes = append(s.processes, p)
	}
	s.programs[name] = program
	return p, nil
}

// index returns the index of a component in processes, or -1. The caller holds mu.
func (s *Stack) index(name string) int {
	return slices.IndexFunc(s.processes, func(p *process.Process) bool { return p.Name == name })
}

// process returns a component that has been started.
func (s *Stack) process(name string) *process.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.processes[s.index(name)]
}

// Stop ends all components and removes their directory. It can be called again.
func (s *Stack) Stop() error { return s.stop() }

// stopAll stops everything, last started first.
func (s *Stack) stopAll() error {
	s.mu.Lock()
	s.stopping = true
	processes, substitute, database := slices.Clone(s.processes), s.substitute, s.database
	s.mu.Unlock()
	if substitute != nil {
		_ = substitute.Close() // an error is about a connection, which is closed anyway
	}
	for _, p := range slices.Backward(processes) {
		_ = s.signal(p, syscall.SIGCONT) // an error means that it has ended
		p.Stop(grace)
	}
	close(s.stopped)
	if database != nil {
		return errors.Join(database.Remove(), os.RemoveAll(s.Dir))
	}
	return os.RemoveAll(s.Dir)
}

// stopOn stops the stack on a signal, and then sends the signal again for its usual effect.
func (s *Stack) stopOn(signals chan os.Signal) {
	defer signal.Stop(signals)
	select {
	case <-s.stopped:
	case sig := <-signals:
		if err := s.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		signal.Stop(signals)
		if number, ok := sig.(syscall.Signal); ok {
			_ = syscall.Kill(os.Getpid(), number)
		}
	}
}

// PIDs returns the process IDs of the running components, by name.
func (s *Stack) PIDs() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	pids := map[string]int{}
	for _, p := range s.processes {
		if p.Running() {
			pids[p.Name] = p.PID()
		}
	}
	return pids
}

// GitURL returns the address of a git repository. The git server creates it with one empty commit on the first request.
func (s *Stack) GitURL(name string) string {
	return (&url.URL{Scheme: "http", Host: local(s.ports.git), Path: name}).String()
}

// Porchctl runs porchctl with this stack and returns its output. If it fails, the error has its messages.
func (s *Stack) Porchctl(ctx context.Context, args ...string) (string, error) {
	return s.run(ctx, porchctl, args...)
}

// Kubectl runs kubectl with this stack and returns its output. If it fails, the error has its messages.
func (s *Stack) Kubectl(ctx context.Context, args ...string) (string, error) {
	return s.run(ctx, "kubectl", args...)
}

// run runs a client of the stack.
func (s *Stack) run(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.tools.path(name), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.Kubeconfig)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return string(out), err
}
