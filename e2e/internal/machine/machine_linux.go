// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// Describe describes this machine. It fails if /proc lacks the information.
func Describe() (Machine, error) { return describe(procfs.DefaultMountPoint) }

// Use returns what a process has used so far. It fails if there is no such process.
func Use(pid int) (Usage, error) { return use(procfs.DefaultMountPoint, pid) }

// describe is Describe for a /proc that is mounted elsewhere.
func describe(proc string) (Machine, error) {
	fs, err := procfs.NewFS(proc)
	if err != nil {
		return Machine{}, fmt.Errorf("cannot describe the machine: %w", err)
	}
	cpus, err := fs.CPUInfo()
	if err != nil {
		return Machine{}, fmt.Errorf("cannot describe the processor: %w", err)
	}
	memory, err := fs.Meminfo()
	if err != nil {
		return Machine{}, fmt.Errorf("cannot describe the memory: %w", err)
	}
	if len(cpus) == 0 || memory.MemTotalBytes == nil {
		return Machine{}, fmt.Errorf("%s names no processor or no memory", proc)
	}
	release, err := os.ReadFile(filepath.Join(proc, "sys", "kernel", "osrelease"))
	if err != nil {
		return Machine{}, fmt.Errorf("cannot describe the system: %w", err)
	}
	return Machine{
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

// Busy returns the processor time that this machine has spent since it was started, except that of a process and its
// descendants. The time of descendants that have ended is excluded only if they were waited for.
func Busy(but int) (time.Duration, error) { return busy(procfs.DefaultMountPoint, but) }

// busy is Busy for a /proc that is mounted elsewhere.
func busy(proc string, but int) (time.Duration, error) {
	fs, err := procfs.NewFS(proc)
	if err != nil {
		return 0, fmt.Errorf("cannot read what the machine does: %w", err)
	}
	all, err := fs.Stat()
	if err != nil {
		return 0, fmt.Errorf("cannot read what the machine does: %w", err)
	}
	processes, err := fs.AllProcs()
	if err != nil {
		return 0, fmt.Errorf("cannot read the processes of the machine: %w", err)
	}
	parents, spent := map[int]int{}, map[int]float64{}
	for _, p := range processes {
		stat, err := p.Stat()
		if err != nil {
			continue // it has ended
		}
		const ticksPerSecond = 100
		parents[stat.PID] = stat.PPID
		spent[stat.PID] = stat.CPUTime() + float64(stat.CUTime+stat.CSTime)/ticksPerSecond
	}
	t := all.CPUTotal
	others := t.User + t.Nice + t.System + t.IRQ + t.SoftIRQ
	for pid := range parents {
		if descends(parents, pid, but) {
			others -= spent[pid]
		}
	}
	return time.Duration(others * float64(time.Second)), nil
}

// descends reports whether a process is the given one, or a descendant of it.
func descends(parents map[int]int, pid, from int) bool {
	for pid > 1 {
		if pid == from {
			return true
		}
		pid = parents[pid]
	}
	return false
}
