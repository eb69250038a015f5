// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// TestSteeringRefused has a variant with keys that would steer Porch: they are refused, but not the keys that users of
// Porch's controllers set.
func TestSteeringRefused(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	steering := func(s *variant.Spec) {
		s.Labels = map[string]string{"kpt.dev/latest-revision": "true"}
		s.Annotations = map[string]string{"tag.config.porch.kpt.dev/stable": "x"}
	}
	w.Apply(newVariant("steering", plain, steering), newVariant("web", plain, func(s *variant.Spec) {
		s.Annotations = map[string]string{variant.ApproverAnnotation: "initial"}
	}))
	c := w.start()
	w.target("web")
	const why = " is set by Porch or its controllers, as all of kpt.dev and below is: remove it, or choose a key of a domain " +
		"of yours"
	w.expectMessage("steering", "InvalidSpec", "spec.labels.kpt.dev/latest-revision"+why+
		"; spec.annotations.tag.config.porch.kpt.dev/stable"+why)
	w.quiet(c)
	w.expectDrafts("steering")
}
