// SPDX-License-Identifier: Apache-2.0

// Package component finds the programs of this repository that are released as images.
package component

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// Repository is where the source of all components is.
const Repository = "https://github.com/package-variants/package-variants"

// Component is a program that is released as an image.
type Component struct {
	// Name is that of the program, and of its image.
	Name string
	// Module is the directory of the program's Go module in the repository, Package the program's package in it.
	Module, Package string
	// Path is where the program is in its image.
	Path string
	// Description says in a sentence what it does.
	Description string
	// License is an SPDX expression.
	License string
}

// All returns the components of the repository in root, by name: each function, as its metadata.yaml describes it, and
// the controller, as the package that installs it does.
func All(root string) ([]Component, error) {
	files, err := filepath.Glob(filepath.Join(root, "functions", "*", "metadata.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: has no functions/*/metadata.yaml: it is not the root of the repository", root)
	}
	controller, err := syncController(filepath.Join(root, "sync-controller", "config", "Kptfile"))
	if err != nil {
		return nil, err
	}
	all := []Component{controller}
	for _, file := range files {
		c, err := function(file)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Component) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

func function(file string) (Component, error) {
	var metadata struct{ Description, License string }
	if err := read(file, &metadata); err != nil {
		return Component{}, err
	}
	if metadata.Description == "" || metadata.License == "" {
		return Component{}, fmt.Errorf("%s: description and license must be set: they are what the image is labelled with",
			file)
	}
	name := filepath.Base(filepath.Dir(file))
	return Component{
		Name: name, Module: "functions", Package: "./" + name, Path: "/usr/local/bin/function",
		Description: metadata.Description, License: metadata.License,
	}, nil
}

func syncController(file string) (Component, error) {
	var kptfile struct{ Info struct{ Description string } }
	if err := read(file, &kptfile); err != nil {
		return Component{}, err
	}
	if kptfile.Info.Description == "" {
		return Component{}, fmt.Errorf("%s: info.description must be set: it is what the image is labelled with", file)
	}
	return Component{
		Name: "sync-controller", Module: "sync-controller", Package: ".", Path: "/usr/local/bin/sync-controller",
		Description: kptfile.Info.Description, License: "Apache-2.0",
	}, nil
}

// read decodes a YAML file of which only some fields matter here.
func read(file string, into any) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(content, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
