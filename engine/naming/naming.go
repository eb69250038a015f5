// SPDX-License-Identifier: Apache-2.0

// Package naming is how command lines name objects, and what they say of names that nothing has.
package naming

import (
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind is a kind of object that command lines know.
type Kind struct {
	// Name is the kind, Resource its plural as in the rules of a Role, APIVersion its group and version.
	Name, Resource, APIVersion string
	// also are other words that kubectl knows it by.
	also []string
}

// porch is the group and version of package revisions.
const porch = "porch.kpt.dev/v1alpha1"

// The kinds.
var (
	Variant = Kind{"PackageVariant", "packagevariants", v1alpha1.GroupVersion.String(),
		[]string{"packagevariant", "pkgvar", "pkgvars"}}
	Set = Kind{"PackageVariantSet", "packagevariantsets", v1alpha2.GroupVersion.String(),
		[]string{"packagevariantset", "pkgvarset", "pkgvarsets", "set"}}
	Revision = Kind{"PackageRevision", "packagerevisions", porch,
		[]string{"packagerevision"}}
	Resources  = Kind{"PackageRevisionResources", "packagerevisionresources", porch, nil}
	Repository = Kind{"Repository", "repositories", revision.RepositoryKind.GroupVersion().String(),
		[]string{"repository", "repo"}}
	// Package is not a kind of the API: a package is named by its Repository and its name there.
	Package = Kind{Name: "Package", Resource: "packages", also: []string{"package"}}
)

// Group returns the API group of the kind.
func (k Kind) Group() string {
	group, _, named := strings.Cut(k.APIVersion, "/")
	if !named { // the core group
		return ""
	}
	return group
}

// An Object is named by an argument of a command line: NAME, TYPE/NAME, or REPOSITORY/PACKAGE.
type Object struct {
	Kind Kind
	Name string
}

// kindOf returns the kind that a word of a command line stands for.
func kindOf(word string) (Kind, bool) {
	word, _, _ = strings.Cut(strings.ToLower(word), ".")
	for _, k := range []Kind{Variant, Set, Revision, Repository, Package} {
		if word == k.Resource || slices.Contains(k.also, word) {
			return k, true
		}
	}
	return Kind{}, false
}

// Parse returns the object that an argument names: of the given kinds, the first one if the argument has no kind. For
// any other kind or unknown word, the error lists the possible kinds. If packages are possible, an unknown word before
// a slash is taken for a Repository.
func Parse(argument string, kinds ...Kind) (Object, error) {
	word, name, typed := strings.Cut(argument, "/")
	if !typed {
		word, name = "", argument
	}
	if name == "" || typed && word == "" {
		return Object{}, fmt.Errorf("%q names nothing: write NAME or TYPE/NAME", argument)
	}
	if !typed {
		return Object{kinds[0], name}, nil
	}
	kind, known := kindOf(word)
	possible := func(k Kind) bool {
		return slices.ContainsFunc(kinds, func(other Kind) bool { return other.Name == k.Name })
	}
	if !known && possible(Package) {
		return Object{Package, argument}, nil
	}
	if known && possible(kind) {
		return Object{kind, name}, nil
	}
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name+"s")
	}
	is := fmt.Sprintf("%s is no kind that it knows", word)
	if known {
		is = fmt.Sprintf("%s is a %s", argument, kind.Name)
	}
	return Object{}, fmt.Errorf("this command is for %s, and %s", strings.Join(names, " and "), is)
}

// NotFound returns the error for a name that no object of a kind has, among the known names of a namespace.
func NotFound(kind Kind, name, namespace string, known []string) error {
	text := fmt.Sprintf("there is no %s %q in the namespace %q", kind.Name, name, namespace)
	if near := Nearest(name, known); near != "" {
		return fmt.Errorf("%s: did you mean %q?", text, near)
	}
	if len(known) == 0 {
		return fmt.Errorf("%s, which has none: set --namespace to another", text)
	}
	return fmt.Errorf("%s, which has %s", text, words.Some(known, ", "))
}

// Nearest returns the known name closest to a name; "" if none is close. A name is close if at most a third of the
// letters differ, or one of them. A name that is part of exactly one known name is close to it.
func Nearest(name string, known []string) string {
	if near := words.Nearest(name, known, max(len(name)/3, 1)+1); near != "" {
		return near
	}
	var within []string
	for _, k := range known {
		if strings.Contains(k, name) {
			within = append(within, k)
		}
	}
	if len(within) == 1 {
		return within[0]
	}
	return ""
}

// SetOf returns the name of the set that owns a variant; "" if none does.
func SetOf(pv *v1alpha1.PackageVariant) string {
	if ref := metav1.GetControllerOfNoCopy(pv); ref != nil && ref.Kind == Set.Name {
		return ref.Name
	}
	for _, ref := range pv.OwnerReferences {
		if ref.Kind == Set.Name {
			return ref.Name
		}
	}
	return ""
}
