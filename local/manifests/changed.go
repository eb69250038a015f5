// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Changed returns the names of the files that Read would read in two directories and that differ: in one of them they
// have another text, or they are not there. Line ends are no difference, since git may convert them.
func Changed(a, b fs.FS) (names []string, err error) {
	texts, err := textsOf(a)
	if err != nil {
		return nil, err
	}
	others, err := textsOf(b)
	for name, text := range texts {
		if other, there := others[name]; !there || other != text {
			names = append(names, name)
		}
		delete(others, name)
	}
	names = slices.AppendSeq(names, maps.Keys(others))
	slices.Sort(names)
	return names, err
}

// textsOf returns the texts of the files that Read would read.
func textsOf(root fs.FS) (map[string]string, error) {
	texts := map[string]string{}
	names, _, _ := find(root, "") // what is not read, Read has told
	for _, name := range names {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return nil, err
		}
		texts[name] = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	return texts, nil
}
