// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"errors"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Bounded returns the function so that it refuses unsafe input: a config or an item that is nested too deep, that has
// aliases which stand for too many values or for themselves, or keys that are too long; and an item whose file is not
// in the package, also among the items that the function returns. Its error names them all.
func Bounded(f Function) Function {
	return func(config *yaml.RNode, items []*yaml.RNode) (Output, error) {
		if err := check(config, items); err != nil {
			return Output{}, err
		}
		out, err := f(config, items)
		for i := 0; err == nil && i < len(out.Items); i++ {
			err = misplaced(out.Items[i])
		}
		if err != nil {
			return Output{}, err
		}
		return out, nil
	}
}

func check(config *yaml.RNode, items []*yaml.RNode) error {
	var errs []error
	if !config.IsNil() {
		errs = append(errs, Wrap(config, node.Bounded(config.YNode())))
	}
	for _, item := range items {
		errs = append(errs, misplaced(item), Wrap(item, node.Bounded(item.YNode())))
	}
	return errors.Join(errs...)
}

// misplaced returns an error if an item's annotations place it outside of the package.
func misplaced(item *yaml.RNode) error {
	if item.IsNil() {
		return nil
	}
	file := Identify(item).File
	problem := CheckPath(file)
	if problem == "" {
		return nil
	}
	e := Errorf(item, "metadata.annotations."+kioutil.PathAnnotation, "is %q, %s", node.Short(file), problem)
	e.File = "" // whoever reads the results may open the files that they name
	return e
}

// drive matches the beginning of a path that is absolute on Windows.
var drive = regexp.MustCompile(`^[a-zA-Z]:`)

// CheckPath says why a path does not lie in its package, on any system that it is written to; "" if it does.
func CheckPath(file string) string {
	slashed := strings.ReplaceAll(file, `\`, "/")
	clean := path.Clean(slashed)
	switch {
	case len(file) > bounds.Path:
		return "which is too long for a path"
	case strings.ContainsFunc(file, unicode.IsControl):
		return "which has control characters in it: rename the file"
	case path.IsAbs(slashed) || drive.MatchString(slashed):
		return "which is an absolute path: files of a package have paths that begin at its directory"
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "which leads out of the package: files of a package are in its directory"
	}
	return ""
}
