// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Run is the function: the config's pipeline is written to the front of the root Kptfile's.
func Run(config *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	return krm.Checked(Unchecked)(config, items)
}

// Unchecked is Run for a caller that checks by itself whether the items can be read again (krm.Checked).
func Unchecked(config *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	r, err := decode(config)
	if err != nil {
		return krm.Output{}, err
	}
	out, err := Prepend(items, r.variant, r.pipeline)
	return krm.Output{Items: out}, err
}

// Relevant reports whether the function may need a file of a package. Files that are not relevant need not be among the
// items.
func Relevant(path, _ string) bool { return pkgtree.IsKptfile(path) }

// Prepend returns the items with the functions of p at the front of the root Kptfile's pipeline, under names that mark
// them as the variant's. The variant's functions that are not in p are removed. The items given are not changed. A
// pipeline that cannot be edited safely is an error.
func Prepend(items []*yaml.RNode, variantName string, p variant.Pipeline) ([]*yaml.RNode, error) {
	tree, err := pkgtree.Read(items)
	if err != nil {
		return nil, err
	}
	edited, err := krm.Edit(items[tree.Root], func(e *node.Editor) error { return edit(e, variantName, p) })
	if err != nil {
		return nil, err
	}
	out := slices.Clone(items)
	out[tree.Root] = edited
	return out, nil
}

func edit(e *node.Editor, variantName string, p variant.Pipeline) error {
	pipeline, err := e.Top("pipeline")
	if err != nil {
		return err
	}
	owned := node.Owned{Key: "name", First: true, Order: listOrder, Is: func(name string) bool {
		n, ok := ParseName(name)
		return ok && n.Variant == variantName
	}}
	var emptied []*node.Field
	for _, list := range []struct {
		key       string
		functions []variant.Function
	}{{"mutators", p.Mutators}, {"validators", p.Validators}} {
		field, err := pipeline.Sub(list.key)
		if err != nil {
			return err
		}
		empty, err := field.SetOwned(owned, named(variantName, list.functions))
		if err != nil {
			return err
		}
		if empty {
			emptied = append(emptied, field)
		}
	}
	for _, field := range emptied { // only now: the pipeline may have got another list
		if err := field.RemoveWithEmptied(); err != nil {
			return err
		}
	}
	return nil
}

// listOrder is where kpt puts a new pipeline in a Kptfile, and its lists in the pipeline.
var listOrder = append(slices.Clone(pkgtree.KptfileOrder), "mutators", "validators")

// named returns the functions under the names that they have in the Kptfile.
func named(variantName string, functions []variant.Function) []node.Entry {
	entries := make([]node.Entry, len(functions))
	for i, f := range functions {
		f.Name = Name{Variant: variantName, Function: f.Name, Position: i}.String()
		entries[i] = node.Entry{ID: f.Name, Value: f}
	}
	return entries
}
