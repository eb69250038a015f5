// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Images names the images of this repository's functions, as examples do.
type Images struct {
	// Registry and Version are the prefix and the tag of their names.
	Registry, Version string
}

// ImagesFromEnv returns the names from REGISTRY and VERSION, which the Makefile sets.
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

// Binaries returns the function binaries in a directory by image, for Options.Functions.
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
