// SPDX-License-Identifier: Apache-2.0

// Package pipeline writes the functions of a package variant to the front of a kpt package's pipeline.
package pipeline

import (
	"errors"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/functions/internal/fnconfig"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/krm"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Kind is the kind of the function's own config, of API version fn.kpt.dev/v1alpha1.
const Kind = "PrependPipeline"

// Config is the function's own config (section "prepend-pipeline" of the design). Its metadata.name is the variant's.
type Config struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Pipeline are the functions to prepend; none removes those that an earlier config of the same name added.
	Pipeline *v1alpha1.Pipeline `json:"pipeline,omitempty"`
}

const example = `
apiVersion: fn.kpt.dev/v1alpha1
kind: PrependPipeline
metadata:
  name: my-variant
pipeline:
  mutators:
  - name: set-namespace
    image: ghcr.io/kptdev/krm-functions-catalog/set-namespace:latest
    configMap:
      namespace: my-namespace
`

func decode(config *yaml.RNode) (variant string, p v1alpha1.Pipeline, err error) {
	take := func(n *yaml.RNode, name, path string, from *v1alpha1.Pipeline) error {
		variant = name
		if from != nil {
			p = *from
		}
		return errors.Join(
			fnconfig.Require(n, "metadata.name", name),
			validate(n, node.Join(path, "mutators"), p.Mutators),
			validate(n, node.Join(path, "validators"), p.Validators))
	}
	err = fnconfig.Decode(config, example,
		fnconfig.Form{APIVersion: fnconfig.APIVersion, Kind: Kind, Decode: func(n *yaml.RNode) error {
			var c Config
			if err := fnconfig.Strict(n, &c); err != nil {
				return err
			}
			return take(n, c.Name, "pipeline", c.Pipeline)
		}},
		fnconfig.Form{APIVersion: v1alpha1.GroupVersion.String(), Kind: "PackageVariant", Decode: func(n *yaml.RNode) error {
			var pv v1alpha1.PackageVariant
			if err := fnconfig.Strict(n, &pv); err != nil {
				return err
			}
			return take(n, pv.Name, "spec.pipeline", pv.Spec.Pipeline)
		}},
	)
	return variant, p, err
}

// validate checks the functions of the list at path: names have no dots, and each function has an image or an exec.
func validate(config *yaml.RNode, path string, functions []v1alpha1.Function) error {
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
