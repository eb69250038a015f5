// SPDX-License-Identifier: Apache-2.0

package switching

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// life is a variant with fields that earlier versions do not know. Its package is published by its policy.
const life = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: life}
spec:
  upstream: {repo: blueprints, package: web, revision: 1}
  downstream: {repo: edge-2, package: life}
  packageContext: {data: {tier: gold}}
  injectors: [{name: us}]
  approvalPolicy: Initial
  dependsOn: [{name: shop}]
`

// earlier is a version from which a cluster is upgraded, and to which it goes back.
type earlier struct {
	// crds returns the directory of its CRDs.
	crds func(t *testing.T) string
	// statuses is the directory of the statuses that its controller wrote.
	statuses string
	// reason is that of the condition Ready in those of variants.
	reason string
}

var earliers = map[string]earlier{
	"before the life of packages": {
		crds:     func(*testing.T) string { return filepath.Join("testdata", "before-life") },
		statuses: filepath.Join("testdata", "before-life", "statuses"), reason: "UpToDate",
	},
	"Porch v1.5": {
		crds: func(t *testing.T) string {
			t.Helper()
			return filepath.Join(porchModule(t), "controllers", "config", "crd", "bases")
		},
		statuses: filepath.Join("testdata", "porch-v1.5"), reason: "NoErrors",
	},
}

// TestUpgrade upgrades a running fleet from an earlier version, by the steps of the manual, goes back to it and
// upgrades again. In the end each variant has been evaluated and is ready, and no package has been written.
func TestUpgrade(t *testing.T) {
	for name, version := range earliers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c, all := w.settle()
			before := w.packages()

			// An earlier version, with nothing of what came after it, to this one; the second time after going back.
			for _, what := range []string{"upgrade", "upgrade after going back"} {
				c.Stop()
				w.goBack(version)
				w.expectPruned()
				w.proxy.Reset()
				w.upgrade()
				c = w.start("--upgrade-window=0s")
				w.expectReasons(all)
				w.expectLookedAt(c, len(all))
				w.expectUntouched(what, before)
			}

			// The earlier CRDs hide part of these statuses of this version, and no controller writes them meanwhile.
			c.Stop()
			w.replaceCRDs(version)
			w.proxy.Reset()
			w.upgrade()
			c = w.start("--upgrade-window=0s")
			w.expectReasons(all)
			w.expectLookedAt(c, 0)
			w.expectUntouched("the CRDs went and came back", before)
			w.expectFollows()
		})
	}
}

// settle has this version make a fleet, of which people publish one package and a policy another, and returns the
// controller and what it says of each variant in the end.
func (w *world) settle() (*controller.Process, map[string]string) {
	w.t.Helper()
	w.apply(manifests)
	w.apply(life)
	c := w.start()
	w.Ready("shop")
	w.Propose("edge-1.shop.packagevariant-1")
	w.Approve("edge-1.shop.packagevariant-1")
	w.Eventually("the draft of life is published", func() error {
		if w.Variant("life").Status.Downstream == nil {
			return fmt.Errorf("it is not")
		}
		return nil
	})
	all := map[string]string{}
	w.Eventually("the set has its variants", func() error {
		if all = w.variants(); len(all) != 4 {
			return fmt.Errorf("there are %v", all)
		}
		return nil
	})
	for name := range all {
		all[name] = "UpToDate"
	}
	w.expectReasons(all)
	return c, all
}

// expectUntouched fails the test if the packages are not as they were, or a controller wrote to one.
func (w *world) expectUntouched(what string, before map[string]map[string]string) {
	w.t.Helper()
	if diff := cmp.Diff(before, w.packages()); diff != "" {
		w.t.Errorf("%s: the packages have changed (-before +after):\n%s", what, diff)
	}
	for _, r := range w.proxy.Requests() {
		if proxy.IsWrite(r) && r.Group == "porch.kpt.dev" {
			w.t.Errorf("%s: a package was written: %s", what, r)
		}
	}
}

// expectFollows holds that the variants follow what changes.
func (w *world) expectFollows() {
	w.t.Helper()
	w.Apply(configMap("eu", "eu-2"))
	w.Eventually("the published package is edited", func() error {
		revisions, err := w.ListRevisions("edge-1", "shop")
		if err == nil && len(revisions) != 2 {
			err = fmt.Errorf("there is no draft")
		}
		return err
	})
}

// apply applies manifests as a user does.
func (w *world) apply(text string) {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), "manifests.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.kubectl("apply", "--namespace="+namespace, "--filename="+file)
}

func (w *world) kubectl(args ...string) {
	w.t.Helper()
	if out, err := w.stack.Kubectl(w.t.Context(), args...); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
}

// porchModule returns the directory of Porch's sources.
func porchModule(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/nephio-project/porch")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// replaceCRDs puts an earlier version's CRDs in the place of those that there are.
func (w *world) replaceCRDs(version earlier) {
	w.t.Helper()
	dir := version.crds(w.t)
	for _, kind := range []string{"packagevariants", "packagevariantsets"} {
		w.kubectl("replace", "--filename="+filepath.Join(dir, "config.porch.kpt.dev_"+kind+".yaml"))
	}
	// The API server serves the earlier fields a little later: it drops what it does not know from then on.
	w.Eventually("the earlier CRDs are served", func() error {
		u, err := w.object("PackageVariant", "v1alpha1", "life")
		if err != nil {
			return err
		}
		if policy, there, _ := unstructured.NestedString(u.Object, "spec", "approvalPolicy"); there {
			return fmt.Errorf("the API still has approvalPolicy: %s", policy)
		}
		return nil
	})
}

// goBack puts the fleet into the state of an earlier version: its CRDs, and the statuses that its controller wrote,
// with the values that depend on the run taken from this one. Fields that its CRDs lack are gone.
func (w *world) goBack(version earlier) {
	w.t.Helper()
	statuses, reasons := map[string]map[string]any{}, map[string]string{}
	for name := range w.variants() {
		u, err := w.object("PackageVariant", "v1alpha1", name)
		if err != nil {
			w.t.Fatal(err)
		}
		now, _, err := unstructured.NestedMap(u.Object, "status")
		if err != nil {
			w.t.Fatal(err)
		}
		status := w.status(version, "packagevariant.yaml")
		for _, field := range []string{"downstreamTargets", "ownedRevisions", "injectedObjects", "upstream"} {
			if value := now[field]; status[field] != nil && value != nil {
				status[field] = value
			} else {
				delete(status, field)
			}
		}
		statuses[name], reasons[name] = status, version.reason
	}
	w.replaceCRDs(version)
	for name, status := range statuses {
		w.setStatus("PackageVariant", "v1alpha1", name, status)
	}
	w.setStatus("PackageVariantSet", "v1alpha2", "web", w.status(version, "packagevariantset.yaml"))
	w.expectReasons(reasons)
}

// status returns a status that an earlier version wrote.
func (w *world) status(version earlier, file string) map[string]any {
	w.t.Helper()
	content, err := os.ReadFile(filepath.Join(version.statuses, file))
	if err != nil {
		w.t.Fatal(err)
	}
	if content, err = yaml.YAMLToJSON(content); err != nil {
		w.t.Fatal(err)
	}
	status := map[string]any{}
	if err := json.Unmarshal(content, &status); err != nil {
		w.t.Fatal(err)
	}
	return runtime.DeepCopyJSON(status)
}

// object returns an object of our API with all fields that the API server has.
func (w *world) object(kind, version, name string) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion("config.porch.kpt.dev/" + version)
	u.SetKind(kind)
	return u, w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, u)
}

// setStatus replaces the status of an object, about the generation that it has.
func (w *world) setStatus(kind, version, name string, status map[string]any) {
	w.t.Helper()
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		u, err := w.object(kind, version, name)
		if err != nil {
			return err
		}
		if _, has := status["observedGeneration"]; has {
			status["observedGeneration"] = u.GetGeneration()
		}
		conditions, _, err := unstructured.NestedSlice(status, "conditions")
		if err != nil {
			return err
		}
		for _, each := range conditions {
			if c, ok := each.(map[string]any); ok && c["observedGeneration"] != nil {
				c["observedGeneration"] = u.GetGeneration()
			}
		}
		status["conditions"] = conditions
		u.Object["status"] = status
		return w.Client.Status().Update(context.WithoutCancel(w.t.Context()), u)
	})
	if err != nil {
		w.t.Fatalf("cannot write the status of %s: %v", name, err)
	}
}

// expectPruned fails the test unless nothing is left of what only this version knows.
func (w *world) expectPruned() {
	w.t.Helper()
	for kind, names := range map[string][]string{"PackageVariant": {"life", "shop"}} {
		for _, name := range names {
			u, err := w.object(kind, "v1alpha1", name)
			if err != nil {
				w.t.Fatal(err)
			}
			for _, path := range [][]string{{"spec", "approvalPolicy"}, {"spec", "dependsOn"}, {"status", "savedDraft"}} {
				if value, there, err := unstructured.NestedFieldNoCopy(u.Object, path...); there || err != nil {
					w.t.Errorf("%s has %s: %v", name, strings.Join(path, "."), value)
				}
			}
		}
	}
}

// upgrade does what the manual says, with the whole package of the controller.
func (w *world) upgrade() {
	w.t.Helper()
	const command = "kubectl apply -R -f sync-controller/config"
	manual, err := os.ReadFile(filepath.Join(root, "docs", "install.md"))
	if err != nil {
		w.t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(manual), "\n## Upgrade\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !strings.Contains(section, "\n"+command+"\n") {
		w.t.Fatalf("the manual does not say %q any more:\n%s", command, section)
	}
	w.kubectl("apply", "--recursive", "--filename="+thisConfig)
	w.Eventually("this version's CRDs are served", func() error {
		u, err := w.object("PackageVariant", "v1alpha1", "life")
		if err != nil {
			return err
		}
		if err := unstructured.SetNestedField(u.Object, "Manual", "spec", "approvalPolicy"); err != nil {
			return err
		}
		if err := w.Client.Update(w.t.Context(), u, client.DryRunAll); err != nil {
			return err
		}
		if _, there, _ := unstructured.NestedString(u.Object, "spec", "approvalPolicy"); !there {
			return fmt.Errorf("the API has no approvalPolicy")
		}
		return nil
	})
}

// expectLookedAt waits until the controller has evaluated so many variants; for none, it checks that it evaluates none.
func (w *world) expectLookedAt(c *controller.Process, want int) {
	w.t.Helper()
	w.Eventually("the variants are looked at", func() error {
		families, err := c.Metrics()
		if got := families.Sum("package_variant_evaluations_total", nil); err == nil && got < float64(want) {
			err = fmt.Errorf("%v of them, want %d", got, want)
		}
		return err
	})
	if got := c.Metric("package_variant_evaluations_total", nil); want == 0 && got != 0 {
		w.t.Errorf("%v variants were looked into, though nothing has changed", got)
	}
	for name := range w.variants() {
		pv := w.Variant(name)
		if i := slices.IndexFunc(pv.Status.Conditions, func(c metav1.Condition) bool {
			return c.Type == v1alpha1.ConditionReady && c.ObservedGeneration == pv.Generation
		}); i < 0 || pv.Status.ObservedInputs == "" {
			w.t.Errorf("%s has the status %+v", name, pv.Status)
		}
	}
}
