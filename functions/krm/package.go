// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// CheckPackage returns an error if the files of a package, by their paths, are beyond the bounds of a package.
// Documents that could be nested too deep, or have anchors, are parsed one by one, after all sizes were found to be
// within bounds.
func CheckPackage(files map[string]string) error {
	sizes := make(map[string]int64, len(files))
	for name, text := range files {
		sizes[name] = int64(len(text))
	}
	if err := CheckSizes(sizes); err != nil {
		return err
	}
	resources := 0
	for name, text := range files {
		if fn.IsKrmResourceFile(name) {
			resources += 1 + strings.Count(text, separator)
		}
	}
	if resources > bounds.PackageResources {
		return tooMuch("the package", resources, "resources", bounds.PackageResources)
	}
	if values := CountValues(files); values > bounds.PackageValues {
		return tooMuch("the package", values, "values in its YAML files", bounds.PackageValues)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) { // so that the same package always gives the same error
		if !fn.IsKrmResourceFile(name) || !suspicious(files[name]) {
			continue
		}
		if err := checkDocuments(files[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// CheckSizes returns an error if the files of a package, of which the sizes in bytes are known by their paths, are too
// many or too large. It names the file that is too large by itself.
func CheckSizes(sizes map[string]int64) error {
	var size int64
	for _, name := range slices.Sorted(maps.Keys(sizes)) { // so that the same package always gives the same error
		most := int64(bounds.PackageBytes)
		if path.Base(name) == kptfile {
			most = bounds.KptfileBytes
		}
		if sizes[name] > most {
			return tooMuch(name, sizes[name], "bytes", most)
		}
		size += int64(len(name)) + sizes[name]
	}
	if len(sizes) > bounds.PackageFiles {
		return tooMuch("the package", len(sizes), "files", bounds.PackageFiles)
	}
	if size > bounds.PackageBytes {
		return tooMuch("the package", size, "bytes", bounds.PackageBytes)
	}
	return nil
}

const (
	kptfile = "Kptfile"
	// separator is how the line begins that separates two documents.
	separator = "\n---"
)

func tooMuch[N int | int64](what string, n N, of string, most N) error {
	return fmt.Errorf("%s has %d %s, and may have %d: make it smaller, or split it", what, n, of, most)
}

// CheckObject returns an error if the text of an object in YAML is beyond the bounds of one, as CheckPackage does.
func CheckObject(text string) error {
	if values := countValues(text); values > bounds.ObjectValues {
		return tooMuch("the object", values, "values", bounds.ObjectValues)
	}
	if suspicious(text) {
		return checkDocuments(text)
	}
	return nil
}

// CountValues returns an upper bound for the number of values in the YAML files of a package.
func CountValues(files map[string]string) int {
	n := 0
	for name, text := range files {
		if fn.IsKrmResourceFile(name) {
			n += countValues(text)
		}
	}
	return n
}

// countValues returns an upper bound for the number of values in a YAML text.
func countValues(text string) int {
	n := 1
	for i := range len(text) {
		switch text[i] {
		case '\n', ',', ':', '[', '{':
			n++
		case '-', '?':
			if i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\t') { // more of the line may follow
				n++
			}
		}
	}
	return n
}

// suspicious reports whether a text in YAML may be nested too deep, or has anchors, or keys that begin with a question
// mark, which may have any length. It ignores quotes, and so may suspect too much.
func suspicious(text string) bool {
	flow, begins := 0, true
	before := byte('\n')
	levels := 0 // of the line, by its indentation and its dashes
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '\n':
			begins, levels = true, 0
		case c == '[' || c == '{':
			flow++
		case c == ']' || c == '}':
			flow = max(flow-1, 0)
		case (c == '&' || c == '?') && strings.IndexByte(" \t\n[{,", before) >= 0:
			return true
		}
		if begins && c != '\n' {
			begins = strings.IndexByte(" \t-?", c) >= 0
			levels++
		}
		if flow+levels > bounds.Depth {
			return true
		}
		before = c
	}
	return false
}

// checkDocuments checks the documents of a YAML text, one by one. It does not complain about text that is not YAML.
func checkDocuments(text string) error {
	for document := range strings.SplitSeq(text, separator) {
		var root yaml.Node
		err := yaml.Unmarshal([]byte(document), &root)
		switch {
		case err == nil && root.Kind != 0:
			if err := node.Bounded(&root); err != nil {
				return err
			}
		case err != nil && strings.Contains(err.Error(), "exceeded max depth"):
			return fmt.Errorf("is nested deeper than %d levels: make it flatter", bounds.Depth)
		}
	}
	return nil
}
