// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// kustomizeAnnotation is what kustomize sets on each item that it hands to a function.
const kustomizeAnnotation = "kustomize.config.k8s.io/id"

// PackagePathAnnotation is what kpt sets in a render: the path of the package that an item belongs to.
const PackagePathAnnotation = "internal.config.kubernetes.io/package-path"

// Identity is what identifies an item.
type Identity struct {
	APIVersion, Kind, Namespace, Name string
	// File is the path annotation: the item's file, relative to its package's directory; empty for a new item, and for
	// the items of kustomize, which does not say where they come from.
	File string
	// Index is the item's place among the documents of its file.
	Index int
	// Package is the package-path annotation, which only kpt's render sets.
	Package string
}

// Group returns the group of the API version; empty for the core group.
func (id Identity) Group() string {
	group, _, found := strings.Cut(id.APIVersion, "/")
	if !found {
		return ""
	}
	return group
}

// Version returns the API version without its group.
func (id Identity) Version() string {
	if _, version, found := strings.Cut(id.APIVersion, "/"); found {
		return version
	}
	return id.APIVersion
}

// Place says where the item is, for messages: in which file, or, where an orchestrator without files (kustomize) runs
// the function, which item it is.
func (id Identity) Place() string {
	if id.File != "" {
		return "in " + id.File
	}
	return id.Describe()
}

// Describe returns the item's kind and name, and its namespace if it has one, for messages.
func (id Identity) Describe() string {
	if id.Namespace == "" {
		return fmt.Sprintf("%s %q", id.Kind, id.Name)
	}
	return fmt.Sprintf("%s %q of namespace %q", id.Kind, id.Name, id.Namespace)
}

// Identify reads an item's identity; what is missing stays empty.
func Identify(item *yaml.RNode) Identity {
	n := item.YNode()
	annotations := node.Get(n, "metadata", "annotations")
	id := Identity{
		APIVersion: node.GetString(n, "apiVersion"),
		Kind:       node.GetString(n, "kind"),
		Namespace:  node.GetString(n, "metadata", "namespace"),
		Name:       node.GetString(n, "metadata", "name"),
		File:       node.GetString(annotations, kioutil.PathAnnotation),
		Package:    node.GetString(annotations, PackagePathAnnotation),
	}
	if id.File == "" {
		//nolint:staticcheck // older orchestrators set only this one
		id.File = node.GetString(annotations, kioutil.LegacyPathAnnotation)
	}
	if node.Get(annotations, kustomizeAnnotation) != nil {
		id.File = "" // made up by kustomize when the item came out of another function
	}
	id.Index, _ = strconv.Atoi(node.GetString(annotations, kioutil.IndexAnnotation))
	return id
}

// Annotation returns the value of an item's annotation, or "" if it has none.
func Annotation(item *yaml.RNode, key string) string {
	return node.GetString(item.YNode(), "metadata", "annotations", key)
}

// IsInternalAnnotation reports whether an annotation belongs to the orchestrator (kpt, kustomize), which sets it for
// the time of a function's run.
func IsInternalAnnotation(key string) bool {
	return strings.HasPrefix(key, "internal.config.kubernetes.io/") || strings.HasPrefix(key, "internal.config.k8s.io/") ||
		slices.Contains(otherInternal, key)
}

var otherInternal = []string{
	//nolint:staticcheck // older orchestrators still set them
	kioutil.LegacyPathAnnotation, kioutil.LegacyIndexAnnotation, kioutil.LegacyIdAnnotation,
	kustomizeAnnotation,
}
