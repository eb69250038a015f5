// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The blueprint: an injection point and a package context, each with comments.
const (
	point = `# what the region knows
apiVersion: v1
kind: ConfigMap
metadata:
  name: region # of the edge
  annotations:
    kpt.dev/config-injection: required
data:
  api: none
`
	settings = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  a: "1" # one
  b: "2"
`
)

func blueprint() map[string]string {
	return map[string]string{"region.yaml": point, "settings.yaml": settings}
}

// simple is a blueprint without injection points.
func simple() map[string]string { return map[string]string{"settings.yaml": settings} }

// newVariant returns a variant of the blueprint web in the Repository edge.
func newVariant(name string, changes ...func(*variant.Spec)) *v1alpha1.PackageVariant {
	pv := &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: name}}
	pv.Spec = variant.Spec{
		Upstream:       &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(1)},
		Downstream:     &variant.Downstream{Repo: "edge", Package: name},
		PackageContext: &variant.PackageContext{Data: map[string]string{"region": "eu"}},
		Injectors:      []variant.InjectionSelector{{Name: "eu"}},
	}
	for _, change := range changes {
		change(&pv.Spec)
	}
	return pv
}

// plain leaves out all mutations.
func plain(s *variant.Spec) { s.PackageContext, s.Injectors = nil, nil }

// zone changes what every variant sets, so that a draft has to be changed, or made by an edit.
func zone(s *variant.Spec) { s.PackageContext.Data["zone"] = "a" }

func revision(number int) func(*variant.Spec) {
	return func(s *variant.Spec) { s.Upstream.Revision = variant.RevisionNumber(number) }
}

func tag(name string) func(*variant.Spec) {
	return func(s *variant.Spec) { s.Upstream.Revision = variant.Revision{Str: name} }
}

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}
