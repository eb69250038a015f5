// SPDX-License-Identifier: Apache-2.0

// Package process runs the programs that tests need beside them, on free ports of this machine. None outlives the test
// process: on Linux not even when that is killed.
package process

import (
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

// Process is a program that runs, or has run, in a process group of its own.
type Process struct {
	// Name is what errors call the program.
	Name string
	// Log is the file of what it prints.
	Log string

	cmd     *exec.Cmd
	done    chan struct{} // closed once it has ended
	err     error         // how it ended; read it after done
	cleared sync.Once     // its group is killed once: later, the ID may be another's
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

// Start starts a program in dir. Its output goes to the end of dir/name.log, its environment is this process's, and
// env.
func Start(dir, name, binary string, env []string, args ...string) (*Process, error) {
	p := &Process{Name: name, Log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: its log: %w", name, err)
	}
	defer func() { _ = log.Close() }() // the program has its own descriptor
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

// PID returns the program's process ID.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done returns a channel that is closed once the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Running tells whether the program has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// ended names the end of a program that should not have ended. It may be called after done.
func (p *Process) ended() error {
	if p.err == nil {
		return errors.New("exit status 0")
	}
	return p.err
}

// Tail returns the last lines of the log, as the end of an error message.
func (p *Process) Tail(lines int) string {
	content, err := os.ReadFile(p.Log)
	if err != nil {
		return fmt.Sprintf("; its log cannot be read: %v", err)
	}
	all := strings.Split(strings.TrimSpace(string(content)), "\n")
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return "\nthe end of its log:\n  " + strings.Join(all, "\n  ")
}

// Stop asks the program, and what it started, to end, and kills what has not ended after the grace. It returns the
// program's exit code, -1 if a signal ended it, once the program has ended.
func (p *Process) Stop(grace time.Duration) int {
	if p.Running() {
		_ = syscall.Kill(-p.PID(), syscall.SIGTERM) // an error means that it has just ended
		select {
		case <-p.done:
		case <-time.After(grace):
		}
	}
	p.Kill()
	return p.cmd.ProcessState.ExitCode()
}

// Kill kills the program and what it started. It returns once the program has ended.
func (p *Process) Kill() {
	// Whatever is left of the group goes too, whether its leader has ended or not.
	p.cleared.Do(func() { _ = syscall.Kill(-p.PID(), syscall.SIGKILL) })
	<-p.done
}
