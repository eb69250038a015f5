// SPDX-License-Identifier: Apache-2.0

package switching

import (
	"fmt"
	"maps"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// midway is a set that rolls out in two waves, and variants of which each is kept from going on.
const midway = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: roll}
spec:
  upstream: {repo: blueprints, package: site, revision: 1}
  targets:
  - repositories: [{name: edge-1, packageNames: [roll]}, {name: edge-2, packageNames: [roll]}]
    template: {approvalPolicy: Initial}
  rollout:
    waves: [{name: canary, selector: {matchLabels: {region: eu}}}]
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: still}
spec:
  upstream: {repo: blueprints, package: site, revision: 1}
  downstream: {repo: edge-1, package: still}
  approvalPolicy: Manual
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: asked}
spec:
  upstream: {repo: blueprints, package: site, revision: 1}
  downstream: {repo: edge-1, package: asked}
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: torn}
spec:
  upstream: {repo: blueprints, package: site, revision: 1}
  downstream: {repo: edge-2, package: torn}
`

// site is a file of a blueprint.
func site(size string) map[string]string {
	return map[string]string{"site.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: site\ndata:\n  size: " + size + "\n"}
}

// leaveMidway leaves things in the middle: a rollout whose first wave is open, a suspended variant with a draft that its
// policy would publish and with a change that waits, a draft that people have proposed, and a draft with a conflict. It
// adds what is said of each variant to all.
func (w *world) leaveMidway(all map[string]string) {
	w.t.Helper()
	w.Publish("blueprints", "site", "v1", site("small"))
	w.apply(midway)
	for _, name := range []string{"still", "asked", "torn"} {
		w.Ready(name)
	}
	w.waitRollout(v1alpha2.RolloutComplete)
	w.Publish("blueprints", "site", "v2", site("large"))
	w.kubectl("patch", "--namespace="+namespace, "--type=merge", "packagevariant/still",
		"--patch={\"spec\":{\"suspend\":true,\"approvalPolicy\":\"Automatic\",\"upstream\":{\"revision\":2}}}")
	w.Propose("edge-1.asked.packagevariant-1")
	w.WriteFiles("edge-2.torn.packagevariant-1", site("mine"))
	for _, object := range []string{"packagevariant/torn", "packagevariantset/roll"} {
		w.kubectl("patch", "--namespace="+namespace, "--type=merge", object, "--patch={\"spec\":{\"upstream\":{\"revision\":2}}}")
	}
	w.Eventually("all is in the middle", func() error {
		still := w.Variant("still")
		suspended := meta.FindStatusCondition(still.Status.Conditions, v1alpha1.ConditionSuspended)
		if suspended == nil || suspended.Status != metav1.ConditionTrue || suspended.ObservedGeneration != still.Generation {
			return fmt.Errorf("still is not suspended: %v", suspended)
		}
		if count := w.Variant("torn").Status.ConflictCount; count != 1 {
			return fmt.Errorf("torn has %d conflicts", count)
		}
		revisions, err := w.ListRevisions("edge-1", "roll")
		if err == nil && len(revisions) != 2 {
			err = fmt.Errorf("the first wave has made no draft")
		}
		return err
	})
	w.waitRollout(v1alpha2.RolloutProgressing)
	for name := range w.variants() {
		if strings.HasPrefix(name, "roll-") || name == "asked" {
			w.Ready(name)
		}
	}
	maps.Copy(all, w.variants())
}

// waitRollout waits until the rollout of the set roll has a phase.
func (w *world) waitRollout(phase v1alpha2.RolloutPhase) {
	w.t.Helper()
	w.Eventually("the rollout is "+string(phase), func() error {
		var set v1alpha2.PackageVariantSet
		err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: namespace, Name: "roll"}, &set)
		if err == nil && (set.Status.Rollout == nil || set.Status.Rollout.Phase != phase ||
			set.Status.ObservedGeneration != set.Generation) {
			err = fmt.Errorf("its status is %+v", set.Status)
		}
		return err
	})
}
