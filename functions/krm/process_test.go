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

// turns is the number of runs of each of the binaries in a round, so the medians cover enough runs even if there is
// time for one round only.
const turns = 15

// namespaceConfig is the config of the function of the catalog.
const namespaceConfig = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n  namespace: web\n"

// BenchmarkProcess measures functions as whole processes, each run in turn with two others over the same items: a no-op
// function built on the same SDK, and set-namespace of the function catalog, which TOOLS_BIN must have. The metrics are
// medians of processor time; x-noop is the ratio of the first two.
func BenchmarkProcess(b *testing.B) {
	tools := os.Getenv("TOOLS_BIN")
	if tools == "" {
		b.Fatal("the environment variable TOOLS_BIN must name the directory of set-namespace: " +
			"run this by make, which builds it and sets it")
	}
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
				list, catalogList := fntest.List(b, fntest.Variant, files), fntest.List(b, namespaceConfig, files)
				var noop, catalog, function []time.Duration
				for b.Loop() {
					for range turns {
						noop = append(noop, process(b, filepath.Join(bin, "noop"), list))
						function = append(function, process(b, filepath.Join(bin, name), list))
						catalog = append(catalog, process(b, filepath.Join(tools, "set-namespace"), catalogList))
					}
				}
				b.ReportMetric(float64(median(function))/float64(median(noop)), "x-noop")
				b.ReportMetric(float64(median(function)), "ns/process")
				b.ReportMetric(float64(median(noop)), "noop-ns/process")
				b.ReportMetric(float64(median(catalog)), "catalog-ns/process")
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
