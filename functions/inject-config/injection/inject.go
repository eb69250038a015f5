// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/internal/fnconfig"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Run is the function: the package's injection points are filled as the config asks.
func Run(config *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	return krm.Checked(Unchecked)(config, items)
}

// Unchecked is Run for a caller that checks by itself whether the items can be read again (krm.Checked).
func Unchecked(config *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	r, err := decode(config)
	if err != nil {
		return krm.Output{}, err
	}
	return Inject(items, r)
}

// Relevant reports whether the function may need a file of a package. It looks at the text, without parsing it. Files
// that are not relevant need not be among the items.
func Relevant(path, content string) bool {
	return pkgtree.IsKptfile(path) || strings.Contains(content, PointAnnotation) ||
		strings.Contains(content, SourceAnnotation)
}

// Inject returns the items with each injection point filled from the object that the request's injectors choose for it,
// and with a condition for each point in the root Kptfile. A point for which there is no object keeps its values; its
// condition says why. The items given are not changed. Invalid points are an error.
func Inject(items []*yaml.RNode, r Request) (krm.Output, error) {
	tree, err := pkgtree.Read(items)
	if err != nil {
		return krm.Output{}, err
	}
	points, sources, err := find(items)
	if err != nil {
		return krm.Output{}, err
	}
	objects, err := r.objects(sources)
	if err != nil {
		return krm.Output{}, err
	}
	out := krm.Output{Items: slices.Clone(items)}
	conditions := make([]condition, len(points))
	for i, p := range points {
		edited, c, err := p.inject(items[p.item], r.Injectors, objects)
		if err != nil {
			return krm.Output{}, err
		}
		out.Items[p.item], conditions[i] = edited, c
		if c.Status != statusTrue {
			out.Results = append(out.Results, p.unmet(items[p.item], c))
		}
	}
	out.Results = append(out.Results, unusedNames(points, r.Injectors)...)
	out.Results = append(out.Results, shadowed(points, r.Injectors, objects)...)
	kptfile, err := krm.Edit(items[tree.Root], func(e *node.Editor) error { return report(e, points, conditions) })
	if err != nil {
		return krm.Output{}, err
	}
	out.Items[tree.Root] = kptfile
	return out, nil
}

// resourceOrder says where to put the injected field in a resource that lacks it.
var resourceOrder = []string{"apiVersion", "kind", "metadata", "spec", "data", "binaryData", "status"}

// values returns the fields of an object that are injected into the point, by their names.
func (p point) values(object *yaml.RNode) map[string]*yaml.Node {
	values := map[string]*yaml.Node{}
	for _, field := range p.fields() {
		if value := node.Get(object.YNode(), field); !node.IsNull(value) {
			values[field] = value
		}
	}
	return values
}

// inject returns the point's item filled from the object chosen for it, and the condition to report.
func (p point) inject(item *yaml.RNode, injectors []variant.InjectionSelector,
	objects objects) (*yaml.RNode, condition, error) {
	c := condition{Type: p.conditionType(), Status: statusFalse}
	object, reason, message := p.choose(injectors, objects)
	if object == nil {
		c.Reason, c.Message = reason, p.unfilled(message)
		return item, c, nil
	}
	name := krm.Identify(object).Name
	values := p.values(object)
	if len(values) == 0 {
		c.Reason, c.Message = ReasonFieldMissing, p.unfilled(fmt.Sprintf("%s %q has no %s", p.id.Kind, name, p.fields()[0]))
		return item, c, nil
	}
	if err := p.injectable(object, values); err != nil {
		return nil, c, err
	}
	edited, err := krm.Edit(item, func(e *node.Editor) error { return fill(e, p.fields(), values, name) })
	if err == nil {
		err = p.inBoth(edited, name)
	}
	if err != nil {
		return nil, c, err
	}
	c.Status, c.Reason = statusTrue, ReasonInjected
	// the wording of Porch, so packages that Porch made stay as they are
	c.Message = fmt.Sprintf("injected resource %q from cluster", name)
	return edited, c, nil
}

