// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The condition that tells whether all required injection points are filled, and its reasons.
const (
	conditionInjected = "ConfigInjected"
	injected          = "ConfigInjected"
	unmet             = "InjectionUnmet"
)

// expectUnmet waits until a variant is ready although a required injection point is unmet, and the condition that
// reports that has all of the texts.
func (w *world) expectUnmet(name string, texts ...string) {
	w.t.Helper()
	w.target(name)
	message := w.expectCondition(name, conditionInjected, "False", unmet)
	for _, text := range texts {
		if !strings.Contains(message, text) {
			w.t.Errorf("the condition of %s has no %q:\n%s", name, text, message)
		}
	}
	if ready := w.Condition(name, v1alpha1.ConditionReady); ready.Status != metav1.ConditionTrue ||
		ready.Reason != "UpToDate" {
		w.t.Errorf("Ready of %s is %s %s, want True UpToDate: %s", name, ready.Status, ready.Reason, ready.Message)
	}
}

func pointOf(apiVersion, kind, name, need string) string {
	return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata:\n  name: %s\n  annotations:\n"+
		"    kpt.dev/config-injection: %s\n", apiVersion, kind, name, need)
}

// adviceFor is what a condition says of objects that the controller may not read.
func adviceFor(group, resource string) string {
	return "label a ClusterRole " +
		`config.porch.kpt.dev/aggregate-to-package-variants: "true" that has the rule {apiGroups: ["` + group +
		`"], resources: ["` +
		resource + `"], verbs: [get, list, watch]}`
}

// allow gives the controller the right to read a resource in the namespace, and forbid takes it away.
func (w *world) allow(resource string) {
	w.t.Helper()
	w.kubectl("create", "role", "read-"+resource, "--namespace", w.Namespace, "--verb=get,list,watch",
		"--resource="+resource)
	w.kubectl("create", "rolebinding", "read-"+resource, "--namespace", w.Namespace, "--role=read-"+resource,
		"--serviceaccount=package-variants-system:sync-controller")
}

func (w *world) forbid(resource string) {
	w.t.Helper()
	w.kubectl("delete", "rolebinding", "read-"+resource, "--namespace", w.Namespace)
}

// TestInjectionOfOtherKinds has injection points of kinds that the cluster does not know, and of kinds that the
// controller may not read. Their points say so, and nothing else is affected: the rest of the package is done. The right
// comes, and is taken away again, which is noticed when the object has to be read: when it changes, and after a restart.
func TestInjectionOfOtherKinds(t *testing.T) {
	w := newWorld(t)
	with := func(points ...string) map[string]string {
		files := blueprint()
		files["points.yaml"] = strings.Join(points, "---\n")
		return files
	}
	const resource, group = "networkpolicies", "networking.k8s.io"
	cluster := pointOf("infra.example.com/v1", "Cluster", "here", "required")
	policy := pointOf(group+"/v1", "NetworkPolicy", "here", "required")
	w.Publish("blueprints", "unknown", "v1", with(cluster))
	w.Publish("blueprints", "denied", "v1", with(policy))
	w.Publish("blueprints", "both", "v1", with(cluster, policy))
	w.Publish("blueprints", "optional", "v1", with(strings.ReplaceAll(cluster, "required", "optional"),
		strings.ReplaceAll(policy, "required", "optional")))
	names := []string{"unknown", "denied", "both", "optional"}
	objects := []client.Object{configMap("eu", map[string]string{"api": "eu"})}
	for _, name := range names {
		objects = append(objects, newVariant(name, func(s *variant.Spec) {
			s.Upstream.Package = name
			s.Pipeline = &variant.Pipeline{Mutators: []variant.Function{{Name: "c", Image: contextImage,
				ConfigMap: map[string]string{"pipe": "line"}}}}
		}))
	}
	w.Apply(objects...)
	c := w.start()
	unknown, denied := "the cluster does not know the kind", adviceFor(group, resource)
	w.expectUnmet("unknown", "config.injection.Cluster.here", unknown)
	w.expectUnmet("denied", "config.injection.NetworkPolicy.here", denied)
	w.expectUnmet("both", "config.injection.Cluster.here", unknown, "config.injection.NetworkPolicy.here", denied)
	w.target("optional")
	w.expectCondition("optional", conditionInjected, "True", injected)
	for _, name := range names {
		files := w.Files("edge." + name + ".packagevariant-1")
		for file, text := range map[string]string{"region.yaml": "api: eu\n", "package-context.yaml": "region: eu\n",
			"Kptfile": "PackageVariant." + name + ".c.0"} {
			if !strings.Contains(files[file], text) {
				t.Errorf("%s has no %q in %s:\n%s", name, text, file, files[file])
			}
		}
	}
	// Once the right and the kind are there, the controller continues by itself.
	w.Apply(objectOf(group+"/v1", "NetworkPolicy", selects("b")))
	w.allow(resource + "." + group)
	w.waitFile("edge.denied.packagevariant-1", "points.yaml", "a: b\n")
	w.kubectl("apply", "--namespace", w.Namespace, "-f", filepath.Join("testdata", "clusters.yaml"))
	w.kubectl("wait", "--for=condition=Established", "crd", "clusters.infra.example.com")
	w.Apply(objectOf("infra.example.com/v1", "Cluster", map[string]any{"endpoint": "eu.example.com"}))
	w.Timeout = unanswered // a kind that is unknown is looked for at longer and longer intervals
	for _, name := range []string{"unknown", "both", "optional"} {
		w.waitFile("edge."+name+".packagevariant-1", "points.yaml", "endpoint: eu.example.com")
	}
	for _, name := range []string{"unknown", "denied", "both"} {
		w.expectCondition(name, conditionInjected, "True", injected)
	}
	w.forbid(resource + "." + group)
	w.Apply(objectOf(group+"/v1", "NetworkPolicy", selects("c")))
	w.expectUnmet("denied", "config.injection.NetworkPolicy.here", denied)
	c.Stop()
	w.Apply(newVariant("denied", zone, func(s *variant.Spec) { s.Upstream.Package = "denied" }))
	w.start()
	w.waitFile("edge.denied.packagevariant-1", "package-context.yaml", "zone: a\n")
	w.expectUnmet("denied", "config.injection.NetworkPolicy.here", denied)
}

// objectOf returns the object eu of a kind.
func objectOf(apiVersion, kind string, spec map[string]any) client.Object {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetAPIVersion(apiVersion)
	object.SetKind(kind)
	object.SetName("eu")
	return object
}

// selects is the spec of a NetworkPolicy over what has the value in the label a.
func selects(value string) map[string]any {
	return map[string]any{"podSelector": map[string]any{"matchLabels": map[string]any{"a": value}}}
}
