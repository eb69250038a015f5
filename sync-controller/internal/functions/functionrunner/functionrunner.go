// SPDX-License-Identifier: Apache-2.0

// Package functionrunner runs functions by image, by Porch's function-runner.
package functionrunner

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/nephio-project/porch/func/evaluator"
	"github.com/package-variants/package-variants/engine/largework"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/functions/krm"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
	"sigs.k8s.io/kustomize/kyaml/fn/runtime/runtimeutil"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Options say where the functions are.
type Options struct {
	// Address is the function-runner's host:port.
	Address string
	// Registry and Version make the image of a function: Registry/name:Version.
	Registry, Version string
	// Timeout is how long one run of a function may take.
	Timeout time.Duration
}

// Runtime is the mutate.Runtime that runs functions by image.
type Runtime struct {
	options Options
	client  evaluator.FunctionEvaluatorClient
}

// How soon the client reconnects to a function-runner, and notices that it is gone: function-runner treats keepalive
// pings more often than every five minutes as an attack.
var (
	reconnect = grpc.ConnectParams{MinConnectTimeout: 5 * time.Second, Backoff: backoff.Config{
		BaseDelay: 200 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 5 * time.Second,
	}}
	alive = keepalive.ClientParameters{Time: 5 * time.Minute, Timeout: 10 * time.Second}
)

// New returns a Runtime, which connects when it is first used.
func New(o Options) (*Runtime, error) {
	client, err := Connect(o.Address)
	if err != nil {
		return nil, err
	}
	return &Runtime{options: o, client: client}, nil
}

// Connect returns a client of the function-runner at an address, host:port, which connects when it is first used. The
// function-runner bounds the size of messages; like Porch, this client trusts it and calls it without TLS.
func Connect(address string) (evaluator.FunctionEvaluatorClient, error) {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(reconnect), grpc.WithKeepaliveParams(alive),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)))
	if err != nil {
		return nil, fmt.Errorf("cannot use the function-runner at %s: %w", address, err)
	}
	return evaluator.NewFunctionEvaluatorClient(conn), nil
}

// Run implements mutate.Runtime. Around the call, kyaml's FunctionFilter does what kpt and Porch do around each
// function: it puts comments and the order of keys back, by the items' ids.
func (r *Runtime) Run(
	ctx context.Context, function string, config *yaml.RNode, items []*yaml.RNode,
) (krm.Output, error) {
	var edited map[mutate.Place]bool
	filter := &runtimeutil.FunctionFilter{FunctionConfig: config, GlobalScope: true}
	filter.Run = func(in io.Reader, out io.Writer) (err error) {
		edited, err = r.call(ctx, function, in, out)
		return err
	}
	returned, err := filter.Filter(sendable(items))
	switch failure := filter.GetExit(); {
	case failure != nil:
		return krm.Output{}, failure
	case err != nil && edited == nil:
		return krm.Output{}, fmt.Errorf("cannot write a ResourceList for %s: %w", r.image(function), err)
	case err != nil:
		return krm.Output{}, fmt.Errorf("the output of %s cannot be read as kpt reads it: %w", r.image(function), err)
	}
	var out krm.Output
	if out.Items, err = match(items, returned, edited); err == nil && !filter.Results.IsNilOrEmpty() {
		err = filter.Results.YNode().Decode(&out.Results)
	}
	if err != nil {
		return krm.Output{}, r.refused(function, err)
	}
	return out, nil
}

// call runs a function by the function-runner, from one ResourceList to another, and returns which items it edited.
func (r *Runtime) call(
	ctx context.Context, function string, in io.Reader, out io.Writer,
) (map[mutate.Place]bool, error) {
	list, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	request := &evaluator.EvaluateFunctionRequest{ResourceList: list, Image: r.image(function)}
	var response *evaluator.EvaluateFunctionResponse
	largework.Outside(ctx, func() { response, err = r.client.EvaluateFunction(ctx, request) })
	if err != nil {
		return nil, r.failed(function, len(list), err)
	}
	edited, err := edits(list, response.ResourceList)
	if err != nil {
		return nil, r.refused(function, fmt.Errorf("is no ResourceList: %w", err))
	}
	_, err = out.Write(response.ResourceList)
	return edited, err
}

func (r *Runtime) image(function string) string {
	return r.options.Registry + "/" + function + ":" + r.options.Version
}

// refused returns the error for an invalid output.
func (r *Runtime) refused(function string, err error) error {
	return fmt.Errorf("the output of %s %w; nothing of it is used: "+
		"name images of these functions by --function-registry and --function-version", r.image(function), err)
}

// failed returns the error of a call: what the function said, or why it could not be run.
func (r *Runtime) failed(function string, size int, err error) error {
	image, text := r.image(function), status.Convert(err).Message()
	switch status.Code(err) {
	case codes.Unavailable:
		return &mutate.UnavailableError{Message: "the function-runner at " + r.options.Address + " does not answer", Err: err}
	case codes.NotFound:
		return fmt.Errorf("the function-runner has no image %s: "+
			"add it to the function-runner's config, or correct --function-registry and --function-version", image)
	case codes.DeadlineExceeded:
		return fmt.Errorf("%s did not end within %s and was stopped: "+
			"correct the function, or allow it more by --function-timeout", image, r.options.Timeout)
	case codes.ResourceExhausted:
		return fmt.Errorf("the resources for %s, of %d bytes, are more than the function-runner takes: "+
			"raise its --max-request-body-size (%s)", image, size, text)
	case codes.Canceled:
		return err
	}
	if message := stderr(text, image); message != "" {
		return &krm.Error{Reason: message}
	}
	return fmt.Errorf("cannot run %s: %s", image, text)
}

// stderr returns what a function that failed printed, or "". It stands in the message of the call, in words that depend
// on whether the function-runner ran the function as its own process or in a Pod.
func stderr(text, image string) string {
	if after, found := strings.CutPrefix(text, fmt.Sprintf("Failed to execute function %q: ", image)); found {
		if _, printed, found := strings.Cut(strings.TrimSuffix(after, ")"), " ("); found {
			return strings.TrimSpace(printed)
		}
	}
	if at := strings.LastIndex(text, " and stderr: "); at >= 0 {
		return strings.TrimSpace(text[at+len(" and stderr: "):])
	}
	return ""
}
