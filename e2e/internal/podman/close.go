// SPDX-License-Identifier: Apache-2.0

package podman

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// grace is how long what podman does after a container's end may take.
const grace = 20 * time.Second

// Close removes all containers and images, and ends what podman has started.
func (r *Runtime) Close() error {
	var errs []error
	if _, err := os.Stat(filepath.Join(r.dir, "graph")); err == nil {
		_, err := r.Podman(nil, "rm", "--all", "--force", "--time", "0")
		errs = append(errs, err, r.await())
	}
	if os.Geteuid() != 0 {
		errs = append(errs, r.leaveNamespace())
	}
	return errors.Join(append(errs, os.RemoveAll(r.dir))...)
}

// await returns once no process works on the directory any more: podman goes on to clean up a container after it has
// told its caller of the end. What does not come to an end is killed.
func (r *Runtime) await() error {
	for end := time.Now().Add(grace); ; time.Sleep(20 * time.Millisecond) {
		pids, err := r.processes()
		if err != nil || len(pids) == 0 {
			return err
		}
		if time.Now().After(end) {
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGKILL) // an error means that it has just ended
			}
			return fmt.Errorf("killed what podman left running in %s: processes %v", r.dir, pids)
		}
	}
}

// processes returns the processes that have the directory among their arguments, as all those do that podman leaves to
// watch a container or to clean up after it.
func (r *Runtime) processes() ([]int, error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, file := range files {
		cmdline, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(cmdline), r.dir+"/") {
			continue // an error means that it has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

// leaveNamespace removes what belongs to other users of the user namespace that podman works in when it is not run by
// root, and ends the process that podman leaves to keep that namespace, if it is this Runtime's.
func (r *Runtime) leaveNamespace() error {
	var errs []error
	if _, err := os.Stat(filepath.Join(r.dir, "graph")); err == nil {
		_, err := r.Podman(nil, "unshare", "rm", "-rf", filepath.Join(r.dir, "graph"),
			filepath.Join(r.dir, "run", "containers"))
		errs = append(errs, err)
	}
	if content, err := os.ReadFile(filepath.Join(r.dir, "run", "libpod", "tmp", "pause.pid")); err == nil {
		pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
		if err == nil {
			err = syscall.Kill(pid, syscall.SIGKILL)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
