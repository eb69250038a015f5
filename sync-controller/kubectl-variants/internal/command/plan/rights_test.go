// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/watches"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/manifestfile"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/world"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/world/worldtest"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// reading is a fleet whose plan depends on what the controller may read and approve: a variant injects the ConfigMap eu
// and publishes, and a set selects the ConfigMaps.
const reading = `
apiVersion: v1
kind: ConfigMap
metadata: {name: eu}
data: {a: "2"}
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: alone}
spec:
  upstream: {repo: blueprints, package: web, revision: 1}
  downstream: {repo: edge-1, package: alone}
  approvalPolicy: Automatic
  injectors: [{kind: ConfigMap, name: eu}]
---
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: fleet}
spec:
  upstream: {repo: blueprints, package: web, revision: 1}
  targets: [{objectSelector: {apiVersion: v1, kind: ConfigMap}, template: {downstream: {repo: edge-2}}}]
`

// newReading returns the directories of the fleet and of its snapshot, in which the point settings is required.
func newReading(t *testing.T) (fleet, from string) {
	t.Helper()
	fleet, from = filepath.Join(t.TempDir(), "fleet.yaml"), t.TempDir()
	files := map[string]string{fleet: reading}
	for _, name := range []string{"cluster.yaml", "contents.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", "snapshot", name))
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Join(from, name)] = strings.Replace(string(text), "        name: settings\n",
			"        name: settings\n        annotations: {kpt.dev/config-injection: required}\n", 1)
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return fleet, from
}

// TestRights checks that a plan has the conditions that a controller without rights reports, and for it alone.
func TestRights(t *testing.T) {
	t.Parallel()
	fleet, from := newReading(t)
	for name, c := range map[string]struct {
		denied, approves string
		variant, set     string
	}{
		"all rights":       {approves: "yes", variant: "create: ", set: "Ready VariantsReady"},
		"without approval": {variant: "create: Approved PermissionMissing ", set: "Ready VariantsReady"},
		"without the kind": {approves: "yes", denied: "list",
			variant: "create: ConfigInjected InjectionUnmet Approved GatesNotMet ", set: "Stalled PermissionMissing"},
		"metadata only": {approves: "yes", denied: "get",
			variant: "create: ConfigInjected InjectionUnmet Approved GatesNotMet ", set: "Ready VariantsReady"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := planWith(t, fleet, from, c.approves != "", c.denied)
			v, s := plan.Variants[0], plan.Sets[0]
			got := string(v.Action) + ": "
			for _, unmet := range v.Unmet {
				got += unmet.Type + " " + unmet.Reason + " "
			}
			if diff := cmp.Diff(c.variant, got); diff != "" {
				t.Errorf("the variant (-want +got):\n%s%+v", diff, v.Unmet)
			}
			if diff := cmp.Diff(c.set, s.Condition.Type+" "+s.Condition.Reason); diff != "" {
				t.Errorf("the set (-want +got):\n%s%+v", diff, s.Condition)
			}
		})
	}
}

// planWith plans the fleet for a controller that may approve or not, and that lacks a verb for all kinds.
func planWith(t *testing.T, fleet, from string, approves bool, denied string) *plans.Plan {
	t.Helper()
	types, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	render, err := (&options{}).renderer()
	if err != nil {
		t.Fatal(err)
	}
	there, err := worldtest.New(from)
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.FromCluster(t.Context(), there, "fleet", render)
	if err != nil {
		t.Fatal(err)
	}
	fleets, err := manifestfile.ReadFiles(types, fleet)
	if err != nil {
		t.Fatal(err)
	}
	named, err := w.Overlay(t.Context(), fleets.Objects, "fleet")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := plans.Make(t.Context(), plans.Of(w.World), named.Keys, plans.Options{Runtime: mutate.Builtin{},
		MayApprove: func(context.Context, string) (bool, error) { return approves, nil },
		Denied: func(_ context.Context, kind objects.Kind, verbs ...string) error {
			for _, verb := range verbs {
				if verb == denied {
					return &watches.DeniedError{Resource: schema.GroupResource{Resource: "configmaps"}, Namespace: kind.Namespace}
				}
			}
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
