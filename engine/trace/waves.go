// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/revision"
)

// Waves maps the variants of a set to the waves of its rollout. A variant is identified by its package and its upstream
// package, which are unique in a set.
type Waves map[pair]string

type pair struct{ upstream, downstream revision.Package }

// Of returns the wave of a variant; "" if it is in no wave.
func (w Waves) Of(pv *v1alpha1.PackageVariant) string {
	if pv.Spec.Upstream == nil || pv.Spec.Downstream == nil {
		return ""
	}
	return w[pair{revision.UpstreamOf(pv.Spec.Upstream), revision.DownstreamOf(&pv.Spec)}]
}

// Each calls do with the package of each variant and its wave, in no order.
func (w Waves) Each(do func(downstream revision.Package, wave string)) {
	for of, wave := range w {
		do(of.downstream, wave)
	}
}

// NewWaves returns the waves of the variants that a set wants.
func NewWaves(wanted []v1alpha1.PackageVariant) Waves {
	waves := Waves{}
	for i := range wanted {
		pv := &wanted[i]
		waves[pair{revision.UpstreamOf(pv.Spec.Upstream), revision.DownstreamOf(&pv.Spec)}] =
			pv.Annotations[v1alpha2.WaveAnnotation]
	}
	return waves
}
