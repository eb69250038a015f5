// SPDX-License-Identifier: Apache-2.0

package functionrunner

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// encode writes a ResourceList.
func encode(config *yaml.RNode, items []*yaml.RNode) ([]byte, error) {
	var out bytes.Buffer
	err := kio.ByteWriter{
		Writer: &out, KeepReaderAnnotations: true, FunctionConfig: config,
		WrappingAPIVersion: kio.ResourceListAPIVersion, WrappingKind: kio.ResourceListKind,
	}.Write(items)
	return out.Bytes(), err
}

// decode reads the items of a ResourceList, and its results.
func decode(list []byte) (items, results []*yaml.RNode, err error) {
	n, err := yaml.Parse(string(list))
	if err != nil {
		return nil, nil, err
	}
	if kind := krm.Identify(n).Kind; kind != kio.ResourceListKind {
		return nil, nil, fmt.Errorf("its kind is %q", kind)
	}
	for key, to := range map[string]*[]*yaml.RNode{"items": &items, "results": &results} {
		field := n.Field(key)
		if field.IsNilOrEmpty() {
			continue
		}
		if *to, err = field.Value.Elements(); err != nil {
			return nil, nil, fmt.Errorf("its %s are no list", key)
		}
	}
	return items, results, nil
}

// edited returns the items with what a function changed in them, in their order. sent is what it was given, returned
// the items that it returned. The functions that make variants neither add nor remove resources, so that no other
// output is taken.
func edited(items []*yaml.RNode, sent []byte, returned []*yaml.RNode) ([]*yaml.RNode, error) {
	var unchanged, message bytes.Buffer
	if krm.Run(nothing, bytes.NewReader(sent), &unchanged, &message) != 0 {
		return nil, fmt.Errorf("cannot read what the function was given: %s", strings.TrimSpace(message.String()))
	}
	before, _, err := decode(unchanged.Bytes())
	if err != nil {
		return nil, err
	}
	was, err := byPlace(before)
	if err != nil {
		return nil, err
	}
	is, err := byPlace(returned)
	if err != nil {
		return nil, err
	}
	out := make([]*yaml.RNode, len(items))
	for i, item := range items {
		at := placeOf(item)
		if is[at] == nil {
			return nil, fmt.Errorf("has lost %s, and may remove nothing", at)
		}
		out[i] = item
		if merged := merge(item.YNode(), was[at].YNode(), is[at].YNode(), item.GetKind() == "Kptfile"); merged != item.YNode() {
			out[i] = item.Copy() // with its document, which may hold a comment
			*out[i].YNode() = *merged
			krm.QuoteBlocks(out[i]) // as functions do that run in this process
		}
		delete(is, at)
	}
	for _, item := range returned { // in their order: the same output has the same message
		if at := placeOf(item); is[at] != nil {
			return nil, fmt.Errorf("has %s, which it was not given", at)
		}
	}
	return out, nil
}

// nothing is a function that changes nothing.
func nothing(_ *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	return krm.Output{Items: items}, nil
}

// place is where a resource stands in a package: its file, and its place among the documents of that.
type place struct {
	file  string
	index int
}

func placeOf(item *yaml.RNode) place {
	id := krm.Identify(item)
	return place{file: id.File, index: id.Index}
}

// String names a place as users do.
func (p place) String() string {
	switch {
	case p.file == "":
		return "a resource without a file"
	case p.index > 0:
		return fmt.Sprintf("%s (document %d)", p.file, p.index+1)
	default:
		return p.file
	}
}

func byPlace(items []*yaml.RNode) (map[place]*yaml.RNode, error) {
	out := make(map[place]*yaml.RNode, len(items))
	for _, item := range items {
		at := placeOf(item)
		if out[at] != nil {
			return nil, fmt.Errorf("has %s twice", at)
		}
		out[at] = item
	}
	return out, nil
}

// stripped returns the items without the comments that YAML does not bring back, and without blocks of text of which it
// makes other texts.
func stripped(items []*yaml.RNode) []*yaml.RNode {
	out := make([]*yaml.RNode, len(items))
	for i := range items {
		out[i] = items[i].Copy()
		bare(out[i].YNode())
		krm.QuoteBlocks(out[i]) // what cannot be read at all, the function tells
	}
	return out
}
