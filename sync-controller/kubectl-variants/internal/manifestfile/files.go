// SPDX-License-Identifier: Apache-2.0

// Package manifestfile reads manifests from files.
package manifestfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/krm"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// Object is an object that a file has.
type Object struct {
	client.Object
	// Path and Line are its position.
	Path string
	Line int
}

// Files are the objects of files, except the contents of package revisions, which are read on demand.
type Files struct {
	Objects []Object
	// Count is how many objects there are, with the contents.
	Count int
	types *runtime.Scheme
	// identities reports whether only the identities of objects are read.
	identities bool
	path       string
}

// ReadFiles reads the YAML and JSON files of a directory and all below it, or one file: manifests, and lists as kubectl
// get writes them. It refuses fields that a kind does not have, as an API server does.
func ReadFiles(scheme *runtime.Scheme, path string) (*Files, error) {
	f := &Files{types: scheme, path: path}
	err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), ".") && name != path
		if entry.IsDir() && hidden {
			return fs.SkipDir
		}
		if entry.IsDir() || hidden || name != path && !isYAML(name) {
			return nil
		}
		if err := readable(path, name, entry); err != nil {
			return err
		}
		return split(name, f.add)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file or directory %s", path)
	}
	return f, err
}

// ReadManifests reads manifests from a reader. The name stands for their file in errors.
func ReadManifests(scheme *runtime.Scheme, name string, from io.Reader) (*Files, error) {
	f := &Files{types: scheme, path: name}
	return f, splitStream(from, name, f.add)
}

// readable returns an error for a path that is not a file in the directory: a link that leads out of it, and a device
// or a pipe, which may have no end. It accepts the requested path itself, whatever it is.
func readable(directory, name string, entry fs.DirEntry) error {
	if name == directory || entry.Type().IsRegular() {
		return nil
	}
	root, err := os.OpenRoot(directory)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	inside, err := filepath.Rel(directory, name)
	if err != nil {
		return err
	}
	info, err := root.Stat(inside)
	if err != nil {
		return fmt.Errorf("cannot read %s, which is a link: only links to files of %s are followed: %w", name, directory, err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("cannot read %s: it is no file, nor a link to one", name)
	}
	return nil
}

// head has the fields that identify the object in a text.
type head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name, GenerateName, Namespace string
	} `json:"metadata"`
	// Items are the items of a list that could not be split because of its form.
	Items any `json:"items"`
}

// add adds the object in a text.
func (f *Files) add(at place, text []byte) error {
	problem := func(err error) error {
		line, reason := reasonOf(err, at.line)
		return unreadable(at.path, line, reason)
	}
	if err := krm.CheckObject(string(text)); err != nil {
		return problem(err)
	}
	h, err := headOf(text)
	if err != nil {
		return problem(err)
	}
	switch {
	case h.APIVersion == "" || h.Kind == "":
		if at.item || h.Items != nil || !f.identities && isManifest(at.path) {
			return problem(errors.New("it is no object: apiVersion or kind is missing"))
		}
		return nil
	case isList(h.Kind):
		return f.addList(at, text)
	}
	return f.addObject(at, h, text)
}

// addObject adds an object.
func (f *Files) addObject(at place, h *head, text []byte) error {
	f.Count++
	if f.identities {
		f.Objects = append(f.Objects, Object{Object: h.identity(), Path: at.path, Line: at.line})
		return nil
	}
	o, err := f.decode(h, text)
	if err != nil {
		line, reason := reasonOf(err, at.line)
		if field, _ := strings.CutPrefix(reason, unknownField); field != reason {
			line, reason = fieldOf(o, h.Kind, strings.Trim(field, `"`), text, at.line)
		}
		return unreadable(at.path, line, reason)
	}
	if err := named(at, h); err != nil {
		return err
	}
	f.Objects = append(f.Objects, Object{Object: o, Path: at.path, Line: at.line})
	return nil
}

// named returns an error for a manifest that an API server names.
func named(at place, h *head) error {
	if h.Metadata.Name == "" && h.Metadata.GenerateName != "" {
		return fmt.Errorf("cannot use %s, line %d: this %s has metadata.generateName and no metadata.name, and a plan needs "+
			"a name: an API server would make up another one each time", at.path, at.line, h.Kind)
	}
	return nil
}

// isManifest reports whether a file should contain objects: other programs' values are YAML, too.
func isManifest(path string) bool { return filepath.Ext(path) != ".json" }

// addList adds the items of a list that could not be split because of its form.
func (f *Files) addList(at place, text []byte) error {
	var list struct{ Items []any }
	if err := yaml.Unmarshal(text, &list); err != nil {
		line, reason := reasonOf(err, at.line)
		return unreadable(at.path, line, reason)
	}
	at.item = true
	for _, item := range list.Items {
		data, err := yaml.Marshal(item)
		if err != nil {
			return err
		}
		if err := f.add(at, data); err != nil {
			return err
		}
	}
	return nil
}

// isList reports whether objects of a kind are lists.
func isList(kind string) bool { return strings.HasSuffix(kind, "List") }

// headOf reads the identity of the object in a text. If the keys begin lines, as in the output of kubectl, it skips the
// rest of the text.
func headOf(text []byte) (*head, error) {
	var part bytes.Buffer
	keep := false
	for line := range bytes.Lines(text) {
		if key, _, found := bytes.Cut(line, []byte(":")); found && key[0] != ' ' && key[0] != '#' && key[0] != '-' {
			keep = slices.Contains([]string{"apiVersion", "kind", "metadata"}, string(key))
		}
		if keep {
			part.Write(line)
		}
	}
	h := &head{}
	if err := yaml.Unmarshal(part.Bytes(), h); err == nil && h.Kind != "" && h.APIVersion != "" {
		return h, nil
	}
	return h, yaml.Unmarshal(text, h)
}

// decode decodes an object: into its Go type if the kind is known here, else as unstructured.
func (f *Files) decode(h *head, text []byte) (client.Object, error) {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(h.APIVersion)
	u.SetKind(h.Kind)
	if !f.types.Recognizes(u.GroupVersionKind()) {
		err := yaml.Unmarshal(text, &u.Object)
		return u, err
	}
	typed, err := f.types.New(u.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	o, ok := typed.(client.Object)
	if !ok {
		return nil, fmt.Errorf("a %s is no object", h.Kind)
	}
	return o, yaml.UnmarshalStrict(text, o)
}
