// SPDX-License-Identifier: Apache-2.0

package process

import "syscall"

// attributes puts a process into a process group of its own, and has it killed when its parent dies in whatever way.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
