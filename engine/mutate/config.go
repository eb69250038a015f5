// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"maps"
	"slices"

	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/functions/apply-package-context/packagecontext"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/functions/prepend-pipeline/pipeline"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// configVersion is the API version of the functions' own configs (docs/design.md, "The functions").
const configVersion = "fn.kpt.dev/v1alpha1"

// config returns the function's own config of a kind, without empty fields.
func config(kind string, r Request, fields map[string]any) map[string]any {
	out := map[string]any{
		"apiVersion": configVersion, "kind": kind,
		"metadata": map[string]any{"name": r.Name, "namespace": r.Namespace},
	}
	maps.Copy(out, fields)
	return out
}

func contextConfig(r Request) map[string]any {
	return config(packagecontext.Kind, r, map[string]any{"data": r.Spec.PackageContext.Data,
		"removeKeys": r.Spec.PackageContext.RemoveKeys})
}

func pipelineConfig(r Request) map[string]any {
	return config(pipeline.Kind, r, map[string]any{"pipeline": r.Spec.Pipeline})
}

// injectionConfig passes on no more of the objects than the function reads.
func injectionConfig(r Request) map[string]any {
	resources := make([]map[string]any, 0, len(r.Objects))
	for _, o := range r.Objects {
		metadata, _ := o["metadata"].(map[string]any)
		resource := pick(o, "apiVersion", "kind", "spec", "data", "binaryData")
		resource["metadata"] = pick(metadata, "name", "namespace")
		resources = append(resources, resource)
	}
	return config(injection.Kind, r, map[string]any{"injectors": r.Spec.Injectors, "resources": resources,
		"unreadable": r.Unreadable})
}

// pick returns those of the keys that the map has, with their values.
func pick(m map[string]any, keys ...string) map[string]any {
	out := map[string]any{}
	for _, key := range keys {
		if value, ok := m[key]; ok {
			out[key] = value
		}
	}
	return out
}

// kptfile is what points reads of a Kptfile.
type kptfile struct {
	Info struct {
		ReadinessGates []gate `yaml:"readinessGates"`
	} `yaml:"info"`
	Status struct {
		Conditions []struct {
			Type    string `yaml:"type"`
			Status  string `yaml:"status"`
			Message string `yaml:"message"`
		} `yaml:"conditions"`
	} `yaml:"status"`
}

type gate struct {
	ConditionType string `yaml:"conditionType"`
}

// points returns the injection points that the conditions of the root Kptfile report, in their order.
func points(items []*kyaml.RNode) []decide.Point {
	var out []decide.Point
	for _, item := range items {
		if krm.Identify(item).File != "Kptfile" {
			continue
		}
		var k kptfile
		_ = item.YNode().Decode(&k) // an error is of other types in places that are not ours; the rest is decoded
		for _, c := range k.Status.Conditions {
			if injection.IsConditionType(c.Type) {
				out = append(out, decide.Point{
					Condition: c.Type, Required: slices.Contains(k.Info.ReadinessGates, gate{ConditionType: c.Type}),
					Filled: c.Status == "True", Message: c.Message,
				})
			}
		}
	}
	return out
}
