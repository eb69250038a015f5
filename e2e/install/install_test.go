// SPDX-License-Identifier: Apache-2.0

package install

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/package-variants/package-variants/e2e/stack"
)

// namespace is where the controller is installed.
const namespace = "package-variants-system"

// established waits until the API serves both kinds.
const established = "kubectl wait --for=condition=Established --timeout=1m" +
	" crd/packagevariants.config.porch.kpt.dev crd/packagevariantsets.config.porch.kpt.dev"

// TestNewCluster does what the manual says for a cluster that has never had package variants.
func TestNewCluster(t *testing.T) {
	t.Parallel()
	g := newGuide(t, stack.Options{ControllerManager: true})
	t.Run("kpt reads the package", func(t *testing.T) { g.run(t, "kpt fn render sync-controller/config") })
	t.Run("install", func(t *testing.T) {
		g.follow(t, "Install")
		g.run(t, established)
	})
	t.Run("upgrade to the same", func(t *testing.T) { unchanged(t, g, func() { g.follow(t, "Upgrade") }) })
	t.Run("admission", func(t *testing.T) { admitted(t, g) })
	t.Run("bounds", func(t *testing.T) { bounded(t, g) })
	t.Run("network", func(t *testing.T) { guarded(t, g) })
	t.Run("metrics", func(t *testing.T) { readable(t, g) })
	t.Run("access", func(t *testing.T) { access(t, g) })
	t.Run("uninstall", func(t *testing.T) {
		steps := g.commands(t, "Uninstall")
		if len(steps) != 3 {
			t.Fatalf("commands %q, want one for the controller and two for everything", steps)
		}
		g.run(t, "kubectl apply -f "+fixture(t, "variants.yaml"))
		before := g.objects(t)
		g.run(t, steps[0])
		if diff := cmp.Diff(before, g.objects(t)); diff != "" {
			t.Errorf("what is left of the variants (-before +after):\n%s", diff)
		}
		g.run(t, "kubectl get clusterrole package-variants-configmaps") // which is the administrator's
		g.fails(t, "kubectl get namespace "+namespace, "not found")
		g.follow(t, "Install")
		g.run(t, steps[1])
		g.run(t, steps[2])
		left := g.run(t, "kubectl get crds,clusterroles,clusterrolebindings,namespaces,"+
			"validatingadmissionpolicies,validatingadmissionpolicybindings --output=name")
		left = strings.ReplaceAll(left, "packagevariant", "package-variant")
		if strings.Contains(strings.ReplaceAll(left, "package-variants-configmaps", ""), "package-variants") {
			t.Errorf("something is left:\n%s", left)
		}
	})
}

// unchanged fails the test if an action changes an object of the package. Its first run may come before Kubernetes has
// written all that it writes into new objects.
func unchanged(t *testing.T, g *guide, action func()) {
	t.Helper()
	var diff string
	for range 5 {
		before := g.versions(t)
		action()
		if diff = cmp.Diff(before, g.versions(t)); diff == "" {
			return
		}
		time.Sleep(time.Second)
	}
	t.Errorf("resource versions (-before +after):\n%s", diff)
}

// versions returns the resource versions of all objects of the package.
func (g *guide) versions(t *testing.T) map[string]string {
	t.Helper()
	versions := map[string]string{}
	for _, o := range g.list(t, "kubectl get -R -f sync-controller/config --output=json") {
		versions[o.GetKind()+" "+o.GetName()] = o.GetResourceVersion()
	}
	if len(versions) != 28 {
		t.Errorf("%d objects, want 28: %v", len(versions), versions)
	}
	return versions
}

// objects returns the metadata and the specs of all PackageVariants and PackageVariantSets, by name.
func (g *guide) objects(t *testing.T) map[string]any {
	t.Helper()
	found := map[string]any{}
	for _, kind := range []string{"packagevariants.v1alpha1", "packagevariantsets.v1alpha2"} {
		for _, o := range g.list(t, "kubectl get "+kind+".config.porch.kpt.dev --all-namespaces --output=json") {
			found[o.GetKind()+" "+o.GetName()] = []any{o.GetUID(), o.GetLabels(), o.GetFinalizers(), o.Object["spec"]}
		}
	}
	return found
}

// list runs a command that prints a list in JSON.
func (g *guide) list(t *testing.T, command string) []unstructured.Unstructured {
	t.Helper()
	var list unstructured.UnstructuredList
	if err := list.UnmarshalJSON([]byte(g.run(t, command))); err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return list.Items
}
