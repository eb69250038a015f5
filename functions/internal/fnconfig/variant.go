// SPDX-License-Identifier: Apache-2.0

package fnconfig

import (
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TypeMeta is the type of a config.
type TypeMeta struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
}

// Metadata is the metadata of a config: what functions read, and what else the API server may have put there. It
// stands for the type of that name in apimachinery, which would take a tenth of a small function's run to start.
type Metadata struct {
	Name        string            `json:"name,omitempty"`
	Namespace   string            `json:"namespace,omitempty"`
	UID         string            `json:"uid,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`

	GenerateName               any `json:"generateName,omitempty"`
	SelfLink                   any `json:"selfLink,omitempty"`
	ResourceVersion            any `json:"resourceVersion,omitempty"`
	Generation                 any `json:"generation,omitempty"`
	CreationTimestamp          any `json:"creationTimestamp,omitempty"`
	DeletionTimestamp          any `json:"deletionTimestamp,omitempty"`
	DeletionGracePeriodSeconds any `json:"deletionGracePeriodSeconds,omitempty"`
	OwnerReferences            any `json:"ownerReferences,omitempty"`
	Finalizers                 any `json:"finalizers,omitempty"`
	ManagedFields              any `json:"managedFields,omitempty"`
}

// packageVariant is a PackageVariant as a function's config.
type packageVariant struct {
	TypeMeta `json:",inline"`
	Metadata Metadata     `json:"metadata,omitempty"`
	Spec     variant.Spec `json:"spec,omitempty"`
	Status   any          `json:"status,omitempty"`
}

// PackageVariant is the form in which a config is a PackageVariant. Parts of its spec that the function does not read
// may be absent.
func PackageVariant(read func(config *yaml.RNode, meta Metadata, spec *variant.Spec) error) Form {
	return Form{APIVersion: variant.APIVersion, Kind: variant.Kind, Decode: func(config *yaml.RNode) error {
		var pv packageVariant
		if err := Strict(config, &pv); err != nil {
			return err
		}
		return read(config, pv.Metadata, &pv.Spec)
	}}
}
