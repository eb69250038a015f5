// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestConditionsDoNotFlap follows the condition Ready of a variant while it is made, changed, published and edited.
func TestConditionsDoNotFlap(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "0"}))
	watcher, err := client.NewWithWatch(w.stack.Config, client.Options{Scheme: w.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	events, err := watcher.Watch(t.Context(), &v1alpha1.PackageVariantList{}, client.InNamespace(w.Namespace))
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan []string)
	go func() { seen <- readyStates(events.ResultChan()) }()
	w.Apply(newVariant("web"))
	w.start()
	draft := w.target("web")
	for i := range 3 {
		w.Apply(configMap("eu", map[string]string{"api": fmt.Sprint(i + 1)}))
		w.waitFile(draft, "region.yaml", fmt.Sprintf("api: %q", fmt.Sprint(i+1)))
	}
	w.Apply(newVariant("web", func(s *variant.Spec) { s.PackageContext.Data["zone"] = "a" }))
	w.waitFile(draft, "package-context.yaml", "zone: a")
	w.Ready("web")
	w.publish(draft)
	w.seesPublished("web") // the status reports changes during the proposal
	w.Apply(configMap("eu", map[string]string{"api": "9"}))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.Delete(newVariant("web"))
	w.waitGone("web")
	events.Stop()
	// It is Pending before a clone or an edit makes a draft, and not while an open draft is changed.
	if diff := cmp.Diff([]string{"", "False Pending", "True UpToDate", "False Pending", "True UpToDate"},
		<-seen); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// readyStates returns the states that the condition Ready goes through, until there are no more events.
func readyStates(events <-chan watch.Event) []string {
	var seen []string
	for e := range events {
		if e.Type == watch.Error { // the end of the watch
			continue
		}
		pv, ok := e.Object.(*v1alpha1.PackageVariant)
		if !ok {
			return append(seen, fmt.Sprintf("%+v", e))
		}
		now := ""
		if c := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady); c != nil {
			now = fmt.Sprintf("%s %s", c.Status, c.Reason)
		}
		if len(seen) == 0 || seen[len(seen)-1] != now {
			seen = append(seen, now)
		}
	}
	return seen
}

// TestColumns checks what kubectl shows.
func TestColumns(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Repository("edge-1", prod("eu"), true)
	w.Apply(newVariant("web", plain), newVariant("shop", plain), newSet(t, strings.Split(fleetSet, "    template:")[0]))
	w.start()
	draft := w.target("shop")
	w.target("web")
	w.expectSet("VariantsReady", [3]int32{1, 1, 1}, "edge-1/web", "edge/shop", "edge/web")
	w.publish(draft)
	w.Eventually("the published variant has no draft", func() error {
		if got := w.Variant("shop").Status.DownstreamTargets; len(got) != 1 || got[0].Lifecycle != "Published" {
			return fmt.Errorf("targets %+v", got)
		}
		return nil
	})
	age := regexp.MustCompile(` +[0-9]+s\n`)
	for kinds, want := range map[string]string{
		"packagevariants": `NAME                        UPSTREAM   REVISION   REPOSITORY   DOWNSTREAM   DRAFT                         READY   INJECTED   AGE
fleet-edge-1-web-jhnfhz8tr2   web        latest     edge-1       web          edge-1.web.packagevariant-1   True    True
shop                          web        1          edge         shop                                       True    True
web                           web        1          edge         web          edge.web.packagevariant-1     True    True
`,
		"packagevariantsets": `NAME    UPSTREAM   REVISION   DESIRED   CURRENT   READY VARIANTS   INJECTED   READY   AGE
fleet   web        latest     1         1         1                1          True
`,
	} {
		out, err := w.stack.Kubectl(t.Context(), "get", kinds, "--namespace", w.Namespace)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Fields(want), strings.Fields(age.ReplaceAllString(out, "\n"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kinds, diff)
		}
	}
}

// TestInjectedColumns checks that kubectl shows what is injected, for all names of the columns.
func TestInjectedColumns(t *testing.T) {
	w := newWorld(t)
	for crd, path := range map[string]string{
		"packagevariants.config.porch.kpt.dev":    `.status.conditions[?(@.type=="ConfigInjected")].status`,
		"packagevariantsets.config.porch.kpt.dev": ".status.injected",
	} {
		out, err := w.stack.Kubectl(t.Context(), "get", "crd", crd, "-o",
			"jsonpath={.spec.versions[*].additionalPrinterColumns[*].jsonPath}")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(strings.Fields(out), path) {
			t.Errorf("%s has no column of %s: %s", crd, path, out)
		}
	}
}

// TestInjectionOfObjectsOfOtherNamespaces checks that no object leaves its namespace.
func TestInjectionOfObjectsOfOtherNamespaces(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	other := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace + "-other"}}
	secret := configMap("eu", map[string]string{"api": "secret"})
	secret.Namespace = other.Name
	w.Apply(other, secret, newVariant("web"))
	w.start()
	w.expectUnmet("web", `config.injection.ConfigMap.region: no v1 ConfigMap named "eu" in namespace "`+w.Namespace+`"`)
	if got := w.Files("edge.web.packagevariant-1")["region.yaml"]; strings.Contains(got, "secret") {
		t.Errorf("it is:\n%s", got)
	}
}
