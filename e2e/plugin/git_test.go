// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/package-variants/package-variants/api/v1alpha2"
)

// manifests are those of a fleet as a pull request has them, and planned is the plan of them.
var manifests, planned = filepath.Join("testdata", "fleet"), filepath.Join(root, "e2e", "page", "testdata", "plan.json")

// shop is the blueprint of the fleet: a Deployment with so many replicas of a version.
func shop(version, replicas string) map[string]string {
	return map[string]string{"README.md": "# shop\n\nThe web shop of each site.\n", "Kptfile": `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: shop
info:
  description: the web shop of each site
`, "deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: ` + replicas + ` # of each site
  selector:
    matchLabels:
      app: shop
  template:
    metadata:
      labels:
        app: shop
    spec:
      containers:
      - name: shop
        image: registry.example.com/shop:` + version + `
`}
}

// budget is what the second version of the blueprint adds.
const budget = `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: shop
spec:
  minAvailable: 1
  selector:
    matchLabels:
      app: shop
`

// set returns the set of the fleet, as it is on the main branch: before the pull request.
func (w *world) set() *v1alpha2.PackageVariantSet {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(manifests, "set.yaml"))
	if err != nil {
		w.t.Fatal(err)
	}
	set := &v1alpha2.PackageVariantSet{}
	if err := yaml.UnmarshalStrict([]byte(strings.Replace(string(text), "revision: 2", "revision: 1", 1)), set); err != nil {
		w.t.Fatal(err)
	}
	return set
}

// settle brings the fleet to where it is before the pull request: all sites have the first version published, and in
// London a person has set another number of replicas. The second version is published.
func (w *world) settle() {
	w.t.Helper()
	for repo, wave := range map[string]string{
		"ber": "europe", "can": "canary", "fra": "europe", "lon": "europe", "nyc": "america", "sfo": "america",
	} {
		region := map[string]string{"america": "us"}[wave]
		if region == "" {
			region = "eu"
		}
		w.Repository(repo, map[string]string{"shop": "true", "wave": wave, "region": region}, true)
	}
	w.Publish("blueprints", "shop", "v1", shop("1.4", "2"))
	w.Apply(w.set())
	names := map[string]string{}
	for _, wave := range []struct{ name, sites string }{
		{"canary", "can"}, {"europe", "ber fra lon"}, {"america", "nyc sfo"},
	} {
		for _, site := range strings.Fields(wave.sites) {
			draft := site + ".shop.packagevariant-1"
			name := w.variantIn(site, "shop")
			names[site] = name
			if site == "lon" {
				w.WriteFiles(draft, map[string]string{"deployment.yaml": strings.Replace(w.Files(draft)["deployment.yaml"],
					"replicas: 2", "replicas: 6", 1)})
				w.Ready(name)
			}
		}
		if got := w.kubectl("variants", "approve", "--set=shop", "--wave="+wave.name, "--yes"); got.code != 0 {
			w.t.Fatalf("the wave %s: %+v", wave.name, got)
		}
		for _, site := range strings.Fields(wave.sites) {
			w.Eventually("the package in "+site+" is published", func() error {
				return lifecycleIs(w.Variant(names[site]), "Published")
			})
		}
	}
	second := shop("1.5", "3")
	second["budget.yaml"] = budget
	w.Publish("blueprints", "shop", "v2", second)
	w.waitWave("shop", "america", v1alpha2.WaveComplete, "")
}

// example begins the addresses in the manifests, and address those in the cluster.
const example = "https://git.example.com/"

var address = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/[a-z0-9-]*-blueprints`)

// inCluster writes the manifests with the addresses of the cluster to a directory.
func (w *world) inCluster(dir string) {
	w.t.Helper()
	got := w.kubectl("get", "repositories", "-o", "yaml")
	base := strings.TrimSuffix(address.FindString(got.out), "blueprints")
	if base == "" {
		w.t.Fatalf("the Repositories have other addresses: %+v", got)
	}
	files, err := os.ReadDir(manifests)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(manifests, file.Name()))
		if err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file.Name()), []byte(strings.ReplaceAll(string(text), example, base)), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestPlanOfAFleet makes a fleet, and checks that the plan of a pull request is the one that tests of the page and the
// picture in the README have. If it is another one, UPDATE_GOLDEN rewrites it.
func TestPlanOfAFleet(t *testing.T) {
	w := newWorld(t, "shop")
	w.settle()
	dir := t.TempDir()
	w.inCluster(dir)
	got := w.kubectl("variants", "plan", "-f", dir, "--files", "-o", "json")
	if got.code != 1 {
		t.Fatalf("the plan: %+v", got)
	}
	out := strings.ReplaceAll(got.out, `"`+w.Namespace+`"`, `"shop"`)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(planned, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(planned)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(out, "\n")); diff != "" {
		t.Errorf("the plan (-want +got): if it is right, make golden keeps it\n%s", diff)
	}
}
