// SPDX-License-Identifier: Apache-2.0

package build

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/package-variants/package-variants/release/internal/component"
	"github.com/package-variants/package-variants/release/internal/image"
	"github.com/package-variants/package-variants/release/internal/naming"
	"github.com/package-variants/package-variants/release/internal/programs"
	"github.com/package-variants/package-variants/release/internal/tags"
)

// versionVariable is what the linker sets to the version.
const versionVariable = "github.com/package-variants/package-variants/functions/version.version"

// directory is where the programs for a platform are.
func directory(programs string, platform v1.Platform) string {
	return filepath.Join(programs, platform.OS+"-"+platform.Architecture)
}

// Programs builds command lines for the given platforms, below a directory, and returns where the program for one of
// them is.
func Programs(ctx context.Context, root, dir, version string, platforms []v1.Platform, list ...programs.Program) (
	path func(programs.Program, v1.Platform) string, err error) {
	path = func(g programs.Program, p v1.Platform) string { return filepath.Join(directory(dir, p), g.File(p)) }
	for _, g := range list {
		for _, platform := range platforms {
			out, err := filepath.Abs(path(g, platform))
			if err != nil {
				return nil, err
			}
			args := append(flags(version), "-o", out, ".")
			output, err := command(ctx, filepath.Join(root, g.Module), platform, args).CombinedOutput()
			if err != nil {
				return nil, fmt.Errorf("cannot build %s for %s: %w\n%s", g.Name, platform, err, output)
			}
		}
	}
	return path, nil
}

// flags are the go command's flags for a release build. The tag is explained in the Makefile.
func flags(version string) []string {
	return []string{"build", "-trimpath", "-buildvcs=false", "-tags", "grpcnotrace",
		"-ldflags", "-s -w -X " + versionVariable + "=" + version}
}

// compile builds the components of each module for each platform.
func compile(ctx context.Context, root, programs string, components []component.Component, version string) error {
	scratch, err := os.MkdirTemp("", "build-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	overlay, err := writeOverlay(root, scratch, components, version)
	if err != nil {
		return err
	}
	packages := map[string][]string{}
	for _, c := range components {
		packages[c.Module] = append(packages[c.Module], c.Package)
	}
	for _, platform := range image.Platforms() {
		out, err := filepath.Abs(directory(programs, platform))
		if err != nil {
			return err
		}
		for module, list := range packages {
			args := slices.Concat(flags(version), []string{"-overlay", overlay, "-o", out + string(filepath.Separator)}, list)
			if output, err := command(ctx, filepath.Join(root, module), platform, args).CombinedOutput(); err != nil {
				return fmt.Errorf("cannot build %s in %s for %s: %w\n%s", strings.Join(list, " "), module, platform, err, output)
			}
		}
	}
	return nil
}

// command runs the go command for a platform. What it builds depends on its version and on the source only: what else
// could come from the machine is set here. Its short processes collect garbage only above 768 MiB, as in the Makefile.
func command(ctx context.Context, dir string, platform v1.Platform, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+platform.OS, "GOARCH="+platform.Architecture, "GOAMD64=v1", "GOARM64=v8.0",
		"CGO_ENABLED=0", "GOFLAGS=-trimpath", "GOWORK=", "GOGC=off", "GOMEMLIMIT=768MiB")
	return cmd
}

// writeOverlay has the go command read the functions' manuals, which are in the programs, with references to images of
// the version that is built, where the tree has another. The registry is that of the tree: the same programs go to all.
func writeOverlay(root, scratch string, components []component.Component, version string) (file string, err error) {
	images := make([]string, len(components))
	for i, c := range components {
		images[i] = c.Name
	}
	replace := map[string]string{}
	err = tags.Stale(root, images, naming.Names{Registry: naming.Home, Version: version}, func(file, text string) error {
		original, err := filepath.Abs(filepath.Join(root, file))
		if err != nil {
			return err
		}
		replace[original] = filepath.Join(scratch, fmt.Sprint(len(replace)))
		return os.WriteFile(replace[original], []byte(text), 0o600)
	})
	if err != nil {
		return "", err
	}
	content, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file = filepath.Join(scratch, "overlay.json")
	return file, os.WriteFile(file, content, 0o600)
}
