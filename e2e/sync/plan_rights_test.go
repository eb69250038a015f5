// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/controller"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestPlanOfRights has people with different rights plan for a controller that may not read what a variant injects and a
// set selects: what the plan says of it comes true, and is the same for everybody who may find out.
func TestPlanOfRights(t *testing.T) {
	w := newWorld(t)
	const group = "networking.k8s.io"
	w.Publish("blueprints", "web", "v1",
		map[string]string{"point.yaml": pointOf(group+"/v1", "NetworkPolicy", "here", "required")})
	policy := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"podSelector": map[string]any{}}}}
	policy.SetAPIVersion(group + "/v1")
	policy.SetKind("NetworkPolicy")
	policy.SetName("eu")
	w.Apply(policy)
	set := newSet(t, "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: fleet}\nspec:\n"+
		"  upstream: {repo: blueprints, package: web, revision: 1}\n"+
		"  targets: [{objectSelector: {apiVersion: v1, kind: Secret}, template: {downstream: {repo: edge}}}]\n")
	pv := newVariant("web")
	admin := w.plan(nil, pv, set)
	for user, roles := range map[string]string{
		controller.Account: "",
		"reader": "get,list,watch packagevariants.config.porch.kpt.dev,packagevariantsets.config.porch.kpt.dev," +
			"repositories.config.porch.kpt.dev,packagerevisions.porch.kpt.dev,packagerevisionresources.porch.kpt.dev," +
			"clusterroles.rbac.authorization.k8s.io,clusterrolebindings.rbac.authorization.k8s.io," +
			"roles.rbac.authorization.k8s.io,rolebindings.rbac.authorization.k8s.io",
	} {
		if verbs, resources, grants := strings.Cut(roles, " "); grants {
			w.kubectl("create", "clusterrole", w.Namespace+user, "--verb="+verbs, "--resource="+resources)
			w.kubectl("create", "clusterrolebinding", w.Namespace+user, "--clusterrole="+w.Namespace+user, "--user="+user)
		}
		w.samePlan(user, admin, w.plan([]string{"--as", user}, pv, set))
	}
	w.start()
	w.Apply(pv, set)
	w.expectUnmet("web", "config.injection.NetworkPolicy.here", adviceFor(group, "networkpolicies"))
	w.waitSetReason("fleet", "PermissionMissing")
	w.setCame(&admin.Sets[0])
	came := w.Condition("web", conditionInjected)
	i := slices.IndexFunc(admin.Variants, func(v plannedVariant) bool { return v.Name == "web" })
	if i < 0 || !slices.Contains(admin.Variants[i].Unmet,
		plannedCondition{Type: came.Type, Reason: came.Reason, Message: came.Message}) {
		t.Errorf("the plan %+v does not say %+v", admin.Variants, came)
	}
	for _, note := range admin.Notes {
		if strings.Contains(note, "assumes that the controller") {
			t.Errorf("an administrator can ask, and the plan says: %s", note)
		}
	}
}

// samePlan checks that the plan of another user says the same of the variants and sets, and assumes nothing.
func (w *world) samePlan(user string, want, got *plan) {
	w.t.Helper()
	for _, p := range []*plan{want, got} {
		if len(p.Variants) != 1 || len(p.Sets) != 1 {
			w.t.Fatalf("%s: %d variants and %d sets are planned, want one of each", user, len(p.Variants), len(p.Sets))
		}
	}
	if a, b := want.Variants[0], got.Variants[0]; a.Action != b.Action || a.Condition != b.Condition ||
		!slices.Equal(a.Unmet, b.Unmet) {
		w.t.Errorf("the variant as %s: %+v, want %+v", user, b, a)
	}
	if a, b := want.Sets[0].Condition, got.Sets[0].Condition; a != b {
		w.t.Errorf("the set as %s: %+v, want %+v", user, b, a)
	}
	for _, note := range got.Notes {
		if strings.Contains(note, "assumes that the controller") {
			w.t.Errorf("as %s: %s", user, note)
		}
	}
}
