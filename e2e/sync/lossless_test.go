// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// readyNow returns what the condition Ready says about a variant's current spec, and the zero value if it is about an
// older one. A hook may call it.
func (w *world) readyNow(name string) metav1.Condition {
	var pv v1alpha1.PackageVariant
	if err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name}, &pv); err != nil {
		return metav1.Condition{Message: err.Error()}
	}
	for _, c := range pv.Status.Conditions {
		if c.Type == v1alpha1.ConditionReady && c.ObservedGeneration == pv.Generation {
			return c
		}
	}
	return metav1.Condition{}
}

// withoutContext publishes an upstream without a package context, and returns an option that puts a variant of it into
// a Repository that is not for deployments, where Porch adds no context to packages.
func (w *world) withoutContext() func(*variant.Spec) {
	w.t.Helper()
	w.Repository("stock", nil, false)
	files := simple()
	files["package-context.yaml"] = ""
	w.Publish("blueprints", "web", "v1", files)
	return func(s *variant.Spec) { s.Injectors, s.Downstream.Repo = nil, "stock" }
}

// TestContextOfDeployment has an upstream without a package context. Porch adds one to what is cloned into a deployment
// Repository, and to nothing else.
func TestContextOfDeployment(t *testing.T) {
	w := newWorld(t)
	stocked := w.withoutContext()
	w.Apply(newVariant("deployed", func(s *variant.Spec) { s.Injectors = nil }), newVariant("stocked", stocked))
	w.start()
	w.waitFile(w.target("deployed"), "package-context.yaml", "region: eu")
	if message := w.message("stocked", "FunctionFailed"); !strings.Contains(message, "kptfile.kpt.dev") {
		t.Errorf("message %q", message)
	}
	if left := w.Revisions("stock", "stocked"); len(left) > 0 {
		t.Errorf("there is the draft %s", left[0].Name)
	}
}

// TestUpstreamIsReadOnce has several variants of two upstream revisions, each of which is read once for all of them.
func TestUpstreamIsReadOnce(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.Apply(configMap("eu", map[string]string{"api": "eu"}))
	for i := range 6 {
		w.Apply(newVariant(fmt.Sprintf("web-%d", i), revision(1+i%2)))
	}
	w.start()
	for i := range 6 {
		w.target(fmt.Sprintf("web-%d", i))
	}
	reads := map[string]int{}
	for _, r := range w.proxy.Requests() {
		if r.Verb == "get" && r.Resource == "packagerevisionresources" && strings.HasPrefix(r.Name, "blueprints.") {
			reads[r.Name]++
		}
	}
	if diff := cmp.Diff(map[string]int{"blueprints.web.v1": 1, "blueprints.web.v2": 1}, reads); diff != "" {
		t.Errorf("reads of upstreams (-want +got):\n%s", diff)
	}
}

// One package cannot have both of these points, because they have the same kind and name. Each alone is valid.
const (
	pointOfUser = "apiVersion: a.example.com/v1\nkind: Cluster\nmetadata:\n  name: here\n  annotations:\n" +
		"    kpt.dev/config-injection: optional\n"
	pointOfUpstream = "apiVersion: b.example.com/v1\nkind: Cluster\nmetadata:\n  name: here\n  annotations:\n" +
		"    kpt.dev/config-injection: optional\n"
)

// TestFunctionFailsAfterUpgrade has functions fail over what Porch has merged, but not over either of its sources: the
// draft is deleted again.
func TestFunctionFailsAfterUpgrade(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Publish("blueprints", "web", "v2", map[string]string{"theirs.yaml": pointOfUpstream})
	w.Publish("blueprints", "web", "v3", map[string]string{"theirs.yaml": ""})
	context := func(s *variant.Spec) { s.Injectors = nil }
	w.Apply(newVariant("web", context))
	c := w.start()
	draft := w.target("web")
	w.WriteFiles(draft, map[string]string{"mine.yaml": pointOfUser})
	w.waitFile(draft, "Kptfile", "config.injection.Cluster.here")
	w.target("web")
	w.publish(draft)
	w.seesPublished("web")
	w.proxy.Reset()
	w.Apply(newVariant("web", context, revision(2)))
	if message := w.message("web", "FunctionFailed"); !strings.Contains(message, "Cluster") ||
		!strings.Contains(message, "here") {
		t.Errorf("message %q", message)
	}
	w.quiet(c)
	w.expectDrafts("web")
	// The delay doubles with each retry; events of a draft that comes and goes do not shorten it.
	if n := proxy.Count(w.proxy.Requests(), isCreate); n > 4 {
		t.Errorf("Porch was asked for %d drafts, which were removed", n)
	}
	w.expectStates("web", map[string]state{"packagevariant-1": {isPublished, 1}})
	w.Apply(newVariant("web", context, revision(3)))
	w.waitOneDraft("web")
	w.target("web")
}

// TestUnreadyBeforeDraft checks that a variant is not ready, for its current spec and objects, when a clone, an edit or
// an upgrade requests a draft: a person who publishes the drafts of ready variants never publishes an unfinished one.
func TestUnreadyBeforeDraft(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Publish("blueprints", "web", "v2", settingsV2)
	seen := make(chan string, 10)
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.Before && isCreate(r) {
			ready := w.readyNow("web")
			seen <- fmt.Sprintf("%s %s", ready.Status, ready.Reason)
			w.checkKstatus("web", "Pending")
		}
		return nil
	})
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"))
	w.start()
	w.publish(w.target("web"))
	w.seesPublished("web")
	w.Apply(configMap("eu", map[string]string{"api": "eu-2"}))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.publish("edge.web.packagevariant-2")
	w.seesPublished("web")
	w.Apply(newVariant("web", revision(2)))
	w.waitTarget("web", "edge.web.packagevariant-3")
	w.proxy.Handle(nil)
	close(seen)
	const pending = "False Pending"
	var got []string
	for s := range seen {
		got = append(got, s)
	}
	if diff := cmp.Diff([]string{pending, pending, pending}, got); diff != "" {
		t.Errorf("Ready when a draft is asked for, by a clone, an edit and an upgrade (-want +got):\n%s", diff)
	}
}
