// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
)

// Statuses of objects that exist before a plan, from an older generation.
const (
	healthy = `status: {observedGeneration: 1, conditions: [
  {type: Ready, status: "True", reason: UpToDate, message: m, lastTransitionTime: "2026-11-01T10:00:00Z"},
  {type: Stalled, status: "False", reason: UpToDate, message: m, lastTransitionTime: "2026-11-01T10:00:00Z"}]}
`
	broken = `status: {observedGeneration: 1, conditions: [
  {type: Ready, status: "False", reason: UpstreamNotFound, message: m, lastTransitionTime: "2026-11-01T10:00:00Z"},
  {type: Stalled, status: "True", reason: UpstreamNotFound, message: m, lastTransitionTime: "2026-11-01T10:00:00Z"}]}
`
	renderFailed = `status: {observedGeneration: 1, conditions: [
  {type: Ready, status: "False", reason: RenderFailed, message: m, lastTransitionTime: "2026-11-01T10:00:00Z"},
  {type: Stalled, status: "True", reason: RenderFailed, message: m, lastTransitionTime: "2026-11-01T10:00:00Z"}]}
`
	suspendedBefore = `status: {observedGeneration: 1, conditions: [
  {type: Ready, status: "False", reason: Suspended, message: m, lastTransitionTime: "2026-11-01T10:00:00Z"},
  {type: Stalled, status: "True", reason: Suspended, message: m, lastTransitionTime: "2026-11-01T10:00:00Z"}]}
`
)

// spoiled is a blueprint that makes every function of a variant fail.
const spoiled = `apiVersion: porch.kpt.dev/v1alpha1
kind: PackageRevision
metadata: {name: blueprints.spoiled.v1, namespace: fleet, uid: p9, resourceVersion: 3f1c9a7be0d24c5f8a6b1d2e3f4a5b6c7d8e9f99}
spec: {lifecycle: Published, packageName: spoiled, repository: blueprints, revision: 1, workspaceName: v1}
---
apiVersion: porch.kpt.dev/v1alpha1
kind: PackageRevisionResources
metadata: {name: blueprints.spoiled.v1, namespace: fleet, resourceVersion: 3f1c9a7be0d24c5f8a6b1d2e3f4a5b6c7d8e9f99}
spec:
  packageName: spoiled
  repository: blueprints
  workspaceName: v1
  resources:
    Kptfile: "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: spoiled}\n"
    settings.yaml: |
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: settings, annotations: {kpt.dev/config-injection: perhaps}}
`

// variantText returns a variant of the blueprint web in edge-1, with other fields of its spec.
func variantText(name, downstream, fields string) string {
	if !strings.Contains(fields, "upstream:") {
		fields = "upstream: {repo: blueprints, package: web, revision: 1}, " + fields
	}
	return fmt.Sprintf("---\napiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\n"+
		"metadata: {name: %s, namespace: fleet}\nspec: {downstream: %s, %s}\n", name, downstream, fields)
}

// there returns a variant as a snapshot has it, with a status and its draft.
func there(name, downstream, fields, status string) string {
	made := strings.Replace(variantText(name, downstream, fields), "namespace: fleet", fmt.Sprintf(
		"namespace: fleet, uid: uid-%s, resourceVersion: \"1\", generation: 2, "+
			"finalizers: [config.porch.kpt.dev/packagevariants]", name), 1) + status
	return made + fmt.Sprintf(`---
apiVersion: porch.kpt.dev/v1alpha1
kind: PackageRevision
metadata:
  name: edge-1.%[1]s.packagevariant-1
  namespace: fleet
  uid: draft-%[1]s
  resourceVersion: 3f1c9a7be0d24c5f8a6b1d2e3f4a5b6c7d8e9f0b
  ownerReferences: [{apiVersion: config.porch.kpt.dev/v1alpha1, kind: PackageVariant, name: %[1]s, uid: uid-%[1]s, controller: true}]
spec: {lifecycle: Published, packageName: %[1]s, repository: edge-1, revision: 1, workspaceName: packagevariant-1}
status:
  upstreamLock: {type: git, git: {repo: "https://git.example.com/blueprints.git", directory: web, ref: web/v1,
    commit: 3f1c9a7be0d24c5f8a6b1d2e3f4a5b6c7d8e9f0a}}
---
apiVersion: porch.kpt.dev/v1alpha1
kind: PackageRevisionResources
metadata: {name: edge-1.%[1]s.packagevariant-1, namespace: fleet, resourceVersion: 3f1c9a7be0d24c5f8a6b1d2e3f4a5b6c7d8e9f0b}
spec:
  packageName: %[1]s
  repository: edge-1
  workspaceName: packagevariant-1
  resources:
    Kptfile: "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: web}\n"
    package-context.yaml: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kptfile.kpt.dev}\ndata: {name: web}\n"
`, name)
}

