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

// planned is the example of a plan: the manifests of a fleet, and a snapshot of its cluster.
var planned = filepath.Join(root, "examples", "plan-of-a-fleet")

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

// set returns the set of the example, as it is on the main branch: before the pull request.
func (w *world) set() *v1alpha2.PackageVariantSet {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(planned, "fleet", "set.yaml"))
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

// snapshots are the commands of the example's README that write the snapshot.
var snapshots = regexp.MustCompile(`(?m)^kubectl (get .*) > (snapshot/[a-z]+\.yaml)`)

// snapshot writes the snapshot of the namespace to a directory by the commands of the README, with the addresses of the
// example.
func (w *world) snapshot(dir string) {
	w.t.Helper()
	readme, err := os.ReadFile(filepath.Join(planned, "README.md"))
	if err != nil {
		w.t.Fatal(err)
	}
	commands := snapshots.FindAllStringSubmatch(string(readme), -1)
	if len(commands) != 2 {
		w.t.Fatalf("the README of the example writes a snapshot by %q", commands)
	}
	address := regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/` + w.Namespace + `-`)
	for _, c := range commands {
		got := w.kubectl(strings.Fields(c[1])...)
		if got.code != 0 {
			w.t.Fatalf("kubectl %s: %+v", c[1], got)
		}
		text := address.ReplaceAllString(got.out, "https://git.example.com/")
		file := filepath.Join(dir, filepath.FromSlash(c[2]))
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestPlanOfAFleet makes the fleet of the example, takes a snapshot of it, and checks that the plan over that equals the
// plan over the example's own snapshot. If it does not, UPDATE_GOLDEN rewrites the latter.
func TestPlanOfAFleet(t *testing.T) {
	w := newWorld(t, "shop")
	w.settle()
	temp := t.TempDir()
	w.snapshot(temp)
	plan := func(dir string) string {
		t.Helper()
		got := w.kubectl("variants", "plan", "-f", filepath.Join(planned, "fleet"), "--from", filepath.Join(dir, "snapshot"),
			"--files", "-o", "yaml")
		if got.code != 1 {
			t.Fatalf("the plan over the snapshot in %s: %+v", dir, got)
		}
		return plain(got.out)
	}
	diff := cmp.Diff(plan(planned), plan(temp))
	if diff != "" && os.Getenv("UPDATE_GOLDEN") != "" {
		w.snapshot(planned)
	} else if diff != "" {
		t.Errorf("the plan over the example's snapshot (-) and over the fleet as it is (+): if the latter is right, make "+
			"golden writes a new snapshot\n%s", diff)
	}
}
