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
	"strings"

	"github.com/package-variants/package-variants/sync-controller/internal/foresight"
	"github.com/package-variants/package-variants/sync-controller/internal/snapshot"
)

// newKpt returns what renders packages by kpt: that of the environment variable KPT, or else of the PATH.
func newKpt() (snapshot.Render, error) {
	kpt := os.Getenv("KPT")
	if kpt == "" {
		kpt = "kpt"
	}
	program, err := exec.LookPath(kpt)
	if err != nil {
		return nil, errors.New("--render needs kpt, which is not there: install it (https://kpt.dev), or set KPT to its path")
	}
	return func(ctx context.Context, files map[string]string) (map[string]string, error) {
		formatted, err := foresight.Render(files)
		if err != nil || len(foresight.Pipelines(files)) == 0 {
			return formatted, err
		}
		return render(ctx, program, formatted)
	}, nil
}

// render runs kpt over files, in a directory that is removed then.
func render(ctx context.Context, kpt string, files map[string]string) (map[string]string, error) {
	directory, err := os.MkdirTemp("", "kubectl-variants-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(directory) }()
	if err := write(directory, files); err != nil {
		return nil, err
	}
	var said bytes.Buffer
	command := exec.CommandContext(ctx, kpt, "fn", "render", directory) //nolint:gosec // the user's kpt
	command.Stdout, command.Stderr = &said, &said
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("kpt fn render failed (%w): %s", err, strings.TrimSpace(said.String()))
	}
	return read(directory)
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
