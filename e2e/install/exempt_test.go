// SPDX-License-Identifier: Apache-2.0

package install

import (
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

var variants = schema.GroupVersionResource{
	Group: "config.porch.kpt.dev", Version: "v1alpha1", Resource: "packagevariants"}

// exempt holds that the controller writes, for a set, what it has no right to do by itself: it may not approve here, read
// any object, or read all of a kind.
func exempt(t *testing.T, g *guide) {
	config := rest.CopyConfig(g.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: account}
	a := attempt{name: "all at once", spec: newVariant(
		"approvalPolicy: Automatic, adoptionPolicy: adoptExisting, injectors: [{name: x}]")}
	expect(t, a.name, a.try(t, client(t, config), 0), "")
}

// warnings are what the API server has warned of.
type warnings struct {
	mutex sync.Mutex
	texts []string
}

// HandleWarningHeader keeps a warning.
func (w *warnings) HandleWarningHeader(_ int, _, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.texts = append(w.texts, text)
}

// warned holds who is told that they have packages made which they may not make.
func warned(t *testing.T, g *guide) {
	const missing = "kubectl auth can-i create packagerevisions.porch.kpt.dev --namespace=default"
	for _, name := range people {
		config, err := g.As(name)
		if err != nil {
			t.Fatal(err)
		}
		w := &warnings{}
		config.WarningHandler = w
		a := attempt{name: "a variant", spec: newVariant("")}
		expect(t, a.name+" by "+name, a.try(t, client(t, config), 0), "")
		if got, want := strings.Contains(strings.Join(w.texts, "\n"), missing), name != "owner"; got != want {
			t.Errorf("%s is warned: %t, want %t: %q", name, got, want, w.texts)
		}
	}
}

// collected holds that a variant goes with its owner, whoever removes that.
func collected(t *testing.T, g *guide, admin dynamic.Interface) {
	g.run(t, "kubectl create configmap owner")
	uid := g.run(t, "kubectl get configmap owner -o jsonpath='{.metadata.uid}'")
	owned, err := admin.Resource(variants).Namespace("default").Get(t.Context(), "plain", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	spec := owned.Object["spec"]
	owned = &unstructured.Unstructured{Object: map[string]any{"spec": spec, "metadata": map[string]any{
		"name": "owned", "ownerReferences": []any{map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": strings.TrimSpace(uid)}}}}}
	owned.SetAPIVersion("config.porch.kpt.dev/v1alpha1")
	owned.SetKind("PackageVariant")
	if _, err := admin.Resource(variants).Namespace("default").Create(t.Context(), owned, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	g.run(t, "kubectl delete configmap owner")
	g.run(t, "kubectl wait packagevariant owned --for=delete --timeout=1m")
}
