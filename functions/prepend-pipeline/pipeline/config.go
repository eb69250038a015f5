// SPDX-License-Identifier: Apache-2.0

// Package pipeline writes the functions of a package variant to the front of a kpt package's pipeline.
package pipeline

import (
	"errors"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/internal/fnconfig"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Kind is the kind of the function's own config, of API version fn.kpt.dev/v1alpha1.
const Kind = "PrependPipeline"

// Config is the function's own config (README.md of the function). Its metadata.name is the variant's.
type Config struct {
	fnconfig.TypeMeta `json:",inline"`
	Metadata          fnconfig.Metadata `json:"metadata,omitempty"`

	// Pipeline are the functions to prepend; none removes those that an earlier config of the same name added.
	Pipeline *variant.Pipeline `json:"pipeline,omitempty"`
}

const example = `{apiVersion: fn.kpt.dev/v1alpha1, kind: PrependPipeline, metadata: {name: my-variant}, pipeline: ` +
	`{mutators: [{name: labels, image: "set-labels:v0.2", configMap: {tier: gold}}]}}`

// request is what a config asks for.
type request struct {
	variant  string
	pipeline variant.Pipeline
}

func decode(config *yaml.RNode) (r request, err error) {
	take := func(n *yaml.RNode, name, path string, p *variant.Pipeline) error {
		r.variant = name
		if p != nil {
			r.pipeline = *p
		}
		return errors.Join(
			fnconfig.Require(n, "metadata.name", name),
			fnconfig.Invalid(n, p.Validate(path)))
	}
	err = fnconfig.Decode(config, example,
		fnconfig.Form{APIVersion: fnconfig.APIVersion, Kind: Kind, Decode: func(n *yaml.RNode) error {
			var c Config
			if err := fnconfig.Strict(n, &c); err != nil {
				return err
			}
			return take(n, c.Metadata.Name, "pipeline", c.Pipeline)
		}},
		fnconfig.PackageVariant(func(n *yaml.RNode, meta fnconfig.Metadata, spec *variant.Spec) error {
			return take(n, meta.Name, "spec.pipeline", spec.Pipeline)
		}),
	)
	return r, err
}
