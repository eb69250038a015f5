// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	stdsync "sync"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"
)

const (
	// registry and version are those of the images in whose place Porch runs functions: ours, and one of the catalog.
	registry, version = "registry.example.com", "v1"
	contextImage      = registry + "/apply-package-context:" + version
	namespaceImage    = registry + "/set-namespace:" + version
)

var shared *stack.Stack

// TestMain runs the tests four at a time, unless -parallel says otherwise: they wait more than they work.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	code := stacktest.Main(m, &shared, stack.Options{Functions: functions()})
	// A run of all tests needs each right that the controller has, and no other.
	all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == ""
	if err := rightsWrong(); all && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// rare skips a test that is run with RARE=1 only, as make test-all does: of load, faults of a database, hostile input,
// and calls that hang.
func rare(t *testing.T) {
	t.Helper()
	if os.Getenv("RARE") == "" {
		t.Skip("RARE is not set")
	}
}

// functions are what Porch runs, by their images.
func functions() map[string]string {
	functions := ours()
	functions[namespaceImage] = filepath.Join(os.Getenv("TOOLS_BIN"), "set-namespace")
	return functions
}

// ours are our functions, by their images.
func ours() map[string]string {
	functions := map[string]string{}
	for _, name := range []string{"apply-package-context", "prepend-pipeline", "inject-config", "expand-variantset"} {
		functions[registry+"/"+name+":"+version] = filepath.Join(os.Getenv("FUNCTIONS_BIN"), name)
	}
	return functions
}

// runtime is how the controllers run functions: builtin, or porch, by image. All tests are run with each.
var runtime = os.Getenv("FUNCTION_RUNTIME")

// runtimeArgs are the controllers' arguments for a runtime; by image, at the function-runner.
func runtimeArgs(runtime, runner string) []string {
	if runtime == "" || runtime == "builtin" {
		return nil
	}
	return []string{"--function-runtime=" + runtime, "--function-runner=" + runner, "--function-registry=" + registry,
		"--function-version=" + version}
}

// installed is the outcome of controller.Install on the shared stack.
var installed = stdsync.OnceValue(func() error { return controller.Install(context.Background(), shared) })
