// SPDX-License-Identifier: Apache-2.0

// Package pipeline writes the functions of a package variant to the front of a kpt package's pipeline.
package pipeline

import (
	"errors"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/internal/fnconfig"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Kind is the kind of the function's own config, of API version fn.kpt.dev/v1alpha1.
const Kind = "PrependPipeline"

// Config is the function's own config (section "prepend-pipeline" of the design). Its metadata.name is the variant's.
type Config struct {
	fnconfig.TypeMeta `json:",inline"`
	Metadata          fnconfig.Metadata `json:"metadata,omitempty"`

	// Pipeline are the functions to prepend; none removes those that an earlier config of the same name added.
	Pipeline *variant.Pipeline `json:"pipeline,omitempty"`
}

const example = `{apiVersion: fn.kpt.dev/v1alpha1, kind: PrependPipeline, metadata: {name: my-variant}, pipeline: {mutators: [{name: labels, image: "set-labels:v0.2", configMap: {tier: gold}}]}}`

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
			validate(n, node.Join(path, "mutators"), r.pipeline.Mutators),
			validate(n, node.Join(path, "validators"), r.pipeline.Validators))
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

// validate checks the functions of the list at path: names have no dots, and each function has an image or an exec.
func validate(config *yaml.RNode, path string, functions []variant.Function) error {
	var errs []error
	for i, f := range functions {
		at := node.Index(path, i)
		if strings.Contains(f.Name, ".") {
			errs = append(errs, krm.Errorf(config, node.Join(at, "name"), "is %q, but must have no dot: its name in the Kptfile is read by the dots", f.Name))
		}
		switch {
		case f.Image == "" && f.Exec == "":
			errs = append(errs, krm.Errorf(config, at, "has neither image nor exec: say which function to run"))
		case f.Image != "" && f.Exec != "":
			errs = append(errs, krm.Errorf(config, at, "has both image and exec: decide for one"))
		}
	}
	return errors.Join(errs...)
}
