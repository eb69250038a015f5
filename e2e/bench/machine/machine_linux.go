// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/prometheus/procfs"
)

// Describe returns what this machine is. It fails if the system does not say so in /proc.
func Describe() (report.Machine, error) { return describe(procfs.DefaultMountPoint) }

// Use returns what a process has used so far. It fails if there is no such process.
func Use(pid int) (Usage, error) { return use(procfs.DefaultMountPoint, pid) }

// describe is Describe for a /proc that is mounted elsewhere.
func describe(proc string) (report.Machine, error) {
	fs, err := procfs.NewFS(proc)
	if err != nil {
		return report.Machine{}, fmt.Errorf("cannot describe the machine: %w", err)
	}
	cpus, err := fs.CPUInfo()
	if err != nil {
		return report.Machine{}, fmt.Errorf("cannot describe the processor: %w", err)
	}
	memory, err := fs.Meminfo()
	if err != nil {
		return report.Machine{}, fmt.Errorf("cannot describe the memory: %w", err)
	}
	if len(cpus) == 0 || memory.MemTotalBytes == nil {
		return report.Machine{}, fmt.Errorf("%s names no processor or no memory", proc)
	}
	release, err := os.ReadFile(filepath.Join(proc, "sys", "kernel", "osrelease"))
	if err != nil {
		return report.Machine{}, fmt.Errorf("cannot describe the system: %w", err)
	}
	return report.Machine{
		CPU: cpus[0].ModelName, Cores: runtime.NumCPU(), MemoryBytes: int64(*memory.MemTotalBytes),
		System: "Linux " + strings.TrimSpace(string(release)),
	}, nil
}

// use is Use for a /proc that is mounted elsewhere.
func use(proc string, pid int) (Usage, error) {
	fs, err := procfs.NewFS(proc)
	if err != nil {
		return Usage{}, fmt.Errorf("cannot read what process %d uses: %w", pid, err)
	}
	process, err := fs.Proc(pid)
	if err != nil {
		return Usage{}, fmt.Errorf("cannot read what process %d uses: %w", pid, err)
	}
	stat, err := process.Stat()
	if err != nil {
		return Usage{}, fmt.Errorf("cannot read the times of process %d: %w", pid, err)
	}
	status, err := process.NewStatus()
	if err != nil {
		return Usage{}, fmt.Errorf("cannot read the memory of process %d: %w", pid, err)
	}
	return Usage{CPU: time.Duration(stat.CPUTime() * float64(time.Second)), PeakBytes: int64(status.VmHWM)}, nil
}
