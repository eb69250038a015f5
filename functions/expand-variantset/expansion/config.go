// SPDX-License-Identifier: Apache-2.0

// Package expansion expands a PackageVariantSet into its PackageVariants.
package expansion

import (
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/fnconfig"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Kind is the kind of the function's own config, of API version fn.kpt.dev/v1alpha1.
const Kind = "ExpandVariantSet"

// Config is the function's own config: a PackageVariantSet's spec without the set. Its metadata.name stands for the
// set's name.
type Config struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	v1alpha2.PackageVariantSetSpec `json:",inline"`
}

const example = `
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: web
  namespace: default
spec:
  upstream:
    repo: blueprints
    package: web
    revision: 3
  targets:
  - repositorySelector:
      matchLabels:
        env: prod
    template:
      downstream:
        packageExpr: packageDefault + '-' + repository.labels['region']
`

// decode reads the set from the config. It also returns the path at which the spec stands in the config.
func decode(config *yaml.RNode) (set *v1alpha2.PackageVariantSet, path string, err error) {
	set = &v1alpha2.PackageVariantSet{}
	err = fnconfig.Decode(config, example,
		fnconfig.Form{APIVersion: v1alpha2.GroupVersion.String(), Kind: "PackageVariantSet", Decode: func(n *yaml.RNode) error {
			path = "spec"
			return fnconfig.Strict(n, set)
		}},
		fnconfig.Form{APIVersion: fnconfig.APIVersion, Kind: Kind, Decode: func(n *yaml.RNode) error {
			var c Config
			err := fnconfig.Strict(n, &c)
			set.ObjectMeta, set.Spec = c.ObjectMeta, c.PackageVariantSetSpec
			return err
		}},
	)
	if err != nil {
		return nil, "", err
	}
	return set, path, asErrors(config, validate(set, path))
}

// upstreamName names the package revision that an upstream asks for, for messages.
func upstreamName(u *v1alpha1.Upstream) string {
	name := u.Repo + "/" + u.Package
	if !u.Revision.IsZero() {
		return name + " revision " + u.Revision.String()
	}
	return name + " workspace " + u.WorkspaceName
}
