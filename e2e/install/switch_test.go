// SPDX-License-Identifier: Apache-2.0

package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/package-variants/package-variants/e2e/stack"
)

const (
	variantCRD    = "packagevariants.config.porch.kpt.dev"
	variantSetCRD = "packagevariantsets.config.porch.kpt.dev"
	// heading is that of the section which is tested here.
	heading = "Switch from Porch's controllers"
)

// TestSwitch does what the manual says for a cluster in which Porch's controllers have worked, and checks that the
// PackageVariants and PackageVariantSets of the cluster stay what they were.
func TestSwitch(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		prepare func(t *testing.T, g *guide) // makes the cluster what it is, with Porch's controllers and CRDs
		stored  string                       // the versions that its CRD of PackageVariantSet lists then
		objects int                          // how many PackageVariants and PackageVariantSets there are
	}{
		"Porch v1.5.3": {prepare: installPorch, stored: `["v1alpha2"]`, objects: 2},
		"Porch v1.5.3 over one that stored v1alpha1": {
			prepare: func(t *testing.T, g *guide) {
				g.apply(t, firstCRD(t))
				g.run(t, "kubectl apply -f "+fixture(t, "old-set.yaml")+" -f "+fixture(t, "old-empty-set.yaml"))
				installPorch(t, g)
				g.fails(t, "kubectl apply -f sync-controller/config/crds", "v1alpha1 was previously a storage version")
			},
			stored:  `["v1alpha1","v1alpha2"]`,
			objects: 4,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGuide(t, stack.Options{})
			test.prepare(t, g)
			g.run(t, `until kubectl apply -f `+fixture(t, "variants.yaml")+`; do sleep 0.2; done`) // until the version is served
			g.run(t, `kubectl patch packagevariants.config.porch.kpt.dev gateways-fra --type=merge `+
				`-p '{"metadata":{"finalizers":["config.porch.kpt.dev/packagevariants"]}}'`)
			g.run(t, "kubectl annotate crd "+variantCRD+" "+variantSetCRD+" config.k8s.io/owning-inventory=porch")
			before := g.objects(t)
			for _, command := range g.commands(t, heading) {
				out := g.run(t, command)
				if strings.Contains(command, "storedVersions}") && strings.TrimSpace(out) != test.stored {
					t.Errorf("%s: %s, want %s", command, out, test.stored)
				}
			}
			g.run(t, established)
			if diff := cmp.Diff(before, g.objects(t)); diff != "" {
				t.Errorf("the objects (-before +after):\n%s", diff)
			}
			if len(before) != test.objects {
				t.Errorf("there were not %d objects, but these: %v", test.objects, before)
			}
			g.run(t, "kubectl apply -f "+fixture(t, "variants.yaml")) // they can be written, too
			switched(t, g)
		})
	}
}

// installPorch applies Porch's controllers and their CRDs.
func installPorch(t *testing.T, g *guide) {
	t.Helper()
	dir := porch(t)
	g.run(t, "kubectl apply -f "+filepath.Join(dir, "deployments", "porch", "9-controllers.yaml"))
	g.run(t, "kubectl apply -f "+filepath.Join(dir, "controllers", "config", "crd", "bases"))
	g.run(t, established)
}

// firstCRD returns Porch's CRD of PackageVariantSet as it was when v1alpha1 was its only version.
func firstCRD(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(porch(t), "controllers", "config", "crd", "bases",
		"config.porch.kpt.dev_packagevariantsets.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(content, &crd); err != nil {
		t.Fatal(err)
	}
	crd.Spec.Versions = slices.DeleteFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return v.Name != "v1alpha1"
	})
	if len(crd.Spec.Versions) != 1 {
		t.Fatal("Porch's CRD of PackageVariantSet has no v1alpha1: the manual need not speak of it")
	}
	crd.Spec.Versions[0].Served, crd.Spec.Versions[0].Storage = true, true
	if content, err = yaml.Marshal(crd); err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// apply applies a CRD and waits until it is served.
func (g *guide) apply(t *testing.T, crd string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "crd.yaml")
	writeFile(t, path, crd)
	g.run(t, "kubectl apply -f "+path)
	g.run(t, "kubectl wait --for=condition=Established --timeout=1m -f "+path)
}

// switched checks that Porch's controllers are off, and that its installer has no hold on the CRDs any more.
func switched(t *testing.T, g *guide) {
	t.Helper()
	for command, want := range map[string]string{
		"kubectl -n porch-system get deployment porch-controllers -o jsonpath='{.spec.replicas}'": "0",
		"kubectl get crd " + variantSetCRD +
			" -o jsonpath='{.spec.versions[*].name} {.status.storedVersions}'": `v1alpha2 ["v1alpha2"]`,
		"kubectl get crd " + variantCRD +
			" -o jsonpath='{.metadata.annotations.config\\.k8s\\.io/owning-inventory}'": "",
		"kubectl get crd " + variantCRD +
			" -o jsonpath='{.metadata.annotations.client\\.lifecycle\\.config\\.k8s\\.io/deletion}'": "detach",
		"kubectl -n " + namespace +
			" get deployment sync-controller -o jsonpath='{.spec.replicas}'": "2",
	} {
		if got := g.run(t, command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// porch returns the directory of Porch's sources.
func porch(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/nephio-project/porch")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
