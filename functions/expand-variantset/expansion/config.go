// SPDX-License-Identifier: Apache-2.0

// Package expansion expands a PackageVariantSet into its PackageVariants.
package expansion

import (
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/fnconfig"
	"github.com/package-variants/package-variants/functions/krm"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Kind is the kind of the function's own config, of API version fn.kpt.dev/v1alpha1.
const Kind = "ExpandVariantSet"

// Config is the function's own config: a PackageVariantSet's spec without the set, and objects of the snapshot. Its
// metadata.name stands for the set's name.
type Config struct {
	fnconfig.TypeMeta `json:",inline"`
	Metadata          fnconfig.Metadata `json:"metadata,omitempty"`

	v1alpha2.PackageVariantSetSpec `json:",inline"`
	// Resources are objects of the cluster, in addition to those among the items. A generator of kustomize gets no items.
	Resources []any `json:"resources,omitempty"`
}

// packageVariantSet is a PackageVariantSet as the function's config.
type packageVariantSet struct {
	fnconfig.TypeMeta `json:",inline"`
	Metadata          fnconfig.Metadata              `json:"metadata,omitempty"`
	Spec              v1alpha2.PackageVariantSetSpec `json:"spec,omitempty"`
	Status            any                            `json:"status,omitempty"`
}

const example = `{apiVersion: config.porch.kpt.dev/v1alpha2, kind: PackageVariantSet, metadata: {name: ` +
	`web, namespace: fleet}, spec: {upstream: {repo: blueprints, package: web, revision: 3}, targets: ` +
	`[{repositorySelector: {matchLabels: {env: prod}}}]}}`

// request is what a config asks for.
type request struct {
	set *v1alpha2.PackageVariantSet
	// path is where the spec stands in the config.
	path string
	// resources are the config's own objects of the snapshot.
	resources []*yaml.RNode
}

// decode reads the config.
func decode(config *yaml.RNode) (request, error) {
	set := &v1alpha2.PackageVariantSet{}
	r := request{set: set}
	take := func(meta fnconfig.Metadata, spec v1alpha2.PackageVariantSetSpec) {
		set.Name, set.Namespace, set.UID, set.Spec = meta.Name, meta.Namespace, types.UID(meta.UID), spec
	}
	err := fnconfig.Decode(config, example,
		fnconfig.Form{APIVersion: v1alpha2.GroupVersion.String(), Kind: "PackageVariantSet",
			Decode: func(n *yaml.RNode) error {
				var s packageVariantSet
				err := fnconfig.Strict(n, &s)
				take(s.Metadata, s.Spec)
				r.path = "spec"
				return err
			}},
		fnconfig.Form{APIVersion: fnconfig.APIVersion, Kind: Kind, Decode: func(n *yaml.RNode) error {
			var c Config
			if err := fnconfig.Strict(n, &c); err != nil {
				return err
			}
			take(c.Metadata, c.PackageVariantSetSpec)
			var err error
			r.resources, err = fnconfig.Resources(n)
			return err
		}},
	)
	if err != nil {
		return request{}, err
	}
	return r, krm.Wrap(config, Validate(set, r.path))
}
