// SPDX-License-Identifier: Apache-2.0

// Package packagecontext edits the package context of a kpt package: the ConfigMap kptfile.kpt.dev of its root.
package packagecontext

import (
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/internal/fnconfig"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Kind is the kind of the function's own config, of API version fn.kpt.dev/v1alpha1.
const Kind = "ApplyPackageContext"

// Config is the function's own config (README.md of the function).
type Config struct {
	fnconfig.TypeMeta `json:",inline"`
	Metadata          fnconfig.Metadata `json:"metadata,omitempty"`

	// Data are the pairs that end up in the package context.
	Data map[string]string `json:"data,omitempty"`
	// RemoveKeys are the keys that do not.
	RemoveKeys []string `json:"removeKeys,omitempty"`
}

const example = `{apiVersion: fn.kpt.dev/v1alpha1, kind: ApplyPackageContext, metadata: {name: context}, data: ` +
	`{region: eu-west}, removeKeys: [old-key]}`

// request is what a config asks for.
type request struct {
	data       map[string]string
	removeKeys []string
}

func decode(config *yaml.RNode) (request, error) {
	var r request
	var path string
	err := fnconfig.Decode(config, example,
		fnconfig.Form{APIVersion: fnconfig.APIVersion, Kind: Kind, Decode: func(n *yaml.RNode) error {
			var c Config
			err := fnconfig.Strict(n, &c)
			r = request{data: c.Data, removeKeys: c.RemoveKeys}
			return err
		}},
		fnconfig.PackageVariant(func(_ *yaml.RNode, _ fnconfig.Metadata, spec *variant.Spec) error {
			if pc := spec.PackageContext; pc != nil {
				r = request{data: pc.Data, removeKeys: pc.RemoveKeys}
				path = "spec.packageContext"
			}
			return nil
		}),
		fnconfig.Form{APIVersion: "v1", Kind: "ConfigMap", Decode: func(n *yaml.RNode) error {
			var cm configMap
			err := fnconfig.Strict(n, &cm)
			r = request{data: cm.Data}
			if err == nil && len(cm.Data) == 0 {
				return fnconfig.Missing(example)
			}
			return err
		}},
	)
	if err != nil {
		return r, err
	}
	pc := variant.PackageContext{Data: r.data, RemoveKeys: r.removeKeys}
	return r, fnconfig.Invalid(config, pc.Validate(path))
}

// configMap is a ConfigMap as the function's config.
type configMap struct {
	fnconfig.TypeMeta `json:",inline"`
	Metadata          fnconfig.Metadata `json:"metadata,omitempty"`
	Data              map[string]string `json:"data,omitempty"`
	Immutable         any               `json:"immutable,omitempty"`
}