// outcome is what a plan says of an object, and its exit code.
type outcome struct {
	Action  plans.Action
	Stalled plans.Stall
	Reason  string
	Exit    int
}

// planManifests plans manifests over the snapshot of the tests with more objects, and returns the plan and its error.
func planManifests(t *testing.T, world, manifests string) (*plans.Plan, error) {
	t.Helper()
	manifest := filepath.Join(t.TempDir(), "fleet.yaml")
	if err := os.WriteFile(manifest, []byte(manifests), 0o600); err != nil {
		t.Fatal(err)
	}
	return planOf(t, "-f", manifest, cluster, snapshotOf(t, world))
}

// TestStalledVariant checks that a plan distinguishes a variant that a change breaks from one that was broken before.
func TestStalledVariant(t *testing.T) {
	t.Parallel()
	const a, b = "{repo: edge-1, package: a}", "{repo: edge-1, package: b}"
	nine := variantText("a", a, "upstream: {repo: blueprints, package: web, revision: 9}")
	breaks := func(reason string) outcome { return outcome{plans.Fail, plans.Breaks, reason, cli.ExitError} }
	for name, c := range map[string]struct {
		world, manifests string
		want             outcome
	}{
		"revision that does not exist": {there("a", a, "", healthy), nine, breaks("UpstreamNotFound")},
		"new variant":                  {"", nine, breaks("UpstreamNotFound")},
		"suspended before":             {there("a", a, "", suspendedBefore), nine, breaks("UpstreamNotFound")},
		"broken before": {there("a", a, "", broken), nine,
			outcome{plans.Stalled, plans.Still, "UpstreamNotFound", cli.ExitNothing}},
		"suspended": {there("a", a, "", healthy), variantText("a", a, "packageContext: {data: {a: b}}, suspend: true"),
			outcome{plans.Wait, "", "Suspended", cli.ExitNothing}},
		"Repository that is not there": {there("a", a, "", healthy), variantText("a", "{repo: nowhere, package: a}", ""),
			breaks("RepositoryNotFound")},
		"dependency that is not there": {there("a", a, "", healthy), variantText("a", a, "dependsOn: [{name: nobody}]"),
			breaks("DependencyNotFound")},
		"cycle of dependencies": {there("a", a, "", healthy) + there("b", b, "dependsOn: [{name: a}]", healthy),
			variantText("a", a, "dependsOn: [{name: b}]"), breaks("DependencyCycle")},
		"downstream of another": {there("a", a, "", healthy) + there("b", b, "", healthy), variantText("a", b, ""),
			breaks("DownstreamClaimed")},
		"swapped downstreams": {there("a", a, "", healthy) + there("b", b, "", healthy),
			variantText("a", b, "") + variantText("b", a, ""), breaks("DownstreamExists")},
		"pipeline that failed before": {there("other", "{repo: edge-1, package: a}", "", renderFailed),
			variantText("other", "{repo: edge-1, package: new}", ""),
			outcome{plans.Create, plans.Still, "RenderFailed", cli.ExitChanges}},
		"function that fails": {there("a", a, "", healthy) + "---\n" + spoiled,
			variantText("new", "{repo: edge-1, package: new}", "upstream: {repo: blueprints, package: spoiled, revision: 1}"),
			breaks("FunctionFailed")},
		"function that failed before": {there("new", "{repo: edge-1, package: other}",
			"upstream: {repo: blueprints, package: spoiled, revision: 1}", broken) + "---\n" + spoiled,
			variantText("new", "{repo: edge-1, package: other}", "upstream: {repo: blueprints, package: spoiled, revision: 1}"),
			outcome{plans.Stalled, plans.Still, "FunctionFailed", cli.ExitNothing}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := planManifests(t, c.world, c.manifests)
			v := plan.Variants[slices.IndexFunc(plan.Variants, func(v plans.Variant) bool { return !v.Other })]
			got := outcome{v.Action, v.Stalled, v.Condition.Reason, cli.ExitCode(err)}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%+v", diff, v)
			}
			said := "PackageVariant " + v.Name + ": breaks: " + c.want.Reason + ": "
			if c.want.Stalled == plans.Breaks && (err == nil || !strings.HasPrefix(err.Error(), said)) {
				t.Errorf("error %v, want one that begins with %q", err, said)
			}
		})
	}
}

