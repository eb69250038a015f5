// SPDX-License-Identifier: Apache-2.0

// Package pkgtree tells the root package of a ResourceList from its subpackages.
//
// The SDK has GetRootKptfile for this, and kptfileko to edit what it finds, but neither is safe on the packages that
// functions get. GetRootKptfile counts the steps of a Kptfile's path and takes the last of the shortest. In a render
// every Kptfile has the path "Kptfile", and in an eval two packages may lie side by side: it returns any one of them.
// kptfileko overwrites a list field that is not a list, puts info behind status, panics on YAML aliases, and removes no
// readiness gate. So functions find the root here, and edit it by package node.
package pkgtree

import (
	"path"
	"strings"

	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// KptfileName is the name of the file that makes a directory a kpt package.
const KptfileName = "Kptfile"

// KptfileOrder is the order in which kpt writes the fields of a Kptfile.
var KptfileOrder = []string{"apiVersion", "kind", "metadata", "upstream", "upstreamLock", "info", "pipeline",
	"inventory", "status"}

// Tree is the packages that the items of a ResourceList belong to.
type Tree struct {
	// Root is the position of the root package's Kptfile among the items.
	Root int
	root string
	dirs map[string]bool // the directories of all packages; nil if kpt told each item's package
}

// Read finds the packages of the items. In a render, kpt sets each item's package-path: the root's is the shortest.
// Without it, the root Kptfile is the one with the shallowest path. Items of kustomize have no path: all belong to the
// package of the one Kptfile. No Kptfile, or two that could be the root's, is an error.
func Read(items []*yaml.RNode) (*Tree, error) {
	kptfiles := map[int]krm.Identity{}
	rendered := false
	for i, item := range items {
		id := krm.Identify(item)
		if IsKptfileResource(id) {
			kptfiles[i] = id
			rendered = rendered || id.Package != ""
		}
	}
	t := &Tree{Root: -1}
	if !rendered {
		t.dirs = map[string]bool{}
	}
	tie := -1
	for i := range items {
		id, ok := kptfiles[i]
		if !ok || rendered && id.Package == "" {
			continue
		}
		dir := dirOf(id, rendered)
		if !rendered {
			t.dirs[dir] = true
		}
		switch {
		case t.Root < 0 || depth(dir) < depth(t.root):
			t.Root, t.root, tie = i, dir, -1
		case depth(dir) == depth(t.root):
			tie = i
		}
	}
	switch {
	case t.Root < 0:
		return nil, krm.Errorf(nil, "",
			"no Kptfile among the resources: run the function on a kpt package, and let no selector (--match-*, selectors, "+
				"exclude) hide its Kptfile")
	case tie >= 0:
		return nil, krm.Errorf(items[tie], "",
			"could be the root package's Kptfile as well as %s: run the function on one package at a time",
			place(kptfiles[t.Root]))
	}
	return t, nil
}

// InRoot reports whether an item belongs to the root package itself, not to one of its subpackages.
func (t *Tree) InRoot(item *yaml.RNode) bool {
	id := krm.Identify(item)
	if t.dirs == nil {
		return id.Package == "" || path.Clean(id.Package) == t.root
	}
	if id.File == "" {
		return true
	}
	for dir := path.Dir(path.Clean(id.File)); ; dir = path.Dir(dir) {
		if t.dirs[dir] || dir == path.Dir(dir) {
			return dir == t.root
		}
	}
}

// IsKptfile reports whether path is that of a Kptfile.
func IsKptfile(file string) bool { return path.Base(file) == KptfileName }

// IsKptfileResource reports whether id is that of a Kptfile, not of a resource of that kind in another file.
func IsKptfileResource(id krm.Identity) bool {
	return id.Kind == "Kptfile" && id.Group() == "kpt.dev" && (id.File == "" || IsKptfile(id.File))
}

func dirOf(id krm.Identity, rendered bool) string {
	if rendered {
		return path.Clean(id.Package)
	}
	return path.Dir(path.Clean(id.File))
}

// depth counts the steps of a clean path.
func depth(dir string) int {
	if dir == "." || dir == "/" {
		return 0
	}
	return strings.Count(strings.TrimPrefix(dir, "/"), "/") + 1
}

func place(id krm.Identity) string {
	if file := path.Join(id.Package, id.File); file != "" {
		return file
	}
	return id.Describe()
}
