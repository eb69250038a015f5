// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/package-variants/package-variants/engine/tasks"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	"github.com/package-variants/package-variants/sync-controller/internal/plans"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/podman"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// newKpt returns a renderer that runs kpt: the one in the environment variable KPT, or else on the PATH. The
// function-runner at the address runner, as host:port, runs the functions; without an address kpt runs them itself.
func newKpt(runner string) (memory.Render, error) {
	kpt := os.Getenv("KPT")
	if kpt == "" {
		kpt = "kpt"
	}
	program, err := exec.LookPath(kpt)
	if err != nil {
		return nil, errors.New("--render needs kpt, which is not there: install it (https://kpt.dev), or set KPT to its path")
	}
	return func(ctx context.Context, files map[string]string) (map[string]string, error) {
		formatted, err := tasks.Render(files)
		if err != nil || len(tasks.Pipelines(files)) == 0 {
			return formatted, err
		}
		return render(ctx, program, runner, formatted)
	}, nil
}

// render runs kpt on files in a temporary directory. The directory has the name of the package, so kpt's output is the
// same each time.
func render(ctx context.Context, kpt, runner string, files map[string]string) (map[string]string, error) {
	top, err := os.MkdirTemp("", "kubectl-variants-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(top) }()
	directory := filepath.Join(top, nameOf(files))
	if err := write(directory, files); err != nil {
		return nil, err
	}
	var said bytes.Buffer
	command := exec.CommandContext(ctx, kpt, "fn", "render", directory) //nolint:gosec // the user's kpt
	command.Stdout, command.Stderr = &said, &said
	if runner != "" {
		if command.Env, err = podman.Install(filepath.Join(top, ".bin"), runner); err != nil {
			return nil, err
		}
	}
	if err := command.Run(); err != nil {
		text := strings.TrimSpace(strings.ReplaceAll(said.String(), top+string(filepath.Separator), ""))
		if exit, is := errors.AsType[*exec.ExitError](err); !is || exit.ExitCode() < 0 || lacksRuntime(text) {
			return nil, fmt.Errorf("kpt cannot run functions (%w), and what they change %w: start docker, or what "+
				"KRM_FN_RUNTIME names, or a function-runner at --function-runner, or leave out --render: %s", err,
				plans.ErrUnforeseen, text)
		}
		return nil, porch.NewRenderError(fmt.Sprintf("kpt fn render failed (%v): %s", err, text))
	}
	return read(directory)
}

// lacksRuntime reports whether kpt says that there is no container runtime here.
func lacksRuntime(said string) bool {
	return strings.Contains(said, "must be running to use this command") ||
		strings.Contains(said, "executable file not found in $PATH") || strings.Contains(said, podman.Unreachable)
}

// nameOf returns the package name in the Kptfile, or another one if that cannot name a directory.
func nameOf(files map[string]string) string {
	var kptfile metav1.PartialObjectMetadata
	if yaml.Unmarshal([]byte(files["Kptfile"]), &kptfile) != nil || len(validation.IsDNS1123Subdomain(kptfile.Name)) > 0 {
		return "package"
	}
	return kptfile.Name
}

// read returns the files below a directory. A link that leads out of the directory is an error.
func read(directory string) (map[string]string, error) {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	files := map[string]string{}
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := root.ReadFile(name)
		files[name] = string(data)
		return err
	})
	return files, err
}
