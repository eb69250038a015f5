// SPDX-License-Identifier: Apache-2.0

package process

import "syscall"

// attributes puts a process into its own process group, and sends it a signal when its parent dies in any way.
func attributes(death syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death}
}
