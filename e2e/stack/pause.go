// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/package-variants/package-variants/e2e/internal/process"
)

// Pause stops a component's processes: it answers nothing and keeps its connections, like a slow component. Resume
// continues it; Kill and Stop work on it too. If the stack's process is killed while PostgreSQL is paused, its
// processes stay behind.
func (s *Stack) Pause(component string) error {
	return s.signal(s.process(component), syscall.SIGSTOP)
}

// Resume continues a component that Pause stopped.
func (s *Stack) Resume(component string) error {
	return s.signal(s.process(component), syscall.SIGCONT)
}

// signal sends a signal to a component's process group, and to the processes that PostgreSQL has started, each of which
// has its own group.
func (s *Stack) signal(p *process.Process, signal syscall.Signal) error {
	errs := []error{syscall.Kill(-p.PID(), signal)}
	if p.Name == Postgres {
		pids, err := children(p.PID())
		errs = append(errs, err)
		for _, pid := range pids {
			if err := syscall.Kill(pid, signal); !errors.Is(err, syscall.ESRCH) { // otherwise it has ended
				errs = append(errs, err)
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("cannot send %s to %s: %w", signal, p.Name, err)
	}
	return nil
}

// children returns the running child processes of a process.
func children(parent int) ([]int, error) {
	if runtime.GOOS != "linux" {
		return nil, errors.New("the processes of PostgreSQL are found on Linux only")
	}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// The name, in parentheses, may have spaces; the state and the parent's ID come after it.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	return pids, nil
}
