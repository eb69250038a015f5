// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// fleetSet is a set over the Repositories with the label env=prod, each with the object of its region.
const fleetSet = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: fleet
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  targets:
  - repositorySelector: {matchLabels: {env: prod}}
    template:
      packageContext: {dataExprs: [{key: region, valueExpr: "repository.labels['region']"}]}
      injectors: [{kind: ConfigMap, nameExpr: "repository.labels['region']"}]
`

func newSet(t *testing.T, text string) *v1alpha2.PackageVariantSet {
	t.Helper()
	set := &v1alpha2.PackageVariantSet{}
	if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
		t.Fatal(err)
	}
	return set
}

func prod(region string) map[string]string { return map[string]string{"env": "prod", "region": region} }

// variants returns the downstreams of the set's variants.
func (w *world) variants() []string {
	w.t.Helper()
	var list v1alpha1.PackageVariantList
	if err := w.Client.List(w.t.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, pv := range list.Items {
		if pv.DeletionTimestamp.IsZero() {
			out = append(out, pv.Spec.Downstream.Repo+"/"+pv.Spec.Downstream.Package)
		}
	}
	slices.Sort(out)
	return out
}

func (w *world) set() *v1alpha2.PackageVariantSet {
	w.t.Helper()
	set := &v1alpha2.PackageVariantSet{}
	if err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: "fleet"}, set); err != nil {
		w.t.Fatal(err)
	}
	return set
}

// expectSet waits until the set has these variants, a reason, and counts (desired, current, ready).
func (w *world) expectSet(reason string, counts [3]int32, want ...string) {
	w.t.Helper()
	w.Eventually(fmt.Sprintf("the set has %v and is %s", want, reason), func() error {
		if diff := cmp.Diff(want, w.variants()); diff != "" {
			return fmt.Errorf("variants (-want +got):\n%s", diff)
		}
		set := w.set()
		ready := meta.FindStatusCondition(set.Status.Conditions, v1alpha1.ConditionReady)
		if ready == nil || ready.Reason != reason || ready.ObservedGeneration != set.Generation {
			return fmt.Errorf("the condition Ready is %+v", ready)
		}
		if got := [3]int32{set.Status.Desired, set.Status.Current, set.Status.Ready}; got != counts {
			return fmt.Errorf("counts %v, want %v: %s", got, counts, ready.Message)
		}
		return nil
	})
	w.atRest()
}

// relabel gives a Repository other labels. It has the plugin plan what follows from that, if it removes none.
func (w *world) relabel(repository string, labels map[string]string) {
	w.t.Helper()
	r := &configapi.Repository{}
	if err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: repository}, r); err != nil {
		w.t.Fatal(err)
	}
	before := r.DeepCopy()
	r.Labels = labels
	patch := func(...client.Object) {
		if err := w.Client.Patch(w.t.Context(), r, client.MergeFrom(before)); err != nil {
			w.t.Fatal(err)
		}
	}
	for key := range before.Labels {
		if _, stays := labels[key]; !stays { // kubectl apply leaves such a label, and so does a plan
			patch()
			return
		}
	}
	w.planned = w.planOf(nil, []client.Object{r.DeepCopy()}, patch)
}

// simpleSet is a set over the Repositories with the label env=prod, with other fields of its spec and of its template.
func simpleSet(t *testing.T, fields, template string) *v1alpha2.PackageVariantSet {
	t.Helper()
	return newSet(t, `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: fleet}
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
`+fields+`  targets:
  - repositorySelector: {matchLabels: {env: prod}}
    template: {`+template+`}
`)
}

// setOver returns a set with a target of these repositories.
func setOver(repositories ...string) string {
	text := strings.Split(fleetSet, "  targets:")[0] + "  targets:\n"
	for _, r := range repositories {
		text += "  - repositories: " + r + "\n"
	}
	return text
}

// TestSet has its controller list objects before it watches them, as with an API server that is older or has no
// WatchList: the roles allow that, too, and no other test needs the right to list.
func TestSet(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Repository("edge-1", prod("eu"), true)
	w.Repository("edge-2", prod("us"), true)
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), configMap("us", map[string]string{"api": "us"}),
		newSet(t, fleetSet))
	options := w.options("--log-level=debug")
	options.Env = []string{"KUBE_FEATURE_WatchListClient=false"}
	c := controller.Start(t, options)
	c.WaitReady(t.Context())
	w.expectSet("VariantsReady", [3]int32{2, 2, 2}, "edge-1/web", "edge-2/web")
	w.waitFile("edge-2.web.packagevariant-1", "region.yaml", "api: us")

	// The set selects a new Repository and then no longer selects it: its variant's draft comes and goes.
	w.Repository("edge-3", prod("eu"), true)
	w.expectSet("VariantsReady", [3]int32{3, 3, 3}, "edge-1/web", "edge-2/web", "edge-3/web")
	w.relabel("edge-3", map[string]string{"env": "test", "region": "eu"})
	w.expectSet("VariantsReady", [3]int32{2, 2, 2}, "edge-1/web", "edge-2/web")
	w.Eventually("the draft is gone", func() error {
		left, err := w.ListRevisions("edge-3", "web")
		if len(left) > 0 {
			return fmt.Errorf("there is %s", left[0].Name)
		}
		return err
	})

	// A label of one Repository changes: only its variant gets another value and another object.
	w.relabel("edge-1", prod("us"))
	w.waitFile("edge-1.web.packagevariant-1", "region.yaml", "api: us")
	w.waitFile("edge-1.web.packagevariant-1", "package-context.yaml", "region: us")

	w.expectSet("VariantsReady", [3]int32{2, 2, 2}, "edge-1/web", "edge-2/web")

	// A missing input stops the expansion, and deletes nothing.
	w.relabel("edge-2", map[string]string{"env": "prod"})
	w.expectSet("ExpansionFailed", [3]int32{2, 2, 2}, "edge-1/web", "edge-2/web")
	w.relabel("edge-2", prod("us"))
	w.expectSet("VariantsReady", [3]int32{2, 2, 2}, "edge-1/web", "edge-2/web")

	// An empty selection deletes nothing until that is allowed.
	w.relabel("edge-1", nil)
	w.expectSet("VariantsReady", [3]int32{1, 1, 1}, "edge-2/web")
	w.relabel("edge-2", nil)
	w.expectSet("EmptySelection", [3]int32{0, 0, 0}, "edge-2/web")
	set := newSet(t, fleetSet)
	set.Spec.AllowEmpty = true
	w.Apply(set)
	w.expectSet("VariantsReady", [3]int32{0, 0, 0})

	// At rest, the controller writes nothing.
	w.quiet(c)
	w.proxy.Reset()
	time.Sleep(5 * time.Second)
	if got := w.work(proxy.IsWrite); len(got) > 0 {
		t.Errorf("at rest: %v", got)
	}
}
