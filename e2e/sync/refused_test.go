// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// closed is a policy that makes the API server refuse variants in the Repository north.
const closed = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: NAME
spec:
  failurePolicy: Fail
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAME}}
    resourceRules:
    - {apiGroups: [config.porch.kpt.dev], apiVersions: ["*"], resources: [packagevariants], operations: [CREATE, UPDATE]}
  validations:
  - {expression: "object.spec.downstream.repo != 'north'", message: north is closed}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: NAME
spec:
  policyName: NAME
  validationActions: [Deny]
`

// closeNorth creates or deletes the policy, and waits until that takes effect.
func (w *world) closeNorth(is bool) {
	w.t.Helper()
	file := filepath.Join(w.dir, "closed.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(closed, "NAME", w.Namespace)), 0o600); err != nil {
		w.t.Fatal(err)
	}
	verb := "delete"
	if is {
		verb = "apply"
		w.t.Cleanup(func() { // with a context of its own: the test's is done by then
			_, _ = w.stack.Kubectl(context.Background(), "delete", "--ignore-not-found", "-f", file)
		})
	}
	w.kubectl(verb, "-f", file)
	w.Eventually("the API server knows", func() error {
		probe := newVariant("probe", func(s *variant.Spec) { s.Downstream.Repo = "north" })
		probe.Namespace = w.Namespace
		err := w.Client.Create(w.t.Context(), probe, client.DryRunAll)
		if refused := apierrors.IsInvalid(err) || apierrors.IsForbidden(err); refused != is {
			return fmt.Errorf("a variant in north is refused: %t (%w)", refused, err)
		}
		return nil
	})
}

// TestRolloutRefused rolls out to two sites, one after the other. The API server refuses the variant of the first,
// which does not hold up the second, and gets its variant once the policy is gone.
func TestRolloutRefused(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.site("north", "sites")
	w.site("south", "sites")
	w.Publish("blueprints", "web", "v1", simple())
	w.closeNorth(true)
	w.Apply(newSet(t, strings.Replace(rolloutSet, "  rollout:", "  errorPolicy: Continue\n  rollout:", 1)+
		"    waves: [{name: sites, selector: {matchLabels: {wave: sites}}, maxConcurrent: 1}]\n"))
	c := w.start()
	w.waitRollout("Complete", "VariantRefused", "sites Complete 1/1/1/0")
	w.expectOn(map[string]string{"south": "1"})
	status := w.set().Status
	if diff := cmp.Diff(&v1alpha2.VariantCounts{Desired: 2, UpToDate: 1, Updated: 1, Failed: 1}, status.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	message := w.setCondition("Stalled", "1 of 2 variants are refused by the API server and stay as they are: north/web: ").Message
	if !strings.Contains(message, "north is closed") {
		t.Errorf("the message does not say why:\n%s", message)
	}
	w.quiet(c)

	w.closeNorth(false)
	w.approveWave("sites@v1") // any event; by itself it looks again after five minutes
	w.waitRollout("Complete", "VariantsReady", "sites Complete 2/2/2/0")
	w.expectOn(map[string]string{"north": "1", "south": "1"})
}
