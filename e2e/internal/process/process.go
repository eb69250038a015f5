// SPDX-License-Identifier: Apache-2.0

// Package process runs the programs that tests need beside them, on free ports of this machine. None outlives the test
// process: on Linux not even when that is killed.
package process

import (
	"cmp"
	"errors"
	"fmt"
	"io"
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
	quit    syscall.Signal // asks it to end
	began   int64          // the length of the log at its start
	done    chan struct{}  // closed once it has ended
	err     error          // how it ended; read it after done
	cleared sync.Once      // its group is killed once: later, the ID may be another's
}

// quitTime is how long Kill waits for a program that ends by itself on Program.Quit.
const quitTime = 10 * time.Second

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

// Program is what Start is told.
type Program struct {
	// Name is what errors call the program, and its log: Name.log, in the directory Logs. What it prints goes to the end
	// of that file.
	Name, Logs string
	// Binary and Args are what is run. Env comes after the environment of this process.
	Binary    string
	Args, Env []string
	// Dir is the working directory. The default is Logs.
	Dir string
	// User is the user that runs the program. The default is the user of this process.
	User *syscall.Credential
	// Quit is the signal that ends the program and what it has started, wherever that is. A program with Quit gets it
	// from Stop, from Kill, and when this process dies. The default is SIGTERM for Stop and SIGKILL otherwise.
	Quit syscall.Signal
}

// Start starts a program in dir. Its output goes to the end of dir/name.log, its environment is this process's, and
// env.
func Start(dir, name, binary string, env []string, args ...string) (*Process, error) {
	return Program{Name: name, Logs: dir, Binary: binary, Env: env, Args: args}.Start()
}

// Start starts the program.
func (r Program) Start() (*Process, error) {
	p := &Process{Name: r.Name, Log: filepath.Join(r.Logs, r.Name+".log"), quit: r.Quit, done: make(chan struct{})}
	log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: its log: %w", r.Name, err)
	}
	defer func() { _ = log.Close() }() // the program has its own descriptor
	if p.began, err = log.Seek(0, io.SeekEnd); err != nil {
		return nil, fmt.Errorf("cannot start %s: its log: %w", r.Name, err)
	}
	p.cmd = exec.Command(r.Binary, r.Args...)
	p.cmd.Dir, p.cmd.Env = cmp.Or(r.Dir, r.Logs), append(os.Environ(), r.Env...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = attributes(cmp.Or(r.Quit, syscall.SIGKILL))
	p.cmd.SysProcAttr.Credential = r.User
	started := make(chan error)
	launches() <- func() { started <- p.cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", r.Name, err)
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

// Printed returns what the program has printed since its start: the end of its log.
func (p *Process) Printed() ([]byte, error) {
	content, err := os.ReadFile(p.Log)
	if err != nil {
		return nil, fmt.Errorf("the log of %s: %w", p.Name, err)
	}
	return content[p.began:], nil
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
	p.ask(cmp.Or(p.quit, syscall.SIGTERM), grace)
	p.kill()
	return p.cmd.ProcessState.ExitCode()
}

// ask sends a signal to the program and what it started, and waits for the program's end, but not longer than the
// grace.
func (p *Process) ask(signal syscall.Signal, grace time.Duration) {
	if !p.Running() {
		return
	}
	_ = syscall.Kill(-p.PID(), signal) // an error means that it has just ended
	select {
	case <-p.done:
	case <-time.After(grace):
	}
}

// Kill kills the program and what it started. It returns once the program has ended.
func (p *Process) Kill() {
	if p.quit != 0 {
		p.ask(p.quit, quitTime)
	}
	p.kill()
}

// kill does what Kill says, for what is in the program's process group.
func (p *Process) kill() {
	// Whatever is left of the group goes too, whether its leader has ended or not.
	p.cleared.Do(func() { _ = syscall.Kill(-p.PID(), syscall.SIGKILL) })
	<-p.done
}
