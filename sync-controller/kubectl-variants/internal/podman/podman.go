// SPDX-License-Identifier: Apache-2.0

// Package podman replaces the program podman, with which kpt runs functions: a function-runner runs the functions of a
// package's pipeline, as in Porch, and no container runs on this machine.
package podman

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nephio-project/porch/func/evaluator"
	"github.com/package-variants/package-variants/sync-controller/internal/functions/functionrunner"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

const (
	// address is the environment variable that turns this program into podman, and gives the function-runner's address.
	address = "KUBECTL_VARIANTS_FUNCTION_RUNNER"
	name    = "podman"
)

// Unreachable begins the error for a function-runner that does not answer; its address follows.
const Unreachable = "cannot reach the function-runner at "

// Install creates a directory in which this program is called podman, and returns the environment in which kpt finds it
// there and runs functions with the function-runner at an address, host:port.
func Install(directory, runner string) ([]string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, err
	}
	if err := os.Symlink(program, filepath.Join(directory, name+filepath.Ext(program))); err != nil {
		return nil, fmt.Errorf("cannot have kpt use the function-runner: %w", err)
	}
	return append(os.Environ(), "PATH="+directory+string(os.PathListSeparator)+os.Getenv("PATH"),
		"KRM_FN_RUNTIME="+name, address+"="+runner), nil
}

// Called reports whether this program was called as podman, by its installed name.
func Called(args []string) bool {
	called := strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
	return called == name && os.Getenv(address) != ""
}

// Run answers kpt's calls of podman, and returns the exit code: podman run [FLAG]... IMAGE, with the image as the last
// argument, runs a function on the ResourceList from the standard input.
func Run(ctx context.Context, args []string, streams genericiooptions.IOStreams) int {
	if len(args) < 2 || args[0] != "run" { // kpt asks for the version to see whether podman is there
		return 0
	}
	if err := run(ctx, args[len(args)-1], streams.In, streams.Out); err != nil {
		fmt.Fprintln(streams.ErrOut, err)
		return 1
	}
	return 0
}

func run(ctx context.Context, image string, in io.Reader, out io.Writer) error {
	if function := builtin(image); function != nil {
		return execute(function, in, out)
	}
	list, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	client, err := functionrunner.Connect(os.Getenv(address))
	if err != nil {
		return err
	}
	answer, err := client.EvaluateFunction(ctx, &evaluator.EvaluateFunctionRequest{ResourceList: list, Image: image})
	if status.Code(err) == codes.Unavailable {
		return fmt.Errorf("%s%s: %s", Unreachable, os.Getenv(address), status.Convert(err).Message())
	}
	if err != nil {
		return errors.New(status.Convert(err).Message())
	}
	_, err = out.Write(answer.ResourceList)
	return err
}
