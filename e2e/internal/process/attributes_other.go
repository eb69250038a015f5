// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package process

import "syscall"

// attributes puts a process into its own process group.
func attributes(syscall.Signal) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
