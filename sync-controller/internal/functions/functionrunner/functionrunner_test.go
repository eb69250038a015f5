// SPDX-License-Identifier: Apache-2.0

package functionrunner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nephio-project/porch/func/evaluator"
	"github.com/package-variants/package-variants/engine/largework"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/functions/apply-package-context/packagecontext"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/functions/prepend-pipeline/pipeline"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// server is a function-runner in this process: it answers as the one of Porch v1.5.3 does that runs functions as its
// own processes. The end-to-end tests run that one.
type server struct {
	evaluator.UnimplementedFunctionEvaluatorServer
	// answer, if set, answers in place of a function.
	answer func(ctx context.Context, list []byte) ([]byte, error)
}

var functions = map[string]krm.Function{
	"apply-package-context": packagecontext.Run, "prepend-pipeline": pipeline.Run, "inject-config": injection.Run,
	"expand-variantset": expansion.Run,
}

// EvaluateFunction runs the function that the image is of.
func (s *server) EvaluateFunction(ctx context.Context,
	r *evaluator.EvaluateFunctionRequest) (*evaluator.EvaluateFunctionResponse, error) {
	if s.answer != nil {
		out, err := s.answer(ctx, r.ResourceList)
		return &evaluator.EvaluateFunctionResponse{ResourceList: out}, err
	}
	name, found := strings.CutSuffix(path.Base(r.Image), ":v1")
	if !found || functions[name] == nil || path.Dir(r.Image) != "example.com/fn" {
		return nil, status.Errorf(codes.NotFound, "function %q not found", r.Image)
	}
	var out, message bytes.Buffer
	if code := krm.Run(functions[name], bytes.NewReader(r.ResourceList), &out, &message); code != 0 {
		return nil, status.Errorf(codes.Internal, "Failed to execute function %q: exit status %d (%s)", r.Image, code,
			message.String())
	}
	return &evaluator.EvaluateFunctionResponse{ResourceList: out.Bytes(), Log: message.Bytes()}, nil
}

// serve starts a server, which is stopped when the test ends.
func serve(t *testing.T, at string,
	answer func(ctx context.Context, list []byte) ([]byte, error)) (s *grpc.Server, address string) {
	t.Helper()
	listener, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	s = grpc.NewServer()
	evaluator.RegisterFunctionEvaluatorServer(s, &server{answer: answer})
	go func() { _ = s.Serve(listener) }() // it returns when the server is stopped
	t.Cleanup(s.Stop)
	return s, listener.Addr().String()
}

// start starts a server and returns a Runtime that uses it.
func start(t *testing.T, answer func(ctx context.Context, list []byte) ([]byte, error),
	edits ...func(*Options)) *Runtime {
	t.Helper()
	_, address := serve(t, "127.0.0.1:0", answer)
	o := Options{Address: address, Registry: "example.com/fn", Version: "v1", Timeout: time.Minute}
	for _, edit := range edits {
		edit(&o)
	}
	runtime, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return runtime
}