// unfilled completes the message of a point that is not filled: a Secret never is.
func (p point) unfilled(message string) string {
	if p.id.APIVersion == "v1" && p.id.Kind == "Secret" {
		message += "; a Secret cannot be filled, because only spec, or data of a ConfigMap, is copied: " +
			"take the annotation off"
	}
	return message
}

// injectable returns an error if the object's values cannot be the point's: one holds aliases, or is for a ConfigMap
// and no map of strings.
func (p point) injectable(object *yaml.RNode, values map[string]*yaml.Node) error {
	for _, field := range p.fields() {
		if values[field] == nil {
			continue
		}
		if err := node.Loose(values[field], field); err != nil {
			return krm.Wrap(object, err)
		}
	}
	if !p.isConfigMap() {
		return nil
	}
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}
	for _, key := range []string{"apiVersion", "kind", "metadata", dataField, binaryField} {
		if field := node.Get(object.YNode(), key); field != nil {
			n.Content = append(n.Content, node.String(key), field)
		}
	}
	return fnconfig.Strict(yaml.NewRNode(n), &configMap{})
}

// configMap has the fields of a ConfigMap that decide whether its data can be injected.
type configMap struct {
	APIVersion any               `json:"apiVersion"`
	Kind       any               `json:"kind"`
	Metadata   any               `json:"metadata"`
	Data       map[string]string `json:"data"`
	BinaryData map[string]string `json:"binaryData"`
}

// inBoth returns an error if the point, after an injection, has a key in data and in binaryData. No API server takes
// such a ConfigMap.
func (p point) inBoth(item *yaml.RNode, object string) error {
	binary := node.Get(item.YNode(), binaryField)
	if !p.isConfigMap() || node.IsNull(binary) || binary.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(binary.Content); i += 2 {
		if key := binary.Content[i].Value; node.Get(item.YNode(), dataField, key) != nil {
			return krm.Errorf(item, node.Join(binaryField, key), "is a key of data, too, after %s %q is injected, and no "+
				"ConfigMap can have one key in both: remove it from one of them", p.id.Kind, object)
		}
	}
	return nil
}

func fill(e *node.Editor, fields []string, values map[string]*yaml.Node, name string) error {
	for _, key := range fields {
		if values[key] == nil {
			continue // what the object does not have stays
		}
		field, err := e.Top(key)
		if err != nil {
			return err
		}
		if err := field.Set(values[key], resourceOrder...); err != nil {
			return err
		}
	}
	metadata, err := e.Top("metadata")
	if err != nil {
		return err
	}
	annotations, err := metadata.Sub("annotations")
	if err != nil {
		return err
	}
	injected, err := annotations.Sub(InjectedAnnotation)
	if err != nil {
		return err
	}
	byPorch, err := annotations.Sub(PorchInjectedAnnotation)
	if err != nil {
		return err
	}
	if injected.Value() == nil && byPorch.Value() != nil {
		injected = byPorch
	}
	return injected.Set(node.String(name))
}

// unmet reports a point that was not filled, with a higher severity if it is required.
func (p point) unmet(item *yaml.RNode, c condition) *fn.Result {
	severity, need := fn.Info, optional
	if p.required {
		severity, need = fn.Warning, required
	}
	return krm.Errorf(item, "", "%s injection point not filled (%s): %s", need, c.Reason, c.Message).Result(severity)
}

// unusedNames warns about injectors for an injection point that does not exist.
func unusedNames(points []point, injectors []variant.InjectionSelector) (results fn.Results) {
	for _, injector := range injectors {
		isFor := func(p point) bool { return p.matches(injector) }
		if injector.InjectionPoint != "" && !slices.ContainsFunc(points, isFor) {
			results = append(results,
				krm.Errorf(nil, "", "the injector %q is for the injection point %q, but the package has none of that name "+
					"that it could fill", injector.Name, injector.InjectionPoint).Result(fn.Warning))
		}
	}
	return results
}
