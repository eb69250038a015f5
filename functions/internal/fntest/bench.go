// SPDX-License-Identifier: Apache-2.0

package fntest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Sizes are the numbers of resources of the packages that benchmarks run on.
var Sizes = []int{10, 100, 1_000}

// Package returns a package with n resources, a file each: a Kptfile, a package context, an injection point for each
// hundred, and Deployments.
func Package(n int) Files {
	files := Files{
		"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\npipeline:\n  mutators:\n" +
			"  - image: set-labels:v1 # pinned\n",
		"package-context.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\ndata:\n  name: web\n" +
			"  region: none # to be set\n",
	}
	for i := range n - len(files) {
		name := fmt.Sprintf("web-%05d", i*7919%n) // not in the order of the files
		if i%100 == 0 {
			files[name+".yaml"] = fmt.Sprintf(point, name)
			continue
		}
		files[name+".yaml"] = fmt.Sprintf(deployment, name)
	}
	return files
}

const point = `apiVersion: v1
kind: ConfigMap
metadata:
  name: %s
  annotations:
    kpt.dev/config-injection: required
data:
  api: none # to be injected
`

const deployment = `# a part of the web
apiVersion: apps/v1
kind: Deployment
metadata:
  name: %[1]s
  namespace: default
  labels:
    app: %[1]s
spec:
  replicas: 3 # of each
  selector:
    matchLabels:
      app: %[1]s
  template:
    metadata:
      labels:
        app: %[1]s
    spec:
      containers:
      - name: web
        image: nginx:1.27
        ports:
        - containerPort: 80
        resources:
          requests:
            cpu: 100m
            memory: 128Mi
`

// Variant is a PackageVariant that asks each function for something; Snapshot is the object that it injects.
const (
	Variant = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata:
  name: web-eu
  namespace: default
spec:
  upstream: {repo: blueprints, package: web, revision: 3}
  downstream: {repo: eu, package: web}
  packageContext:
    data: {region: eu, zone: a}
    removeKeys: [old]
  pipeline:
    mutators:
    - {name: set-namespace, image: "set-namespace:v1", configMap: {namespace: web}}
  injectors:
  - {kind: ConfigMap, name: eu}
`
	Snapshot = `apiVersion: v1
kind: ConfigMap
metadata:
  name: eu
  namespace: default
  annotations:
    kpt.dev/injection-source: "true"
data:
  api: api.eu.example.com
`
)

// BenchmarkInProcess measures a function as a controller runs it: from the texts of a package's files to the texts of
// those that it works on, of which only the relevant ones are parsed.
func BenchmarkInProcess(b *testing.B, f krm.Function, relevant func(path, content string) bool) {
	b.Helper()
	config := Nodes(b, Files{"variant.yaml": Variant})[0]
	for _, n := range Sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			files := Package(n)
			files["snapshot.yaml"] = Snapshot
			b.ReportAllocs()
			for b.Loop() {
				if _, err := inProcess(f, config, relevantFiles(files, relevant)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func relevantFiles(files Files, relevant func(path, content string) bool) Files {
	out := Files{}
	for path, content := range files {
		if relevant(path, content) {
			out[path] = content
		}
	}
	return out
}

func inProcess(f krm.Function, config *yaml.RNode, files Files) (Files, error) {
	var items []*yaml.RNode
	for path, content := range files {
		objects, err := fn.ReadKubeObjectsFromFile(path, content)
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			items = append(items, o.MoveToResourceNode())
		}
	}
	out, err := f(config, items)
	if err != nil {
		return nil, err
	}
	return fn.WriteKubeObjectsToPackage(fn.MoveToKubeObjects(out.Items))
}

// CheckRelevant checks that a function does with the relevant files of a package what it does with all of them.
func CheckRelevant(t *testing.T, f krm.Function, relevant func(path, content string) bool) {
	t.Helper()
	config := Nodes(t, Files{"variant.yaml": Variant})[0]
	files := Package(250)
	files["snapshot.yaml"] = Snapshot
	all, err := inProcess(f, config, files)
	if err != nil {
		t.Fatal(err)
	}
	some, err := inProcess(f, config, relevantFiles(files, relevant))
	if err != nil {
		t.Fatal(err)
	}
	if len(some) > 10 {
		t.Errorf("%d of %d files are relevant: too many", len(some), len(all))
	}
	for path, content := range some {
		if diff := cmp.Diff(all[path], content); diff != "" {
			t.Errorf("%s (-with all files +with the relevant ones):\n%s", path, diff)
		}
		delete(all, path)
	}
	for path, content := range all {
		if unchanged, err := inProcess(Noop, nil, Files{path: files[path]}); err != nil || unchanged[path] != content {
			t.Errorf("%s is not relevant, but the function changes it (%v)", path, err)
		}
	}
}
