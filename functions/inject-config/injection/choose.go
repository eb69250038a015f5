// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// objects are the objects to choose from.
type objects struct {
	namespace  string
	byID       map[Candidate]*yaml.RNode
	elsewhere  map[Candidate]string // the namespace of an object that is not used
	unreadable map[Candidate]string // why an object, or, without a name, a kind could not be read
}

// objects returns the objects to choose from; of several of one name, the first. The sources are those in the package.
func (r Request) objects(sources []*yaml.RNode) objects {
	o := objects{namespace: r.Namespace, byID: map[Candidate]*yaml.RNode{}, elsewhere: map[Candidate]string{},
		unreadable: map[Candidate]string{}}
	if r.Resources != nil {
		sources = r.Resources
	}
	for _, object := range sources {
		id := krm.Identify(object)
		key := Candidate{APIVersion: id.APIVersion, Kind: id.Kind, Name: id.Name}
		switch {
		case id.Namespace != "" && id.Namespace != r.Namespace:
			o.elsewhere[key] = id.Namespace
		case o.byID[key] == nil:
			o.byID[key] = object
		}
	}
	for _, u := range r.Unreadable {
		o.unreadable[Candidate{APIVersion: u.APIVersion, Kind: u.Kind, Name: u.Name}] = u.Message
	}
	return o
}

// choose returns the object for the point: of the first injector that is for the point and that names an object of the
// point's kind in the namespace. If there is none, it says why. An object that could not be read is not passed over:
// the next one would be injected in its place.
func (p point) choose(injectors []variant.InjectionSelector, all objects) (object *yaml.RNode, reason, message string) {
	if len(injectors) == 0 {
		return nil, ReasonNoInjectors, "the variant has no injectors"
	}
	message = fmt.Sprintf("no injector is for %s %s", p.id.APIVersion, p.id.Kind)
	for _, injector := range injectors {
		if !p.matches(injector) {
			if p.matchesKind(injector) {
				message = fmt.Sprintf("no injector is for %s %s %q", p.id.APIVersion, p.id.Kind, p.id.Name)
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
		message = "no " + all.describe(key)
		if namespace, found := all.elsewhere[key]; found {
			message += fmt.Sprintf(", only one in namespace %q", namespace)
		}
	}
	return nil, ReasonNoResource, message
}

func (o objects) whyUnreadable(key Candidate) (string, bool) {
	why, unreadable := o.unreadable[key]
	if !unreadable {
		why, unreadable = o.unreadable[Candidate{APIVersion: key.APIVersion, Kind: key.Kind}]
	}
	return why, unreadable
}

func (o objects) describe(key Candidate) string {
	return fmt.Sprintf("%s %s named %q in namespace %q", key.APIVersion, key.Kind, key.Name, o.namespace)
}

// matches reports whether the injector is for the point.
func (p point) matches(injector variant.InjectionSelector) bool {
	return p.matchesKind(injector) && (injector.InjectionPoint == "" || injector.InjectionPoint == p.id.Name)
}

func (p point) matchesKind(injector variant.InjectionSelector) bool {
	equal := func(want *string, have string) bool { return want == nil || *want == have }
	return equal(injector.Group, p.id.Group()) && equal(injector.Version, p.id.Version()) &&
		equal(injector.Kind, p.id.Kind)
}