// TestStalledSet checks the same for sets.
func TestStalledSet(t *testing.T) {
	t.Parallel()
	const set = "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: s, namespace: fleet%s}\n" +
		"spec:\n  upstream: {repo: blueprints, package: web, revision: %d}\n  targets: [{repositories: [{name: edge-1}]}]\n"
	before := fmt.Sprintf(set, `, uid: u, resourceVersion: "1", generation: 1`, 1)
	for name, c := range map[string]struct {
		status string
		want   outcome
		counts map[plans.Action]int
	}{
		"new":           {"", outcome{"", plans.Breaks, "UpstreamNotFound", cli.ExitError}, map[plans.Action]int{plans.Fail: 1}},
		"ready before":  {healthy, outcome{"", plans.Breaks, "UpstreamNotFound", cli.ExitError}, map[plans.Action]int{plans.Fail: 1}},
		"broken before": {broken, outcome{"", plans.Still, "UpstreamNotFound", cli.ExitNothing}, map[plans.Action]int{plans.Stalled: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world := ""
			if c.status != "" {
				world = before + c.status
			}
			plan, err := planManifests(t, world, fmt.Sprintf(set, "", 9))
			got := outcome{"", plan.Sets[0].Stalled, plan.Sets[0].Condition.Reason, cli.ExitCode(err)}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%+v", diff, plan.Sets[0])
			}
			if diff := cmp.Diff(c.counts, plan.Counts); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNameTaken checks that the message about a name that is taken has no identifier of a set that does not exist yet.
func TestNameTaken(t *testing.T) {
	t.Parallel()
	const set = "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: s, namespace: fleet%s}\n" +
		"spec:\n  upstream: {repo: blueprints, package: web, revision: 1}\n  targets: [{repositories: [{name: edge-1}]}]\n"
	const there, label = `, uid: u, resourceVersion: "1", generation: 1`, `the label config.porch.kpt.dev/packagevariantset: `
	created, err := planManifests(t, "", fmt.Sprintf(set, ""))
	if cli.ExitCode(err) != cli.ExitChanges || len(created.Sets[0].Created) != 1 {
		t.Fatalf("%v: %+v", err, created.Sets)
	}
	taken := strings.Replace(variantText(created.Sets[0].Created[0], "{repo: edge-1, package: other}", ""), "namespace: fleet",
		`namespace: fleet, uid: v, resourceVersion: "1", generation: 1`, 1)
	for name, c := range map[string]struct{ world, want string }{
		"new":   {"", label + "its uid, once it exists"},
		"there": {"---\n" + fmt.Sprintf(set, there), label + `"u"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := planManifests(t, taken+c.world, fmt.Sprintf(set, ""))
			got := plan.Sets[0].Condition
			if got.Reason != "NameTaken" || !strings.HasSuffix(got.Message, c.want) {
				t.Errorf("%+v, want a message that ends in %q", got, c.want)
			}
		})
	}
}

// TestKeep checks the plan of a variant that wants a package whose deletion is proposed.
func TestKeep(t *testing.T) {
	t.Parallel()
	const downstream = "{repo: edge-1, package: a}"
	proposed := strings.Replace(there("a", downstream, "", healthy), "lifecycle: Published", "lifecycle: DeletionProposed", 1)
	plan, err := planManifests(t, proposed, variantText("a", downstream, ""))
	if len(plan.Variants) != 1 || plan.Variants[0].Action != "keep" {
		t.Fatalf("%v: %+v", err, plan.Variants)
	}
	if diff := cmp.Diff("take back the proposal to delete edge-1.a.packagevariant-1", plan.Variants[0].Texts()[0]); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}
