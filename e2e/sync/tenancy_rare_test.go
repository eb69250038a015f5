// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/fleet"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// failingSet is a set whose expression fails for every target, after it has cost much.
const failingSet = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: fleet
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  targets:
  - repositorySelector: {}
    template:
      packageContext:
        dataExprs:
        - {key: cost, valueExpr: "[1,2,3,4,5,6,7,8].map(a, [1,2,3,4,5,6,7,8].map(b, a*b)).size() > 0 ? repository.labels['none'] : ''"}
`

// TestHostileNamespace has a namespace with two hundred variants whose functions fail, and a set that cannot be
// expanded. Variants of another namespace still become ready and follow their upstream; nothing of the first is in
// them.
func TestHostileNamespace(t *testing.T) {
	rare(t)
	const failing = 200
	w := newWorld(t)
	other := fleet.New(t, w.stack, w.Namespace+"-other")
	other.Repository("blueprints", nil, false)
	other.Repository("edge", nil, true)
	other.Publish("blueprints", "web", "v1", map[string]string{"region.yaml": point, "twice.yaml": point})
	for i := range failing {
		other.Apply(newVariant(fmt.Sprintf("failing-%d", i)))
	}
	other.Apply(newSet(t, failingSet), configMap("eu", map[string]string{"api": "of the other namespace"}))
	w.Publish("blueprints", "web", "v1", blueprint())
	w.start("--namespace=" + other.Namespace)
	w.Eventually("the others fail", func() error {
		var list v1alpha1.PackageVariantList
		if err := other.Client.List(t.Context(), &list, client.InNamespace(other.Namespace)); err != nil {
			return err
		}
		failed := 0
		for i := range list.Items {
			if c := meta.FindStatusCondition(list.Items[i].Status.Conditions, v1alpha1.ConditionReady); c != nil &&
				c.Reason == v1alpha1.ReasonFunctionFailed {
				failed++
			}
		}
		if failed == 0 {
			return fmt.Errorf("none of %d fails", len(list.Items))
		}
		return nil
	})
	w.Apply(configMap("eu", map[string]string{"api": "api.eu.example.com"}))
	w.Apply(newVariant("web", func(s *variant.Spec) { s.Upstream.Revision = variant.Revision{Str: "latest"} }))
	w.target("web")
	w.Publish("blueprints", "web", "v2", map[string]string{"more.yaml": settings})
	w.Eventually("the variant follows its upstream", func() error {
		if pv := w.Variant("web"); pv.Status.Upstream == nil || pv.Status.Upstream.Name != "blueprints.web.v2" {
			return fmt.Errorf("it is on %+v", pv.Status.Upstream)
		}
		return nil
	})
	if got := w.Files(w.target("web"))["region.yaml"]; !strings.Contains(got, "api: api.eu.example.com") {
		t.Errorf("it is:\n%s", got)
	}
	var made v1alpha1.PackageVariantList
	if err := other.Client.List(t.Context(), &made, client.InNamespace(other.Namespace)); err != nil || len(made.Items) != failing {
		t.Errorf("there are %d variants in the other namespace: %v", len(made.Items), err)
	}
}
