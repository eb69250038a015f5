// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// conditionNow is what is read of a condition.
type conditionNow struct {
	status, reason string
	generation     int64
}

func conditionsOf(u *unstructured.Unstructured) map[string]conditionNow {
	out := map[string]conditionNow{}
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions") // a status of another form has no conditions
	for _, each := range list {
		c, ok := each.(map[string]any)
		if !ok {
			continue
		}
		typ, _, _ := unstructured.NestedString(c, "type")
		var now conditionNow
		now.status, _, _ = unstructured.NestedString(c, "status")
		now.reason, _, _ = unstructured.NestedString(c, "reason")
		now.generation, _, _ = unstructured.NestedInt64(c, "observedGeneration")
		out[typ] = now
	}
	return out
}

// kstatusOf returns the kstatus of an object. It returns an error if the conditions contradict it or each other: if
// there are any, exactly one of Ready, Stalled and Reconciling is True, and all have the observedGeneration of the
// status.
func kstatusOf(u *unstructured.Unstructured) (status.Status, error) {
	result, err := status.Compute(u)
	if err != nil {
		return "", err
	}
	conditions := conditionsOf(u)
	if len(conditions) == 0 {
		return result.Status, nil
	}
	observed, _, err := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	if err != nil {
		return result.Status, err
	}
	var isTrue []string
	for _, typ := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionStalled, "Reconciling"} {
		c, has := conditions[typ]
		if !has || c.generation != observed {
			return result.Status, fmt.Errorf("the condition %s is %+v, observedGeneration %d", typ, c, observed)
		}
		if c.status == "True" {
			isTrue = append(isTrue, typ)
		}
	}
	if len(isTrue) != 1 {
		return result.Status, fmt.Errorf("of the conditions, %v are True: %v", isTrue, conditions)
	}
	return result.Status, nil
}

// TestKstatusOverTime follows the kstatus of a variant that is made, changed, published, edited, upgraded, broken and
// repaired. It is never Current while a draft is still to come, and its conditions never contradict each other.
func TestKstatusOverTime(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.Apply(configMap("eu", map[string]string{"api": "0"}))
	watcher, err := client.NewWithWatch(w.stack.Config, client.Options{Scheme: w.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion("config.porch.kpt.dev/v1alpha1")
	list.SetKind("PackageVariantList")
	events, err := watcher.Watch(t.Context(), list, client.InNamespace(w.Namespace))
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan []string)
	go func() { seen <- kstatusStates(events.ResultChan()) }()
	w.start()
	w.Apply(newVariant("web"))
	w.publish(w.target("web"))
	w.seesPublished("web")
	w.Apply(newVariant("web", zone))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.publish("edge.web.packagevariant-2")
	w.seesPublished("web")
	w.Apply(newVariant("web", zone, revision(2)))
	w.waitTarget("web", "edge.web.packagevariant-3")
	w.Apply(newVariant("web", zone, revision(9)))
	w.WaitReason("web", "UpstreamNotFound")
	w.Apply(newVariant("web", zone, revision(2)))
	w.waitTarget("web", "edge.web.packagevariant-3")
	events.Stop()
	want := []string{"InProgress", "Current", "InProgress", "Current", "InProgress", "Current", "InProgress", "Failed",
		"InProgress", "Current"}
	if diff := cmp.Diff(want, <-seen); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// kstatusStates returns the kstatus of an object from event to event, until there are no more.
func kstatusStates(events <-chan watch.Event) []string {
	var seen []string
	for e := range events {
		u, ok := e.Object.(*unstructured.Unstructured)
		if !ok || e.Type == watch.Error { // the end of the watch
			continue
		}
		got, err := kstatusOf(u)
		now := string(got)
		if err != nil {
			now = strings.Join([]string{now, err.Error()}, ": ")
		}
		if len(seen) == 0 || seen[len(seen)-1] != now {
			seen = append(seen, now)
		}
	}
	return seen
}
