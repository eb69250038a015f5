// SPDX-License-Identifier: Apache-2.0

package manifestfile

import (
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ReadIdentities reads only the kind, namespace and name of each object in a file, so everything else in it may be
// wrong. name stands for the file in errors. After an error, it also returns what was read before.
func ReadIdentities(name string, from io.Reader) ([]Object, error) {
	f := &Files{identities: true, path: name}
	err := splitStream(from, name, f.add)
	return f.Objects, err
}

// identity returns an object with only its identity.
func (h *head) identity() client.Object {
	return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: h.APIVersion, Kind: h.Kind},
		ObjectMeta: metav1.ObjectMeta{Namespace: h.Metadata.Namespace, Name: h.Metadata.Name}}
}

// IsRead reports whether ReadFiles reads a file, given its path in the directory: hidden files and files that are
// neither YAML nor JSON are not read.
func IsRead(file string) bool {
	return isYAML(file) && !slices.ContainsFunc(strings.Split(path.Clean(file), "/"),
		func(part string) bool { return strings.HasPrefix(part, ".") })
}

// isYAML reports whether a file of a directory is one that objects are read from, by its extension.
func isYAML(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name))
}
