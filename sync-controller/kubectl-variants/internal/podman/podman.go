// SPDX-License-Identifier: Apache-2.0

// Package podman stands in for the program podman, by which kpt runs functions: those of a package's pipeline are run
// by a function-runner, as in Porch, and no container on this machine.
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
	// address is the environment variable that makes this program the stand-in, and says where the function-runner is.
	address = "KUBECTL_VARIANTS_FUNCTION_RUNNER"
	name    = "podman"
)

// Unreachable begins what is said of a function-runner that does not answer, before its address.
const Unreachable = "cannot reach the function-runner at "

// Install makes this program the podman of a directory, which it creates, and returns the environment with which kpt
// finds it there: it runs functions by the function-runner at an address, host:port.
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

// Called reports whether this program was called in place of podman: by an installed name of it.
func Called(args []string) bool {
	called := strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
	return called == name && os.Getenv(address) != ""
}

// Run does what kpt asks podman for, and returns the exit code: podman run [FLAG]... IMAGE, which is the last of the
// arguments, runs a function over the ResourceList of the standard input.
func Run(ctx context.Context, args []string, streams genericiooptions.IOStreams) int {
	if len(args) < 2 || args[0] != "run" { // kpt asks for its version to see whether it is there
		return 0
	}
	if err := run(ctx, args[len(args)-1], streams.In, streams.Out); err != nil {
		fmt.Fprintln(streams.ErrOut, err)
		return 1
	}
	return 0
}

func run(ctx context.Context, image string, in io.Reader, out io.Writer) error {
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
