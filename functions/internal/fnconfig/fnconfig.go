// SPDX-License-Identifier: Apache-2.0

// Package fnconfig decodes the functionConfig of a KRM function, strictly: an unknown field is an error that suggests
// what may have been meant.
package fnconfig

import (
	"errors"
	"reflect"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// APIVersion is the API version of the functions' own config kinds.
const APIVersion = "fn.kpt.dev/v1alpha1"

// Form is one of the shapes in which a function takes its config.
type Form struct {
	// APIVersion and Kind are what the config's must be.
	APIVersion, Kind string
	// Decode reads a config of that kind.
	Decode func(config *yaml.RNode) error
}

// Decode reads the config in whichever form it has. No config, an empty ConfigMap (which `kpt fn eval` sends when it is
// given none) and another kind are errors; the first two show the example.
func Decode(config *yaml.RNode, example string, forms ...Form) error {
	if config.IsNil() {
		return Missing(example)
	}
	id := krm.Identify(config)
	for _, form := range forms {
		if id.APIVersion == form.APIVersion && id.Kind == form.Kind {
			return form.Decode(config)
		}
	}
	data := node.Get(config.YNode(), "data")
	if id.Kind == "ConfigMap" && (data == nil || len(data.Content) == 0) {
		return Missing(example)
	}
	kinds := make([]string, len(forms))
	for i, form := range forms {
		kinds[i] = form.APIVersion + " " + form.Kind
	}
	for _, field := range []struct{ name, value string }{{"kind", id.Kind}, {"apiVersion", id.APIVersion}} {
		if field.value == "" {
			return krm.Errorf(config, "", "the function config has no %s: it must be one of %s", field.name,
				strings.Join(kinds, ", "))
		}
	}
	return krm.Errorf(config, "", "cannot configure this function: its config must be one of %s, not %s %s",
		strings.Join(kinds, ", "), id.APIVersion, id.Kind)
}

// Missing returns the error for no config. It shows the example of what to pass, which is in one line: kpt joins the
// lines of what a function prints.
func Missing(example string) error {
	return krm.Errorf(nil, "",
		"no function config: pass one by --fn-config, or by configPath in a Kptfile pipeline, for example %s", example)
}

// Strict decodes the config into the struct that into points to, by the names in its json tags. A field that the struct
// does not have, a field that stands twice, and a value of another type are errors; all are reported, joined by
// errors.Join. Fields of type any are accepted, and not decoded.
func Strict(config *yaml.RNode, into any) error {
	d := decoder{config: config}
	d.decode(config.YNode(), reflect.ValueOf(into).Elem(), "", 0)
	return errors.Join(d.errs...)
}

// Resources returns the objects in the field resources of the config as nodes, so that their values keep their types:
// nil if there is no such field, and none, but not nil, if it is empty. An object without type or name is an error.
func Resources(config *yaml.RNode) ([]*yaml.RNode, error) {
	list := node.Get(config.YNode(), "resources")
	if node.IsNull(list) {
		return nil, nil
	}
	out := make([]*yaml.RNode, 0, len(list.Content))
	for i, n := range list.Content {
		n = node.Resolve(n)
		for _, field := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}} {
			if node.GetString(n, field...) != "" {
				continue
			}
			path := node.Index("resources", i)
			for _, key := range field {
				path = node.Join(path, key)
			}
			return nil, krm.Errorf(config, path,
				"is missing: each entry must be a whole object, as kubectl get -o yaml shows it")
		}
		out = append(out, yaml.NewRNode(n))
	}
	return out, nil
}

// Require returns an error that names the field if value is empty.
func Require(config *yaml.RNode, field, value string) error {
	if value != "" {
		return nil
	}
	return krm.Errorf(config, field, "is missing: set it")
}
