// SPDX-License-Identifier: Apache-2.0

// Package injection fills the injection points of a kpt package from in-cluster objects.
package injection

import (
	"errors"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/internal/fnconfig"
	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Kind is the kind of the function's own config, of API version fn.kpt.dev/v1alpha1.
const Kind = "InjectConfig"

// Config is the function's own config (README.md of the function). Objects of a namespace other than its
// metadata.namespace are not used.
type Config struct {
	fnconfig.TypeMeta `json:",inline"`
	Metadata          fnconfig.Metadata `json:"metadata,omitempty"`

	// Injectors choose the object for each injection point; the first that matches wins.
	Injectors []variant.InjectionSelector `json:"injectors,omitempty"`
	// Resources are the in-cluster objects to choose from. Where the field is present, even empty, those in the package
	// are not used.
	Resources []any `json:"resources,omitempty"`
	// Unreadable tells which in-cluster objects could not be read, and why.
	Unreadable []Unreadable `json:"unreadable,omitempty"`
}

// Unreadable is an in-cluster object that could not be read, and may or may not exist.
type Unreadable struct {
	// APIVersion and Kind are those of the object.
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	// Name is the object's; without it, no object of the kind could be read.
	Name string `json:"name,omitempty"`
	// Message says why, for the condition of the injection point.
	Message string `json:"message,omitempty"`
}

const example = `{apiVersion: fn.kpt.dev/v1alpha1, kind: InjectConfig, metadata: {name: inject, namespace: ` +
	`fleet}, injectors: [{name: eu}], resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: eu, namespace: ` +
	`fleet}, data: {api: api.eu.example.com}}]}`

// Request is what a config asks for.
type Request struct {
	// Namespace is the namespace of the variant. Objects of another are not used.
	Namespace string
	// Injectors choose the object for each injection point.
	Injectors []variant.InjectionSelector
	// Resources are the objects to choose from; if nil, those in the package are.
	Resources []*yaml.RNode
	// Unreadable are the objects that could not be read and may or may not exist. A point for which an injector chooses
	// one of them is not filled.
	Unreadable []Unreadable
}

func decode(config *yaml.RNode) (Request, error) {
	var r Request
	err := fnconfig.Decode(config, example,
		fnconfig.Form{APIVersion: fnconfig.APIVersion, Kind: Kind, Decode: func(n *yaml.RNode) error {
			var c Config
			if err := fnconfig.Strict(n, &c); err != nil {
				return err
			}
			r.Namespace, r.Injectors, r.Unreadable = c.Metadata.Namespace, c.Injectors, c.Unreadable
			var err error
			r.Resources, err = fnconfig.Resources(n)
			return errors.Join(err, validate(n, "injectors", c.Injectors), validateUnreadable(n, c.Unreadable))
		}},
		fnconfig.PackageVariant(func(n *yaml.RNode, meta fnconfig.Metadata, spec *variant.Spec) error {
			r.Namespace, r.Injectors = meta.Namespace, spec.Injectors
			return validate(n, "spec.injectors", spec.Injectors)
		}),
	)
	return r, err
}

func validate(config *yaml.RNode, path string, injectors []variant.InjectionSelector) error {
	var errs []error
	for i, injector := range injectors {
		errs = append(errs, fnconfig.Require(config, node.Join(node.Index(path, i), "name"), injector.Name))
	}
	return errors.Join(errs...)
}

func validateUnreadable(config *yaml.RNode, unreadable []Unreadable) error {
	var errs []error
	for i, u := range unreadable {
		path := node.Index("unreadable", i)
		errs = append(errs,
			fnconfig.Require(config, node.Join(path, "apiVersion"), u.APIVersion),
			fnconfig.Require(config, node.Join(path, "kind"), u.Kind),
			fnconfig.Require(config, node.Join(path, "message"), u.Message))
	}
	return errors.Join(errs...)
}
