// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"cmp"
	"errors"
	"slices"

	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

const (
	// PointAnnotation marks a resource of a package as an injection point; its value is "required" or "optional" (a
	// Porch convention).
	PointAnnotation = "kpt.dev/config-injection"
	// InjectedAnnotation names, on an injection point, the object that was injected.
	InjectedAnnotation = "kpt.dev/injected-resource-name"
	// PorchInjectedAnnotation does the same in packages that Porch's own controller injected; a point that has it keeps it
	// instead.
	PorchInjectedAnnotation = "kpt.dev/injected-resource"
	// SourceAnnotation with the value "true" marks a resource of a package as a snapshot of an in-cluster object.
	SourceAnnotation = "kpt.dev/injection-source"

	required = "required"
	optional = "optional"
)

// Reasons of the conditions of injection points.
const (
	// ReasonInjected is the reason of a True condition: the point holds the object's values.
	ReasonInjected = "ConfigInjected"
	// ReasonNoInjectors says that the variant has no injectors.
	ReasonNoInjectors = "NoInjectors"
	// ReasonNoResource says that no injector chose an object for the point.
	ReasonNoResource = "NoResourceSelected"
	// ReasonUnreadable says that an object which an injector names could not be read.
	ReasonUnreadable = "ResourceUnreadable"
	// ReasonFieldMissing says that the chosen object has no field to inject.
	ReasonFieldMissing = "FieldMissing"
)

// point is a resource of the package that is filled from an object.
type point struct {
	item     int // among the items
	id       krm.Identity
	required bool
}

// conditionType is the type of the point's condition in the root Kptfile (a Porch convention).
func (p point) conditionType() string {
	return conditionPrefix + p.id.Kind + "." + p.id.Name
}

// dataField and binaryField are the fields of a ConfigMap that are injected.
const dataField, binaryField = "data", "binaryData"

// isConfigMap reports whether the point is a ConfigMap.
func (p point) isConfigMap() bool { return p.id.APIVersion == "v1" && p.id.Kind == "ConfigMap" }

// fields are the fields that are injected: data and binaryData of a ConfigMap, else spec. The first names them all in
// messages.
func (p point) fields() []string {
	if p.isConfigMap() {
		return []string{dataField, binaryField}
	}
	return []string{"spec"}
}

// find returns the points and the source objects among the items, in the order in which they stand in the package's
// files: functions that ran before may have sorted the items. It reports all errors in them.
func find(items []*yaml.RNode) (points []point, sources []*yaml.RNode, err error) {
	var errs []error
	seen := map[string]*yaml.RNode{}
	for _, i := range inFileOrder(items) {
		item := items[i]
		annotations := node.Get(item.YNode(), "metadata", "annotations")
		kind, isPoint := annotation(annotations, PointAnnotation)
		source, isSource := annotation(annotations, SourceAnnotation)
		switch {
		case isSource && source != "true" && source != "false":
			errs = append(errs, krm.Errorf(item, annotationPath(SourceAnnotation), "is %q, but must be \"true\" or \"false\"",
				source))
		case isPoint && source == "true":
			errs = append(errs, krm.Errorf(item, annotationPath(PointAnnotation),
				"stands on an injection source: a resource cannot be both, remove one of the two annotations"))
		case source == "true":
			sources = append(sources, item)
		case isPoint:
			p, err := newPoint(i, item, kind, seen)
			points, errs = append(points, p), append(errs, err)
		}
	}
	return points, sources, errors.Join(errs...)
}

// inFileOrder returns the positions of the items that carry one of the annotations, by package, file, and place in the
// file.
func inFileOrder(items []*yaml.RNode) []int {
	ids := map[int]krm.Identity{}
	var order []int
	for i, item := range items {
		annotations := node.Get(item.YNode(), "metadata", "annotations")
		if node.Get(annotations, PointAnnotation) != nil || node.Get(annotations, SourceAnnotation) != nil {
			ids[i], order = krm.Identify(item), append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(ids[a].Package, ids[b].Package), cmp.Compare(ids[a].File, ids[b].File),
			cmp.Compare(ids[a].Index, ids[b].Index))
	})
	return order
}

func newPoint(i int, item *yaml.RNode, kind string, seen map[string]*yaml.RNode) (point, error) {
	p := point{item: i, id: krm.Identify(item), required: kind == required}
	first, twice := seen[p.conditionType()]
	switch {
	case kind != required && kind != optional:
		return p, krm.Errorf(item, annotationPath(PointAnnotation), "is %q, but must be %q or %q", kind, required, optional)
	case pkgtree.IsKptfileResource(p.id):
		return p, krm.Errorf(item, annotationPath(PointAnnotation),
			"stands on a Kptfile, into which nothing can be injected: mark another resource as the injection point")
	case p.id.Kind == "":
		return p, krm.Errorf(item, "kind", "is missing: an injection point needs a kind")
	case p.id.Name == "":
		return p, krm.Errorf(item, "metadata.name", "is missing: an injection point needs a name")
	case twice:
		return p, krm.Errorf(item, annotationPath(PointAnnotation),
			"is on a second injection point of kind %s and name %q, the first is %s: "+
				"the conditions of the two could not be told apart, rename one",
			p.id.Kind, p.id.Name, krm.Identify(first).Place())
	}
	seen[p.conditionType()] = item
	return p, nil
}

func annotation(annotations *yaml.Node, key string) (string, bool) {
	n := node.Get(annotations, key)
	if n == nil {
		return "", false
	}
	return n.Value, true
}

func annotationPath(key string) string {
	return "metadata.annotations." + key
}
