// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"errors"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// objects are the objects to choose from.
type objects struct {
	namespace  string
	byID       map[Candidate]*yaml.RNode
	elsewhere  map[Candidate]string // the namespace of an object that is not used
	versions   map[Candidate]string // the API version of an object that is there; in the key stands its group alone
	unreadable map[Candidate]string // why an object, or, without a name, a kind could not be read
}

// objects returns the objects to choose from. The sources are those in the package. Two objects with the same name are
// an error, unless it makes no difference which is injected.
func (r Request) objects(sources []*yaml.RNode) (objects, error) {
	o := objects{namespace: r.Namespace, byID: map[Candidate]*yaml.RNode{}, elsewhere: map[Candidate]string{},
		versions: map[Candidate]string{}, unreadable: map[Candidate]string{}}
	if r.Resources != nil {
		sources = r.Resources
	}
	var errs []error
	for _, object := range sources {
		id := krm.Identify(object)
		key := Candidate{APIVersion: id.APIVersion, Kind: id.Kind, Name: id.Name}
		if id.Namespace != "" && id.Namespace != r.Namespace {
			o.elsewhere[key] = id.Namespace
			continue
		}
		first := o.byID[key]
		if first == nil {
			o.byID[key], o.versions[anyVersion(id, id.Name)] = object, id.APIVersion
		} else if field := differing(first, object, point{id: id}.fields()); field != "" {
			place := krm.Identify(first).Place()
			if r.Resources != nil {
				place = node.Index("resources", slices.Index(sources, first))
			}
			errs = append(errs, krm.Errorf(object, "",
				"stands twice among the objects to inject, the first is %s, and the two differ in %s: remove one of them",
				place, field))
		}
	}
	for _, u := range r.Unreadable {
		o.unreadable[Candidate{APIVersion: u.APIVersion, Kind: u.Kind, Name: u.Name}] = u.Message
	}
	return o, errors.Join(errs...)
}

// differing returns the first of the fields in which two objects differ, and "" if there is none.
func differing(a, b *yaml.RNode, fields []string) string {
	for _, field := range fields {
		if !node.Equal(node.Get(a.YNode(), field), node.Get(b.YNode(), field)) {
			return field
		}
	}
	return ""
}

// anyVersion returns the key of an object of that name, and of the kind of id, in whatever version.
func anyVersion(id krm.Identity, name string) Candidate {
	return Candidate{APIVersion: id.Group(), Kind: id.Kind, Name: name}
}

// choose returns the object for the point: of the first injector that is for the point and that names an object of the
// point's kind in the namespace. If there is none, it says why. An object that could not be read is not skipped:
// otherwise the next one would be injected in its place.
func (p point) choose(injectors []variant.InjectionSelector, all objects) (object *yaml.RNode, reason, message string) {
	if len(injectors) == 0 {
		return nil, ReasonNoInjectors, "the variant has no injectors"
	}
	message = fmt.Sprintf("no injector is for %s %s", p.id.APIVersion, p.id.Kind)
	for _, injector := range injectors {
		if !p.matches(injector) {
			if p.matchesKind(injector) {
				message = fmt.Sprintf("no injector is for %s %s %q", p.id.APIVersion, p.id.Kind, p.id.Name)
			} else if p.matchesOtherVersion(injector) {
				message = fmt.Sprintf("no injector is for %s %s, only one for version %q", p.id.APIVersion, p.id.Kind,
					*injector.Version)
			}
			continue
		}
		key := Candidate{APIVersion: p.id.APIVersion, Kind: p.id.Kind, Name: injector.Name}
		if object := all.byID[key]; object != nil {
			return object, "", ""
		}
		if why, unreadable := all.whyUnreadable(key); unreadable {
			return nil, ReasonUnreadable, fmt.Sprintf("cannot read %s: %s", all.describe(key), why)
		}
		message = "no " + all.describe(key) + all.instead(p.id, key)
	}
	return nil, ReasonNoResource, message
}

// instead says which similar object exists if the wanted one does not: in another namespace, or of another version.
func (o objects) instead(id krm.Identity, key Candidate) string {
	namespace, elsewhere := o.elsewhere[key]
	version, other := o.versions[anyVersion(id, key.Name)]
	switch {
	case elsewhere && o.namespace == "":
		return fmt.Sprintf(", only one in namespace %q: set metadata.namespace of the config to the namespace of the objects",
			namespace)
	case elsewhere:
		return fmt.Sprintf(", only one in namespace %q", namespace)
	case other:
		return fmt.Sprintf(", only one of %s: let the point and the object have the same version", version)
	}
	return ""
}

func (o objects) whyUnreadable(key Candidate) (string, bool) {
	why, unreadable := o.unreadable[key]
	if !unreadable {
		why, unreadable = o.unreadable[Candidate{APIVersion: key.APIVersion, Kind: key.Kind}]
	}
	return why, unreadable
}

func (o objects) describe(key Candidate) string {
	if o.namespace == "" {
		return fmt.Sprintf("%s %s named %q without a namespace", key.APIVersion, key.Kind, key.Name)
	}
	return fmt.Sprintf("%s %s named %q in namespace %q", key.APIVersion, key.Kind, key.Name, o.namespace)
}

// matches reports whether the injector is for the point.
func (p point) matches(injector variant.InjectionSelector) bool {
	return p.matchesKind(injector) && (injector.InjectionPoint == "" || injector.InjectionPoint == p.id.Name)
}

// matchesOtherVersion reports whether the injector would be for the point's kind if its version were the point's.
func (p point) matchesOtherVersion(injector variant.InjectionSelector) bool {
	named := injector.Version != nil
	injector.Version = nil
	return named && p.matchesKind(injector)
}

func (p point) matchesKind(injector variant.InjectionSelector) bool {
	equal := func(want *string, have string) bool { return want == nil || *want == have }
	return equal(injector.Group, p.id.Group()) && equal(injector.Version, p.id.Version()) &&
		equal(injector.Kind, p.id.Kind)
}
