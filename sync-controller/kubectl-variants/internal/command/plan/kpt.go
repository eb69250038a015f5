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

	"github.com/package-variants/package-variants/sync-controller/internal/porch/predict"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/plans"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/podman"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// newKpt returns what renders packages by kpt: that of the environment variable KPT, or else of the PATH. The functions
// are run by the function-runner at an address, host:port, or else as kpt runs them.
func newKpt(runner string) (snapshot.Render, error) {
	kpt := os.Getenv("KPT")
	if kpt == "" {
		kpt = "kpt"
	}
	program, err := exec.LookPath(kpt)
	if err != nil {
		return nil, errors.New("--render needs kpt, which is not there: install it (https://kpt.dev), or set KPT to its path")
	}
	return func(ctx context.Context, files map[string]string) (map[string]string, error) {
		formatted, err := predict.Render(files)
		if err != nil || len(predict.Pipelines(files)) == 0 {
			return formatted, err
		}
		return render(ctx, program, runner, formatted)
	}, nil
}

// render runs kpt over files, in a directory that is removed then. What kpt says is the same each time: the directory
// has the name of the package.
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
		return nil, fmt.Errorf("kpt fn render failed (%w): %s", err, text)
	}
	return read(directory)
}

// lacksRuntime reports whether kpt says that there is nothing here that runs containers.
func lacksRuntime(said string) bool {
	return strings.Contains(said, "must be running to use this command") ||
		strings.Contains(said, "executable file not found in $PATH") || strings.Contains(said, podman.Unreachable)
}

// nameOf returns the name of a package, as its Kptfile has it; another one where that is no name of a directory.
func nameOf(files map[string]string) string {
	var kptfile metav1.PartialObjectMetadata
	if yaml.Unmarshal([]byte(files["Kptfile"]), &kptfile) != nil || len(validation.IsDNS1123Subdomain(kptfile.Name)) > 0 {
		return "package"
	}
	return kptfile.Name
}

// read returns the files of a directory and all below it; what a link leads to outside of it is an error.
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
