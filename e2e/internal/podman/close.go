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

// grace is the time podman has to finish after a container has ended.
const grace = 20 * time.Second

// Close removes all containers and images, and ends podman's processes.
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

// await waits until no process uses the directory any more: podman cleans up a container after it has reported the end
// to its caller. Processes that do not end are killed.
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

// processes returns the processes that have the directory among their arguments. All processes that podman leaves to
// monitor or clean up a container do.
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

// leaveNamespace removes what belongs to other users of podman's user namespace when podman does not run as root, and
// ends the process that podman leaves to keep the namespace, if it is this Runtime's.
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
