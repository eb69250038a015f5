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

// expectCounts waits until the status of the set has these counts, each of them present.
func (w *world) expectCounts(want map[string]int64) {
	w.t.Helper()
	w.Eventually(fmt.Sprintf("the set counts %v", want), func() error {
		set := w.object("PackageVariantSet", "v1alpha2", "fleet")
		for field, n := range want {
			got, found, err := unstructured.NestedInt64(set.Object, "status", field)
			if err != nil || !found || got != n {
				return fmt.Errorf("%s is %d (present: %t), want %d: %v", field, got, found, n, set.Object["status"])
			}
		}
		return nil
	})
	w.cameTrue()
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
// controller may not read. Their points say so, and nothing else is affected: the rest of the package is done.
func TestInjectionOfOtherKinds(t *testing.T) {
	w := newWorld(t)
	with := func(points ...string) map[string]string {
		files := blueprint()
		files["points.yaml"] = strings.Join(points, "---\n")
		return files
	}
	cluster := pointOf("infra.example.com/v1", "Cluster", "here", "required")
	secret := pointOf("v1", "Secret", "here", "required")
	w.Publish("blueprints", "unknown", "v1", with(cluster))
	w.Publish("blueprints", "denied", "v1", with(secret))
	w.Publish("blueprints", "both", "v1", with(cluster, secret))
	w.Publish("blueprints", "optional", "v1", with(strings.ReplaceAll(cluster, "required", "optional"),
		strings.ReplaceAll(secret, "required", "optional")))
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
	w.start()
	unknown, denied := "the cluster does not know the kind", adviceFor("", "secrets")
	w.expectUnmet("unknown", "config.injection.Cluster.here", unknown)
	w.expectUnmet("denied", "config.injection.Secret.here", denied)
	w.expectUnmet("both", "config.injection.Cluster.here", unknown, "config.injection.Secret.here", denied)
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
	w.Apply(secretNamed("eu"))
	w.allow("secrets")
	w.kubectl("apply", "--namespace", w.Namespace, "-f", filepath.Join("testdata", "clusters.yaml"))
	w.kubectl("wait", "--for=condition=Established", "crd", "clusters.infra.example.com")
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"endpoint": "eu.example.com"}}}
	object.SetAPIVersion("infra.example.com/v1")
	object.SetKind("Cluster")
	object.SetName("eu")
	w.Apply(object)
	for _, name := range []string{"unknown", "both", "optional"} {
		w.waitFile("edge."+name+".packagevariant-1", "points.yaml", "endpoint: eu.example.com")
	}
	w.expectCondition("unknown", conditionInjected, "True", injected)
}

// secretNamed returns a Secret that has no spec: a point cannot be filled from it, whoever may read it.
func secretNamed(name string) client.Object {
	secret := &unstructured.Unstructured{Object: map[string]any{"stringData": map[string]any{"a": "b"}}}
	secret.SetAPIVersion("v1")
	secret.SetKind("Secret")
	secret.SetName(name)
	return secret
}

// TestPermissionTakenAway takes the right to read an injected object away again. It is noticed when the object has to
// be read, that is when it changes and after a restart; other work goes on.
func TestPermissionTakenAway(t *testing.T) {
	w := newWorld(t)
	const resource, group = "networkpolicies", "networking.k8s.io"
	w.Publish("blueprints", "web", "v1",
		map[string]string{"point.yaml": pointOf(group+"/v1", "NetworkPolicy", "here", "required")})
	labels := map[string]any{"matchLabels": map[string]any{"a": "b"}}
	policy := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"podSelector": labels}}}
	policy.SetAPIVersion(group + "/v1")
	policy.SetKind("NetworkPolicy")
	policy.SetName("eu")
	w.Apply(policy, newVariant("web"))
	c := w.start()
	denied := adviceFor(group, resource)
	w.expectUnmet("web", "config.injection.NetworkPolicy.here", denied)
	w.cameTrue()
	w.allow(resource + "." + group)
	w.expectCondition("web", conditionInjected, "True", injected)
	draft := w.target("web")
	w.waitFile(draft, "point.yaml", "a: b\n")
	w.forbid(resource + "." + group)
	policy.Object["spec"] = map[string]any{"podSelector": map[string]any{"matchLabels": map[string]any{"a": "c"}}}
	w.Apply(policy)
	w.expectUnmet("web", "config.injection.NetworkPolicy.here", denied)
	c.Stop()
	w.Apply(newVariant("web", zone))
	w.start()
	w.waitFile(draft, "package-context.yaml", "zone: a\n")
	w.expectUnmet("web", "config.injection.NetworkPolicy.here", denied)
}
