// SPDX-License-Identifier: Apache-2.0

package image

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	specs "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/package-variants/package-variants/release/internal/archive"
)

// containerdName is the annotation from which containerd, and Docker with it, takes the reference of an image.
const containerdName = "io.containerd.image.name"

// Write writes an image as a tar archive of an OCI image layout, which carries the image's reference, so tools that
// load it know its name. The directory scratch must be empty; Write fills it.
func Write(w io.Writer, index v1.ImageIndex, ref, scratch string) error {
	path, err := layout.Write(scratch, empty.Index)
	if err != nil {
		return err
	}
	err = path.AppendIndex(index,
		layout.WithAnnotations(map[string]string{specs.AnnotationRefName: ref, containerdName: ref}))
	if err != nil {
		return err
	}
	files, err := archive.Read(os.DirFS(scratch))
	if err != nil {
		return err
	}
	return archive.Write(w, files)
}

// Read returns the image that Write wrote to a file, and its reference. The directory scratch must be empty, and must
// stay for as long as the image is used.
func Read(file, scratch string) (index v1.ImageIndex, ref string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = f.Close() }() // it is only read
	files, err := archive.Parse(f)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	if err := extract(files, scratch); err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	top, err := layout.ImageIndexFromPath(scratch)
	if err != nil {
		return nil, "", fmt.Errorf("%s: is no OCI image layout: %w", file, err)
	}
	manifest, err := top.IndexManifest()
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	if len(manifest.Manifests) != 1 {
		return nil, "", fmt.Errorf("%s: holds %d images, want one", file, len(manifest.Manifests))
	}
	only := manifest.Manifests[0]
	if index, err = top.ImageIndex(only.Digest); err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	return index, only.Annotations[specs.AnnotationRefName], nil
}

// extract writes files below a directory, and nowhere else.
func extract(files []archive.File, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // nothing is written by it
	for _, f := range files {
		if err := root.MkdirAll(filepath.Dir(f.Name), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(f.Name, f.Data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
