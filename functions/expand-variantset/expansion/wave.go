// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/node"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// wave is a wave of a set's rollout.
type wave struct {
	selector labels.Selector
	// annotations are those of the wave's variants, which share them.
	annotations map[string]string
}

// newWaves returns the waves of a rollout that stands at path, in their order, and the last one, of all other targets.
// Without a rollout there are none.
func newWaves(r *v1alpha2.Rollout, path string) ([]wave, error) {
	if r == nil {
		return nil, nil
	}
	all := make([]wave, 0, len(r.Waves)+1)
	for i := range r.Waves {
		selector, err := metav1.LabelSelectorAsSelector(r.Waves[i].Selector)
		if err != nil {
			return nil, fieldErrorf(node.Join(node.Index(node.Join(path, "waves"), i), "selector"), "is not valid: %s", err)
		}
		all = append(all, newWave(r.Waves[i].Name, selector))
	}
	return append(all, newWave(v1alpha2.RestWave, labels.Everything())), nil
}

// newWave returns a wave of that name.
func newWave(name string, selector labels.Selector) wave {
	return wave{selector: selector, annotations: map[string]string{v1alpha2.WaveAnnotation: name}}
}

// waveAnnotations returns the annotations of the variants at a place: which wave they belong to, if the set has a
// rollout. A place from an explicit list has the labels of the Repository with its name, and none if that does not
// exist.
func (e *expander) waveAnnotations(p *place) map[string]string {
	object := p.object
	if object == nil {
		object = e.repositories[p.repo]
	}
	var has labels.Set
	if object != nil {
		has = object.Labels
	}
	for i := range e.waves {
		if e.waves[i].selector.Matches(has) {
			return e.waves[i].annotations
		}
	}
	return nil
}

// setWave updates the annotation that names the wave in the item of a variant, from the variant's wanted annotations.
// It removes the annotation if it is not among them. An item that is right already is left alone.
func setWave(e *node.Editor, item *yaml.Node, annotations map[string]string) error {
	name, wanted := annotations[v1alpha2.WaveAnnotation]
	has := node.Get(item, "metadata", "annotations", v1alpha2.WaveAnnotation)
	if !wanted && has == nil || wanted && node.Equal(has, node.String(name)) {
		return nil
	}
	field, err := e.Top("metadata")
	if err == nil {
		field, err = field.Sub("annotations")
	}
	if err == nil {
		field, err = field.Sub(v1alpha2.WaveAnnotation)
	}
	switch {
	case err != nil:
		return err
	case wanted:
		return field.Set(node.String(name))
	default:
		return field.RemoveWithEmptied()
	}
}
