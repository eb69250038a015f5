// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// grace is how long a component may take to end by itself.
	grace = 5 * time.Second
	// tailLines is how much of a log an error shows.
	tailLines = 20
)

// process is a component that runs, in a process group of its own.
type process struct {
	name string
	log  string // the file of what it prints
	cmd  *exec.Cmd
	done chan struct{} // closed once it has ended
	err  error         // how it ended; read it after done
}

// launches are run one after the other by one thread that never ends: Linux takes the end of the thread that started a
// process, not of its process, for the parent's death.
var launches = sync.OnceValue(func() chan<- func() {
	ch := make(chan func())
	go func() {
		runtime.LockOSThread()
		for launch := range ch {
			launch()
		}
	}()
	return ch
})

// start starts a component whose output goes to a log in dir. The environment is this process's, and env.
func start(dir, name, binary string, env []string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the component has its own descriptor
	p.cmd = exec.Command(binary, args...)
	p.cmd.Dir, p.cmd.Env = dir, append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = attributes()
	started := make(chan error)
	launches() <- func() { started <- p.cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// await returns once ready returns no error. It fails, with the end of the component's log, if the component ends
// before, or ctx does.
func (p *process) await(ctx context.Context, what string, ready func(context.Context) error) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := ready(attempt)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s ended before %s: %w%s", p.name, what, exitError(p.err), p.tail())
		case <-ctx.Done():
			return fmt.Errorf("%s: gave up waiting until %s: %w; last answer: %w%s", p.name, what, context.Cause(ctx), err, p.tail())
		case <-ticker.C:
		}
	}
}

// exitError names the end of a component that should not have ended.
func exitError(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

// tail returns the last lines of the log, as the end of an error message.
func (p *process) tail() string {
	content, err := os.ReadFile(p.log)
	if err != nil {
		return fmt.Sprintf("; its log cannot be read: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if len(lines) > tailLines {
		lines = lines[len(lines)-tailLines:]
	}
	return "\nthe end of its log:\n  " + strings.Join(lines, "\n  ")
}

// stop ends the component and what it started. It returns once the component has ended.
func (p *process) stop() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM) // an error means that it has ended
	select {
	case <-p.done:
	case <-time.After(grace):
	}
	// Whatever is left of the group goes too, whether its leader has ended or not.
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
}
