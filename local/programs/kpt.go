// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// Kpt runs the pipelines of packages, as kpt fn render does.
type Kpt struct{ program string }

// PipelineError is the failure of a package's pipeline.
type PipelineError struct{ Said string }

// Error implements error.
func (e *PipelineError) Error() string { return e.Said }

// RuntimeError says that kpt cannot run functions on this machine.
type RuntimeError struct {
	Err  error
	Said string
}

// Error implements error.
func (e *RuntimeError) Error() string {
	return fmt.Sprintf("kpt cannot run functions (%v): start docker, or what KRM_FN_RUNTIME names: %s", e.Err, e.Said)
}

// FindKpt returns the kpt that the environment variable KPT names, or else the one on the PATH.
func FindKpt() (*Kpt, error) {
	name := os.Getenv("KPT")
	if name == "" {
		name = "kpt"
	}
	program, err := exec.LookPath(name)
	if err != nil {
		return nil, errors.New("--render needs kpt, which is not there: install it (https://kpt.dev), or set KPT to its path")
	}
	return &Kpt{program: program}, nil
}

// Render returns the files of a package after its pipeline. The error is a PipelineError or a RuntimeError if kpt
// fails. The directory has the name of the package, so kpt's output is the same each time.
func (k *Kpt) Render(ctx context.Context, files map[string]string) (map[string]string, error) {
	top, err := os.MkdirTemp("", "variants-kpt-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(top) }()
	name := nameOf(files)
	if err := Write(top, name, files); err != nil {
		return nil, err
	}
	directory := filepath.Join(top, name)
	var said bytes.Buffer
	command := exec.CommandContext(ctx, k.program, "fn", "render", directory) //nolint:gosec // the user's kpt
	command.Stdout, command.Stderr = &said, &said
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		text := strings.TrimSpace(strings.ReplaceAll(said.String(), top+string(filepath.Separator), ""))
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() < 0 || lacksRuntime(text) {
			return nil, &RuntimeError{err, text}
		}
		return nil, &PipelineError{fmt.Sprintf("kpt fn render failed (%v): %s", err, text)}
	}
	return Read(directory)
}

// lacksRuntime reports whether kpt says that there is no container runtime here.
func lacksRuntime(said string) bool {
	return strings.Contains(said, "must be running to use this command") ||
		strings.Contains(said, "executable file not found in $PATH")
}

// nameOf returns the package name in the Kptfile, or another one if that cannot name a directory.
func nameOf(files map[string]string) string {
	var kptfile metav1.PartialObjectMetadata
	if yaml.Unmarshal([]byte(files["Kptfile"]), &kptfile) != nil || len(validation.IsDNS1123Subdomain(kptfile.Name)) > 0 {
		return "package"
	}
	return kptfile.Name
}
