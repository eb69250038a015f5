// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Images says what the images of this repository's functions are called, as examples name them.
type Images struct {
	// Registry and Version are the beginning and the tag of their names.
	Registry, Version string
}

// ImagesFromEnv returns what the environment says: REGISTRY and VERSION, as the Makefile sets them.
func ImagesFromEnv() (Images, error) {
	i := Images{Registry: os.Getenv("REGISTRY"), Version: os.Getenv("VERSION")}
	if i.Registry == "" || i.Version == "" {
		return i, errors.New("the environment variables REGISTRY and VERSION must say what the functions' images are " +
			"called: run this by make, which sets them")
	}
	return i, nil
}

// Ref returns the image of a function.
func (i Images) Ref(function string) string { return i.Registry + "/" + function + ":" + i.Version }

// Binaries returns the functions whose binaries are in a directory by their images, for Options.Functions.
func (i Images) Binaries(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot find the functions: %w", err)
	}
	functions := map[string]string{}
	for _, entry := range entries {
		functions[i.Ref(entry.Name())] = filepath.Join(dir, entry.Name())
	}
	return functions, nil
}
