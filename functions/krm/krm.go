// SPDX-License-Identifier: Apache-2.0

// Package krm is the contract of a KRM function: values in, values out, and the binary around it.
//
// The contract is the KRM Functions Specification
// (https://github.com/kubernetes-sigs/kustomize/blob/master/cmd/config/docs/api-conventions/functions-spec.md).
package krm

import (
	"cmp"
	"errors"
	"slices"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Function is a KRM function without its I/O. It takes the functionConfig (nil if there is none) and the items of a
// ResourceList, and returns the new items. It never changes what it is given: it copies an item before it edits it. An
// error is one *Error, or several joined by errors.Join.
type Function func(config *yaml.RNode, items []*yaml.RNode) (Output, error)

// Output is what a Function returns when it did its work.
type Output struct {
	// Items are all items of the ResourceList, edited or not.
	Items []*yaml.RNode
	// Results are notes for the user, of severity info or warning.
	Results fn.Results
}

// Processor returns f in the form in which the SDK runs it. On an error the ResourceList keeps its items as they came,
// and gets one error result for each error.
func Processor(f Function) fn.ResourceListProcessor {
	return fn.ResourceListProcessorFunc(func(rl *fn.ResourceList) (bool, error) {
		items := make([]*yaml.RNode, len(rl.Items))
		for i, o := range rl.Items {
			items[i] = o.MoveToResourceNode()
		}
		var config *yaml.RNode
		if !rl.FunctionConfig.IsEmpty() {
			config = rl.FunctionConfig.MoveToResourceNode()
			defer func() { rl.FunctionConfig = fn.MoveToKubeObject(config) }()
		}
		defer func() { makeVisible(rl.Results) }()
		out, err := Bounded(f)(config, items)
		if err != nil {
			rl.Items = objects(items)
			rl.Results = append(rl.Results, errorResults(err)...)
			return false, err
		}
		notes := guardComments(items, out.Items)
		rl.Items = objects(sorted(out.Items))
		rl.Results = append(append(rl.Results, out.Results...), notes...)
		return true, nil
	})
}

func objects(nodes []*yaml.RNode) fn.KubeObjects {
	out := make(fn.KubeObjects, len(nodes))
	for i, n := range nodes {
		out[i] = fn.MoveToKubeObject(n)
	}
	return out
}

// sorted puts the items in the order in which the SDK writes them. The SDK's own sort is slow, because it formats two
// strings for each comparison; on a sorted list it has nothing to do.
func sorted(items []*yaml.RNode) []*yaml.RNode {
	type keyed struct {
		key  string
		item *yaml.RNode
	}
	list := make([]keyed, len(items))
	for i, item := range items {
		n := item.YNode()
		list[i] = keyed{item: item, key: node.GetString(n, "apiVersion") + " " + node.GetString(n, "kind") + " " +
			node.GetString(n, "metadata", "namespace") + " " + node.GetString(n, "metadata", "name")}
	}
	slices.SortStableFunc(list, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	out := make([]*yaml.RNode, len(list))
	for i := range list {
		out[i] = list[i].item
	}
	return out
}

// flatten returns the errors that errors.Join has joined.
func flatten(err error) []error {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}

func errorResults(err error) fn.Results {
	var results fn.Results
	for _, e := range flatten(err) {
		var ke *Error
		if errors.As(e, &ke) {
			results = append(results, ke.Result(fn.Error))
			continue
		}
		results = append(results, fn.ErrorResult(e))
	}
	return results
}
