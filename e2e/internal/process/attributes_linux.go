// SPDX-License-Identifier: Apache-2.0

package process

import "syscall"

// attributes puts a process into a process group of its own, and has it get a signal when its parent dies in whatever
// way.
func attributes(death syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death}
}
