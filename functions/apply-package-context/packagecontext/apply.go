// SPDX-License-Identifier: Apache-2.0

package packagecontext

import (
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// ConfigMapName is the name of the ConfigMap that holds a package's context (a kpt convention).
const ConfigMapName = "kptfile.kpt.dev"

// Run is the function: the config's pairs are set in the package context, its removeKeys removed.
func Run(config *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	return krm.Checked(Unchecked)(config, items)
}

// Unchecked is Run for a caller that checks by itself whether the items can be read again (krm.Checked).
func Unchecked(config *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	r, err := decode(config)
	if err != nil {
		return krm.Output{}, err
	}
	out, err := Apply(items, r.data, r.removeKeys)
	return krm.Output{Items: out}, err
}

// Relevant reports whether the function may need a file of a package. It looks at the text, without parsing it. Files
// that are not relevant need not be among the items.
func Relevant(path, content string) bool {
	return pkgtree.IsKptfile(path) || strings.Contains(content, ConfigMapName)
}

// Apply returns the items with the root package's context edited: it has every pair of data and no key of removeKeys.
// The items given are not changed. A missing package context, or one that cannot be edited safely, is an error, unless
// there is nothing to set or remove.
func Apply(items []*yaml.RNode, data map[string]string, removeKeys []string) ([]*yaml.RNode, error) {
	if len(data) == 0 && len(removeKeys) == 0 {
		return items, nil
	}
	i, err := find(items)
	if err != nil {
		return nil, err
	}
	if err := checkBinary(items[i], data); err != nil {
		return nil, err
	}
	edited, err := krm.Edit(items[i], func(e *node.Editor) error { return edit(e, data, removeKeys) })
	if err != nil {
		return nil, err
	}
	out := slices.Clone(items)
	out[i] = edited
	return out, nil
}

// find returns the position of the root package's context among the items.
func find(items []*yaml.RNode) (int, error) {
	tree, err := pkgtree.Read(items)
	if err != nil {
		return 0, err
	}
	found := -1
	for i, item := range items {
		id := krm.Identify(item)
		if id.APIVersion != "v1" || id.Kind != "ConfigMap" || id.Name != ConfigMapName || !tree.InRoot(item) {
			continue
		}
		if found >= 0 {
			return 0, krm.Errorf(item, "", "is a second package context; the first is %s: remove one of the two",
				krm.Identify(items[found]).Place())
		}
		found = i
	}
	if found < 0 {
		return 0, krm.Errorf(items[tree.Root], "",
			"the package has no package context: add a ConfigMap named %s to it (kpt pkg init writes one to "+
				"package-context.yaml), and let no selector hide it", ConfigMapName)
	}
	return found, nil
}

// checkBinary returns an error if a pair would have a key that the package context has in binaryData.
func checkBinary(context *yaml.RNode, data map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(data)) {
		if found, err := context.Pipe(yaml.Lookup("binaryData", key)); err == nil && found != nil {
			return krm.Errorf(context, "binaryData."+key, "is also set in data, and no ConfigMap can have one key in both: "+
				"remove it here, or from what is set")
		}
	}
	return nil
}

func edit(e *node.Editor, data map[string]string, removeKeys []string) error {
	field, err := e.Top("data")
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(data)) {
		pair, err := field.Sub(key)
		if err != nil {
			return err
		}
		if err := pair.Set(node.String(data[key])); err != nil {
			return err
		}
	}
	for _, key := range removeKeys { // last, so that comments that stay have a key to stay at
		pair, err := field.Sub(key)
		if err != nil {
			return err
		}
		if _, err := pair.Remove(); err != nil {
			return err
		}
	}
	return nil
}
