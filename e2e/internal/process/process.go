// SPDX-License-Identifier: Apache-2.0

// Package process runs the programs that tests need, on free ports of this machine. They end with the test process: on
// Linux even when that is killed.
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

// Process is a program in its own process group, running or ended.
type Process struct {
	// Name is the name of the program in errors.
	Name string
	// Log is the file with its output.
	Log string

	cmd     *exec.Cmd
	quit    syscall.Signal // asks it to end
	began   int64          // the length of the log at its start
	done    chan struct{}  // closed once it has ended
	err     error          // how it ended; read it after done
	cleared sync.Once      // its group is killed once: later, the ID may be reused
}

// quitTime is how long Kill waits for a program to end on Program.Quit.
const quitTime = 10 * time.Second

// launches are run one after the other by one thread that never ends: on Linux, the end of the thread that started a
// process, not of its process, counts as the parent's death.
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

// Program says what to start.
type Program struct {
	// Name is the name of the program in errors, and of its log, Name.log in the directory Logs. The output is appended to
	// that file.
	Name, Logs string
	// Binary and Args are the command. Env is added to the environment of this process.
	Binary    string
	Args, Env []string
	// Dir is the working directory. The default is Logs.
	Dir string
	// User is the user that runs the program. The default is the user of this process.
	User *syscall.Credential
	// Quit is the signal that ends the program and its child processes, in any process group. A program with Quit gets it
	// from Stop, from Kill, and when this process dies. The default is SIGTERM for Stop and SIGKILL otherwise.
	Quit syscall.Signal
}

// Start starts a program in dir. It appends the output to dir/name.log, and adds env to this process's environment.
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
	defer func() { _ = log.Close() }() // the program has its own copy
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

// Done returns a channel that is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Running reports whether the program is still running.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// ended returns an error for a program that should not have ended. Call it only after done is closed.
func (p *Process) ended() error {
	if p.err == nil {
		return errors.New("exit status 0")
	}
	return p.err
}

// Printed returns the program's output since its start: the end of its log.
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

// Stop asks the program and its child processes to end, and kills those still running after the grace. Once the program
// has ended, it returns the exit code, -1 if a signal ended it.
func (p *Process) Stop(grace time.Duration) int {
	p.ask(cmp.Or(p.quit, syscall.SIGTERM), grace)
	p.kill()
	return p.cmd.ProcessState.ExitCode()
}

// ask sends a signal to the program and its child processes, and waits at most the grace for the program's end.
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

// Kill kills the program and its child processes, and returns once the program has ended.
func (p *Process) Kill() {
	if p.quit != 0 {
		p.ask(p.quit, quitTime)
	}
	p.kill()
}

// kill is Kill for the program's process group.
func (p *Process) kill() {
	// The rest of the group is killed too, whether or not its leader has ended.
	p.cleared.Do(func() { _ = syscall.Kill(-p.PID(), syscall.SIGKILL) })
	<-p.done
}