// TestFailures checks what a user reads of a run that has no outcome. The input is a Kptfile and two points in a file.
func TestFailures(t *testing.T) {
	t.Parallel()
	const (
		image   = "example.com/fn/inject-config:v1"
		refused = "; nothing of it is used: name images of these functions by --function-registry and --function-version"
		kptfile = "- {apiVersion: kpt.dev/v1, kind: Kptfile, metadata: {name: web, annotations: " +
			"{internal.config.kubernetes.io/path: Kptfile, internal.config.kubernetes.io/index: '0'}}}\n"
		first = "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: " +
			"{internal.config.kubernetes.io/path: sub/points.yaml, internal.config.kubernetes.io/index: '0'}}}\n"
		second = "- {apiVersion: v1, kind: ConfigMap, metadata: {name: b, annotations: " +
			"{internal.config.kubernetes.io/path: sub/points.yaml, internal.config.kubernetes.io/index: '1'}}}\n"
		list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
	)
	output := func(text string) func(context.Context, []byte) ([]byte, error) {
		return func(context.Context, []byte) ([]byte, error) { return []byte(text), nil }
	}
	failure := func(code codes.Code, text string) func(context.Context, []byte) ([]byte, error) {
		return func(context.Context, []byte) ([]byte, error) { return nil, status.Error(code, text) }
	}
	for name, c := range map[string]struct {
		answer func(context.Context, []byte) ([]byte, error)
		want   string
	}{
		"no image": {failure(codes.NotFound, "function not found"),
			"the function-runner has no image " + image +
				": add it to the function-runner's config, or correct --function-registry and --function-version"},
		"the function fails, as a process": {failure(codes.Internal,
			`Failed to execute function "`+image+"\": exit status 1 (points.yaml: a (b): c\nd: e\n)"),
			"points.yaml: a (b): c\nd: e"},
		"the function fails, in a Pod": {failure(codes.Internal,
			"unable to evaluate "+image+` with pod evaluator: rpc error: `+
				`code = Internal desc = failed to evaluate function "`+image+`" with structured results: [error]: a and stderr: `+
				`points.yaml: a`+"\n"), "points.yaml: a"},
		"it fails, and says nothing": {failure(codes.Internal,
			`Failed to execute function "`+image+`": signal: killed ()`),
			"cannot run " + image + `: Failed to execute function "` + image + `": signal: killed ()`},
		"no Pod": {failure(codes.Unknown,
			"unable to get the grpc client to the pod for "+image+": not ready"),
			"cannot run " + image + ": unable to get the grpc client to the pod for " + image + ": not ready"},
		"no function-runner": {failure(codes.Unimplemented, "unknown service evaluator.FunctionEvaluator"),
			"cannot run " + image + ": unknown service evaluator.FunctionEvaluator"},
		"no output": {output(""), "the output of " + image + " is no ResourceList: EOF" + refused},
		"text": {output("done"), "the output of " + image +
			` is no ResourceList: its kind is ""` + refused},
		"another kind": {output("kind: Kptfile\nitems: []\n"),
			"the output of " + image + ` is no ResourceList: its kind is "Kptfile"` + refused},
		"half of it": {output("kind: ResourceList\nitems: ["),
			"the output of " + image + " is no ResourceList: yaml: line 2: did not find expected node content" + refused},
		"no list of items": {output("kind: ResourceList\nitems: {a: b}\n"),
			"the output of " + image + " is no ResourceList: its items are no list" + refused},
		"no items": {output("kind: ResourceList\n"),
			"the output of " + image + " has lost Kptfile, and may remove nothing" + refused},
		"items are null": {output("kind: ResourceList\nitems: null\n"),
			"the output of " + image + " has lost Kptfile, and may remove nothing" + refused},
		"no Kptfile": {output(list + first + second),
			"the output of " + image + " has lost Kptfile, and may remove nothing" + refused},
		"a document is lost": {output(list + first + kptfile),
			"the output of " + image + " has lost sub/points.yaml (document 2), and may remove nothing" + refused},
		"a file is moved": {output(list + kptfile + first + strings.Replace(second, "sub/", "../", 1)),
			"the output of " + image + " has lost sub/points.yaml (document 2), and may remove nothing" + refused},
		"an item without a file": {output(list + kptfile + first + "- {kind: ConfigMap, metadata: {name: b}}\n"),
			"the output of " + image + " has lost sub/points.yaml (document 2), and may remove nothing" + refused},
		"no item": {output(list + kptfile + first + second + "- 1\n"),
			"the output of " + image +
				" cannot be read as kpt reads it: wrong node kind: expected MappingNode but got ScalarNode: node contents:\n1\n"},
		"a file twice": {output(list + kptfile + first + second + second),
			"the output of " + image + " has sub/points.yaml (document 2) twice" + refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := start(t, c.answer).Run(t.Context(), "inject-config", kyaml.MustParse("kind: InjectConfig\n"),
				parse(list+kptfile+first+second))
			if diff := cmp.Diff(c.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestOutput checks that the items given come first, in their order, then those that the function added, and the
// results.
func TestOutput(t *testing.T) {
	t.Parallel()
	const (
		given = "kind: ResourceList\nitems:\n" +
			"- {kind: B, metadata: {name: b, annotations: {internal.config.kubernetes.io/path: b.yaml}}}\n" +
			"- {kind: A, metadata: {name: a, annotations: {internal.config.kubernetes.io/path: a.yaml}}}\n"
		returned = "kind: ResourceList\nitems:\n" +
			"- {kind: A, metadata: {name: a, annotations: {internal.config.kubernetes.io/path: " +
			"a.yaml, internal.config.kubernetes.io/id: '2'}}, edited: true}\n" +
			"- {kind: New, metadata: {name: n}}\n" +
			"- {kind: B, metadata: {name: b, annotations: {internal.config.kubernetes.io/path: " +
			"b.yaml, internal.config.kubernetes.io/id: '1'}}}\n" +
			"results:\n- {message: m, severity: info, file: {path: a.yaml, index: 1}}\n"
	)
	items := parse(given)
	out, err := start(t, func(context.Context, []byte) ([]byte, error) { return []byte(returned), nil }).
		Run(t.Context(), "inject-config", kyaml.MustParse("kind: InjectConfig\n"), items)
	if err != nil {
		t.Fatal(err)
	}
	type item struct {
		Place  string
		Edited bool
	}
	var got []item
	for _, i := range out.Items {
		got = append(got, item{mutate.PlaceOf(i).String(), i.Field("edited") != nil})
	}
	if diff := cmp.Diff([]item{{"b.yaml", false}, {"a.yaml", true}, {"new_n.yaml", false}}, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if results, err := kyaml.Marshal(out.Results); err != nil ||
		string(results) != "- message: m\n  severity: info\n  file:\n    path: a.yaml\n    index: 1\n" {
		t.Errorf("results: %v\n%s", err, results)
	}
	if diff := cmp.Diff(parse(given)[1].MustString(), items[1].MustString()); diff != "" {
		t.Errorf("the item given was changed (-want +got):\n%s", diff)
	}
}

// parse returns the items of a ResourceList that is known to be one.
func parse(list string) []*kyaml.RNode {
	items, err := kyaml.MustParse(list).Field("items").Value.Elements()
	if err != nil {
		panic(err)
	}
	return items
}

// TestEndless checks that a function that runs for ever is stopped. On a busy machine its time may be over before the
// call has reached the server: then it is called again.
func TestEndless(t *testing.T) {
	t.Parallel()
	var begun atomic.Bool
	stopped := make(chan struct{})
	stop := sync.OnceFunc(func() { close(stopped) })
	runtime := start(t, func(ctx context.Context, _ []byte) ([]byte, error) {
		begun.Store(true)
		<-ctx.Done()
		stop()
		return nil, ctx.Err()
	}, func(o *Options) { o.Timeout = 50 * time.Millisecond })
	for !begun.Load() {
		_, err := runtime.Run(t.Context(), "inject-config", nil, nil)
		want := "example.com/fn/inject-config:v1 did not end within 50ms and was stopped: " +
			"correct the function, or allow it more by --function-timeout"
		if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	}
	<-stopped
}

// TestTooLarge sends and gets more than the function-runner takes, and as much as gRPC clients do not take unless told
// to.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	large := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" +
		"- {kind: A, metadata: {annotations: {internal.config.kubernetes.io/path: a.yaml}}, data: " +
		strings.Repeat("x", 5_000_000) + "}\n"
	runtime := start(t, func(_ context.Context, list []byte) ([]byte, error) { return list, nil })
	_, err := runtime.Run(t.Context(), "inject-config", nil, parse(large))
	want := "the resources for example.com/fn/inject-config:v1, of 5000215 bytes, are more than the function-runner " +
		"takes: raise its --max-request-body-size " +
		"(grpc: received message larger than max (5000253 vs. 4194304))"
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	runtime = start(t, func(context.Context, []byte) ([]byte, error) { return []byte(large), nil })
	out, err := runtime.Run(t.Context(), "inject-config", nil, nil)
	if err != nil || len(out.Items) != 1 || len(kyaml.GetValue(out.Items[0].Field("data").Value)) != 5_000_000 {
		t.Errorf("got %d items, %v", len(out.Items), err)
	}
}

// TestUnavailable has the function-runner not there, come, go, and come back.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	runtime, err := New(Options{Address: address, Registry: "example.com/fn", Version: "v1", Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	run := func() error {
		_, err := runtime.Run(t.Context(), "inject-config", nil, nil)
		return err
	}
	for range 2 {
		for range 3 {
			down, ok := errors.AsType[*mutate.UnavailableError](run())
			if !ok || down.Message != "the function-runner at "+address+" does not answer" ||
				status.Code(down.Err) != codes.Unavailable {
				t.Fatalf("got %v", down)
			}
		}
		s, _ := serve(t, address, func(context.Context, []byte) ([]byte, error) {
			return []byte("kind: ResourceList\n"),
				nil
		})
		for run() != nil { // until the client has looked again
			time.Sleep(10 * time.Millisecond)
		}
		s.Stop()
	}
	if _, err := New(Options{Address: "a\x00b"}); err == nil ||
		!strings.HasPrefix(err.Error(), "cannot use the function-runner at a\x00b: ") {
		t.Errorf("got %v", err)
	}
}

// TestCanceled checks that a canceled run does not count as a failure of the function.
// TestOutsideWork checks that other large work can be done while the function-runner does not answer.
func TestOutsideWork(t *testing.T) {
	t.Parallel()
	limit := largework.New()
	r := start(t, func(ctx context.Context, list []byte) ([]byte, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		return list, limit.Do(ctx, largework.Large+1, func() {})
	})
	var err error
	canceled := limit.DoCalling(t.Context(), largework.Large+1, func(ctx context.Context) {
		_, err = r.Run(ctx, "inject-config", nil, nil)
	})
	if err := errors.Join(canceled, err); err != nil {
		t.Error(err)
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := start(t, nil).Run(ctx, "inject-config", nil, nil)
	if status.Code(err) != codes.Canceled {
		t.Errorf("got %v", err)
	}
}
