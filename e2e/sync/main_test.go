// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	stdsync "sync"
	"testing"

	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"
)

const (
	// registry and version are those of the images in whose place Porch runs functions: ours, and one of the catalog.
	registry, version = "registry.example.com", "v1"
	contextImage      = registry + "/apply-package-context:" + version
	namespaceImage    = registry + "/set-namespace:" + version
	// account is who the controller is.
	account = "system:serviceaccount:package-variants-system:sync-controller"
)

var shared *stack.Stack

// TestMain runs the tests four at a time, unless -parallel says otherwise: they wait more than they work.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	code := stacktest.Main(m, &shared, stack.Options{Functions: functions()})
	// When all tests are run, they see each reason that a variant can have.
	all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == ""
	if unseen := reasonsUnseen(); code == 0 && all && len(unseen) > 0 {
		fmt.Fprintln(os.Stderr, "no test has a variant with the reasons", unseen)
		code = 1
	}
	// And they need each right that it has, and no other.
	if err := rightsWrong(); all && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
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

// installed is the outcome of install on the shared stack.
var installed = stdsync.OnceValue(func() error { return install(shared) })

// install gives the controller its permissions, and to read ConfigMaps, as an administrator does. There is no
// controller here that aggregates roles, so the role is bound by itself.
func install(s *stack.Stack) error {
	ctx := context.Background()
	apply := []string{"apply", "--server-side"}
	for _, file := range slices.Concat([]string{filepath.Join(config, "1-namespace.yaml"),
		filepath.Join(config, "2-service-account.yaml")}, roleFiles) {
		apply = append(apply, "-f", file)
	}
	for _, args := range [][]string{
		apply,
		{"create", "clusterrole", "read-configmaps", "--verb=get,list,watch", "--resource=configmaps"},
		{"create", "clusterrolebinding", "read-configmaps", "--clusterrole=read-configmaps",
			"--serviceaccount=package-variants-system:sync-controller"},
	} {
		if out, err := s.Kubectl(ctx, args...); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	return nil
}
