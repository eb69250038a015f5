// SPDX-License-Identifier: Apache-2.0

package krm_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/package-variants/package-variants/functions/internal/fntest"
)

// pairs is the number of runs of each of the two binaries in a round, so that the medians are of enough runs even where
// there is time for one round only.
const pairs = 15

// BenchmarkProcess measures functions as whole processes, each run in turn with a no-op function built on the same SDK
// over the same list. The metric x-noop is the ratio of the medians.
func BenchmarkProcess(b *testing.B) {
	bin := b.TempDir()
	names := []string{"apply-package-context", "prepend-pipeline", "inject-config"}
	build := exec.Command("go", "build", "-o", bin, "./internal/noop")
	for _, name := range names {
		build.Args = append(build.Args, "./"+name)
	}
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, name := range names {
		for _, n := range fntest.Sizes {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				files := fntest.Package(n)
				files["snapshot.yaml"] = fntest.Snapshot
				list := fntest.List(b, fntest.Variant, files)
				var noop, function []time.Duration
				for b.Loop() {
					for range pairs {
						noop = append(noop, process(b, filepath.Join(bin, "noop"), list))
						function = append(function, process(b, filepath.Join(bin, name), list))
					}
				}
				b.ReportMetric(float64(median(function))/float64(median(noop)), "x-noop")
				b.ReportMetric(float64(median(function)), "ns/process")
			})
		}
	}
}

// process runs a binary on a ResourceList and returns the processor time that it took. It may use one processor only:
// what the garbage collector does on others because they are idle says nothing about the binary.
func process(b *testing.B, binary string, list []byte) time.Duration {
	b.Helper()
	cmd := exec.Command(binary)
	cmd.Stdin = bytes.NewReader(list)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
