// SPDX-License-Identifier: Apache-2.0

// Package build makes the images of all components, and their bills of materials, from source.
package build

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/package-variants/package-variants/release/internal/component"
	"github.com/package-variants/package-variants/release/internal/image"
	"github.com/package-variants/package-variants/release/internal/naming"
	"github.com/package-variants/package-variants/release/internal/sbom"
)

// ImageFile returns the name of the file of a component's image.
func ImageFile(component string) string { return component + ".tar" }

// SBOMFile returns the name of the file of a component's bill of materials.
func SBOMFile(component string) string { return component + ".cdx.json" }

// Images compiles the components of the repository in root for all platforms, keeping the programs in the directory
// programs so that the next run has less to do, and writes an image and a bill of materials of each to the directory
// out. A file is replaced when its successor is complete. To log it writes what it made, with the compressed sizes.
func Images(ctx context.Context, root, programs, out string, components []component.Component, names naming.Names,
	log io.Writer) error {
	if err := compile(ctx, root, programs, components, names.Version); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var group errgroup.Group
	made := make([]v1.ImageIndex, len(components))
	for i, c := range components {
		group.Go(func() (err error) {
			made[i], err = assemble(c, names, out,
				func(p v1.Platform) string { return filepath.Join(directory(programs, p), c.Name) })
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, c := range components {
		digest, err := made[i].Digest()
		if err != nil {
			return err
		}
		size, err := image.Size(made[i])
		if err != nil {
			return err
		}
		fmt.Fprintf(log, "%s@%s %.1f MB\n", names.Ref(c.Name), digest, float64(size)/1e6)
	}
	return nil
}

func assemble(c component.Component, names naming.Names, out string,
	binary func(v1.Platform) string) (v1.ImageIndex, error) {
	index, err := image.New(c, names.Version, binary)
	if err != nil {
		return nil, err
	}
	digest, err := index.Digest()
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "image-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	err = replace(filepath.Join(out, ImageFile(c.Name)), func(w io.Writer) error {
		return image.Write(w, index, names.Ref(c.Name), scratch)
	})
	if err != nil {
		return nil, err
	}
	return index, replace(filepath.Join(out, SBOMFile(c.Name)), func(w io.Writer) error {
		return sbom.Write(w, c, names.Version, digest, binary)
	})
}

// replace writes a file, and puts it in its place when it is complete.
func replace(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".incomplete-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if err := write(f); err != nil {
		_ = f.Close()
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
