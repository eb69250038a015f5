// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// proc returns a directory with files as /proc has them.
func proc(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestUse checks that user and system time and peak memory are read, for a process with any name.
func TestUse(t *testing.T) {
	t.Parallel()
	dir := proc(t, map[string]string{
		"7/stat": "7 (a) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 250 31 5 6 20 0 9 0 100 1000 200 18446744073709551615 1 1 0 " +
			"0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		"7/status": "Name:\ta) b (c\nVmPeak:\t  99999 kB\nVmHWM:\t   43000 kB\nVmRSS:\t   42000 kB\n",
	})
	got, err := use(dir, 7)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Usage{CPU: 2810 * time.Millisecond, PeakBytes: 43000 * 1024}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := use(dir, 8); err == nil || !strings.HasPrefix(err.Error(), "cannot read what process 8 uses: ") {
		t.Errorf("a process that is not there: %v", err)
	}
}

// TestUseOfThisProcess checks that the usage of a busy process grows.
func TestUseOfThisProcess(t *testing.T) {
	t.Parallel()
	before, err := Use(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for after := before; after.CPU == before.CPU; {
		if after, err = Use(os.Getpid()); err != nil {
			t.Fatal(err)
		}
	}
	if before.PeakBytes < 1<<20 {
		t.Errorf("this process has had %d bytes at most", before.PeakBytes)
	}
}

// TestBusy checks that the time of a process and its descendants is excluded, and that of all others included.
func TestBusy(t *testing.T) {
	t.Parallel()
	stat := func(pid, parent string) string {
		return pid + " (x) S " + parent + " 7 7 0 -1 4194560 1 2 3 4 250 50 100 0 20 0 9 0 100 1000 200 18446744073709551615 " +
			"1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	}
	dir := proc(t, map[string]string{
		"stat":   "cpu  1000 2000 3000 99999 5 6 7 8 9 10\nbtime 1\n",
		"1/stat": stat("1", "0"), "7/stat": stat("7", "1"), "8/stat": stat("8", "7"), "9/stat": stat("9", "8"),
		"70/stat": stat("70", "1"),
	})
	for but, want := range map[int]time.Duration{
		7: 60130*time.Millisecond - 3*4*time.Second, 9: 60130*time.Millisecond - 4*time.Second,
		5: 60130 * time.Millisecond,
	} {
		got, err := busy(dir, but)
		if err != nil || got.Round(time.Millisecond) != want {
			t.Errorf("but for %d: %s, %v; want %s", but, got, err, want)
		}
	}
	if _, err := busy(t.TempDir(), 7); err == nil || !strings.HasPrefix(err.Error(), "cannot read what the machine does: ") {
		t.Errorf("without /proc: %v", err)
	}
	if got, err := Busy(os.Getpid()); err != nil || got <= 0 {
		t.Errorf("this machine: %s, %v", got, err)
	}
}

// TestDescribe checks the description of a machine.
func TestDescribe(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"cpuinfo": "processor\t: 0\nvendor_id\t: ExampleVendor\nmodel name\t: Example 9000\n\nprocessor\t: 1\n" +
			"vendor_id\t: ExampleVendor\nmodel name\t: Example 9000\n\n",
		"meminfo":              "MemTotal:        8000 kB\nMemFree:         1 kB\n",
		"sys/kernel/osrelease": "6.1.0-1\n",
	}
	got, err := describe(proc(t, files))
	if err != nil {
		t.Fatal(err)
	}
	want := Machine{CPU: "Example 9000", Cores: runtime.NumCPU(), MemoryBytes: 8000 * 1024, System: "Linux 6.1.0-1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	files["meminfo"] = "MemFree: 1 kB\n"
	if _, err := describe(proc(t, files)); err == nil || !strings.HasSuffix(err.Error(),
		" names no processor or no memory") {
		t.Errorf("without a size of the memory: %v", err)
	}
	if _, err := Describe(); err != nil {
		t.Error(err)
	}
}
