// SPDX-License-Identifier: Apache-2.0

package podman

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nephio-project/porch/func/evaluator"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// runner answers as Porch's function-runner does; the tests of e2e/plugin use the real one.
type runner struct {
	evaluator.UnimplementedFunctionEvaluatorServer
}

func (runner) EvaluateFunction(_ context.Context,
	r *evaluator.EvaluateFunctionRequest) (*evaluator.EvaluateFunctionResponse, error) {
	if r.Image != "example.com/a:v1" {
		return nil, status.Errorf(codes.NotFound, "function %q not found", r.Image)
	}
	return &evaluator.EvaluateFunctionResponse{ResourceList: append(r.ResourceList, " changed"...)}, nil
}

// TestRun checks the answers to kpt's calls of podman.
func TestRun(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	evaluator.RegisterFunctionEvaluatorServer(server, runner{})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	there := listener.Addr().String()
	asKpt := func(image string) []string {
		return []string{"run", "--rm", "-i", "--network", "none", "--user", "nobody", "--pull", "missing", image}
	}
	for name, c := range map[string]struct {
		address             string
		args                []string
		wantCode            int
		wantOut, wantErrOut string
	}{
		"is it there": {there, []string{"version"}, 0, "", ""},
		"a function":  {there, asKpt("example.com/a:v1"), 0, "list changed", ""},
		"one that is not known": {there, asKpt("example.com/b:v1"), 1, "",
			`function "example.com/b:v1" not found` + "\n"},
		"no function-runner": {"127.0.0.1:1", asKpt("example.com/a:v1"), 1, "", Unreachable + "127.0.0.1:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(address, c.address)
			var out, errOut bytes.Buffer
			streams := genericiooptions.IOStreams{In: strings.NewReader("list"), Out: &out, ErrOut: &errOut}
			code := Run(t.Context(), c.args, streams)
			if code != c.wantCode || out.String() != c.wantOut || !strings.HasPrefix(errOut.String(), c.wantErrOut) {
				t.Errorf("got %d, %q, %q, want %d, %q, %q", code, out.String(), errOut.String(), c.wantCode, c.wantOut,
					c.wantErrOut)
			}
		})
	}
}

// TestInstall checks the name and the environment under which this program acts as podman.
func TestInstall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bin")
	env, err := Install(dir, "runner:9445")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"KRM_FN_RUNTIME=podman", address + "=runner:9445"} {
		if !slices.Contains(env, want) {
			t.Errorf("there is no %s in the environment", want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	installed := filepath.Join(dir, entries[0].Name())
	if Called([]string{installed}) {
		t.Error("it is the stand-in without its environment")
	}
	t.Setenv(address, "runner:9445")
	if !Called([]string{installed}) || Called([]string{"kubectl-variants"}) {
		t.Error("it is the stand-in by another name only")
	}
}

// TestBuiltin checks, by name and version, which functions run as Porch runs them itself, without the function-runner.
// An empty namespace changes nothing, and does not fail.
func TestBuiltin(t *testing.T) {
	t.Setenv(address, "127.0.0.1:1")
	const item = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: before}\n"
	list := func(config string) string {
		return "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(item), "\n", "\n  ") +
			"\nfunctionConfig: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: " + config + "}\n"
	}
	for name, c := range map[string]struct {
		image, config, want string
		code                int
	}{
		"by its name":      {"set-namespace:v0.4.1", "{namespace: after}", "namespace: after", 0},
		"by Porch's":       {"gcr.io/kpt-fn/set-namespace:v0.4", "{namespace: after}", "namespace: after", 0},
		"by kpt's":         {"ghcr.io/kptdev/krm-functions-catalog/set-namespace:v0.4.1", "{namespace: after}", "namespace: after", 0},
		"empty namespace":  {"set-namespace:v0.4.1", `{namespace: ""}`, "namespace: before", 0},
		"starlark":         {"starlark:v0.4.3", `{source: "for r in ctx.resource_list['items']: r['metadata']['namespace'] = 'after'"}`, "namespace: after", 0},
		"another version":  {"set-namespace:v0.4.5", "{namespace: after}", "", 1},
		"another registry": {"example.com/set-namespace:v0.4.1", "{namespace: after}", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			streams := genericiooptions.IOStreams{In: strings.NewReader(list(c.config)), Out: &out, ErrOut: &errOut}
			code := Run(t.Context(), []string{"run", c.image}, streams)
			if code != c.code || !strings.Contains(out.String(), c.want) {
				t.Errorf("got %d, want %d and %q:\n%s%s", code, c.code, c.want, &out, &errOut)
			}
		})
	}
}
