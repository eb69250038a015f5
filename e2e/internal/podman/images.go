// SPDX-License-Identifier: Apache-2.0

package podman

import (
	"errors"
	"os"
	"path/filepath"
)

// Functions are the names of the functions that have an image.
var Functions = []string{"apply-package-context", "prepend-pipeline", "inject-config", "expand-variantset",
	"merge-upstream"}

// Images are the images that make images writes.
type Images struct {
	// Dir is the directory of the image files.
	Dir string
	// Registry and Version are the prefix and the tag of their names.
	Registry, Version string
}

// ImagesFromEnv returns the images that the environment names: IMAGES, REGISTRY and VERSION, as the Makefile sets them.
func ImagesFromEnv() (Images, error) {
	i := Images{Dir: os.Getenv("IMAGES"), Registry: os.Getenv("REGISTRY"), Version: os.Getenv("VERSION")}
	if i.Dir == "" || i.Registry == "" || i.Version == "" {
		return i, errors.New("the environment variables IMAGES, REGISTRY and VERSION must name the directory, the registry " +
			"and the tag of the functions' images: run this by make, which builds the images and sets them")
	}
	return i, nil
}

// Ref returns the name of a function's image.
func (i Images) Ref(function string) string { return i.Registry + "/" + function + ":" + i.Version }

// File returns the file of a function's image.
func (i Images) File(function string) string { return filepath.Join(i.Dir, function+".tar") }
