// SPDX-License-Identifier: Apache-2.0

// Package functionrunner runs functions by image, by Porch's function-runner.
package functionrunner

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/nephio-project/porch/func/evaluator"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
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

// How soon a function-runner that was gone is found again, and one that is gone missed: function-runner takes it for an
// attack if it is asked more often than every five minutes whether it is there.
var (
	reconnect = grpc.ConnectParams{MinConnectTimeout: 5 * time.Second, Backoff: backoff.Config{
		BaseDelay: 200 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 5 * time.Second,
	}}
	alive = keepalive.ClientParameters{Time: 5 * time.Minute, Timeout: 10 * time.Second}
)

// New returns a Runtime, which connects when it is first used. How large a message may be is for the function-runner to
// say; as Porch does, it is trusted, and reached without TLS.
func New(o Options) (*Runtime, error) {
	conn, err := grpc.NewClient(o.Address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(reconnect), grpc.WithKeepaliveParams(alive),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)))
	if err != nil {
		return nil, fmt.Errorf("cannot use the function-runner at %s: %w", o.Address, err)
	}
	return &Runtime{options: o, client: evaluator.NewFunctionEvaluatorClient(conn)}, nil
}

// Run implements mutate.Runtime.
func (r *Runtime) Run(ctx context.Context, function string, config *yaml.RNode, items []*yaml.RNode) ([]*yaml.RNode, error) {
	sent, returned, _, err := r.evaluate(ctx, function, config, stripped(items))
	if err != nil {
		return nil, err
	}
	out, err := edited(items, sent, returned)
	if err != nil {
		return nil, r.refused(function, err)
	}
	return out, nil
}

// evaluate runs a function, and returns the ResourceList that it was given, and the items and results that it returned.
func (r *Runtime) evaluate(ctx context.Context, function string, config *yaml.RNode, items []*yaml.RNode) (sent []byte, returned, results []*yaml.RNode, err error) {
	if sent, err = encode(config, items); err != nil {
		return nil, nil, nil, fmt.Errorf("cannot write a ResourceList: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	response, err := r.client.EvaluateFunction(ctx, &evaluator.EvaluateFunctionRequest{ResourceList: sent, Image: r.image(function)})
	if err != nil {
		return nil, nil, nil, r.failed(function, len(sent), err)
	}
	returned, results, err = decode(response.ResourceList)
	if err != nil {
		return nil, nil, nil, r.refused(function, fmt.Errorf("is no ResourceList: %w", err))
	}
	return sent, returned, results, nil
}

func (r *Runtime) image(function string) string {
	return r.options.Registry + "/" + function + ":" + r.options.Version
}

// refused returns the error for an output that has something wrong with it.
func (r *Runtime) refused(function string, err error) error {
	return fmt.Errorf("the output of %s %w; nothing of it is used: name images of these functions by --function-registry and --function-version", r.image(function), err)
}

// failed returns the error of a call: what the function said, or why it could not be run.
func (r *Runtime) failed(function string, size int, err error) error {
	image, text := r.image(function), status.Convert(err).Message()
	switch status.Code(err) {
	case codes.Unavailable:
		return &mutate.UnavailableError{Message: "the function-runner at " + r.options.Address + " does not answer", Err: err}
	case codes.NotFound:
		return fmt.Errorf("the function-runner has no image %s: add it to the function-runner's config, or correct --function-registry and --function-version", image)
	case codes.DeadlineExceeded:
		return fmt.Errorf("%s did not end within %s and was stopped: correct the function, or allow it more by --function-timeout", image, r.options.Timeout)
	case codes.ResourceExhausted:
		return fmt.Errorf("the resources for %s, of %d bytes, are more than the function-runner takes: raise its --max-request-body-size (%s)", image, size, text)
	case codes.Canceled:
		return err
	}
	if message := stderr(text, image); message != "" {
		return functionError(message)
	}
	return fmt.Errorf("cannot run %s: %s", image, text)
}

// functionError is what a function said when it failed.
type functionError string

// Error returns the function's own words.
func (e functionError) Error() string { return string(e) }

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
