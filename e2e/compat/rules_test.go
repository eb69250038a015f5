// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// ruleCase is a spec and what the server has to say about it: nothing, if it is valid.
type ruleCase struct {
	spec string
	want []string
}

func testRules(t *testing.T, s server, cases map[string]ruleCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := sentences(s.create(t, s.object(parse(t, tc.spec))))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("errors for\n%s\n-want +got:\n%s", tc.spec, diff)
			}
		})
	}
}

// TestServerTakesSamples creates the manifests of the API's own tests, as far as they are for a cluster.
func TestServerTakesSamples(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		filepath.Join("v1alpha1", "testdata", "porch.yaml"):    variantCRD,
		filepath.Join("v1alpha1", "testdata", "added.yaml"):    variantCRD,
		filepath.Join("v1alpha2", "testdata", "porch.yaml"):    variantSetCRD,
		filepath.Join("v1alpha2", "testdata", "added.yaml"):    variantSetCRD,
		filepath.Join("v1alpha2", "testdata", "selected.yaml"): variantSetCRD,
		filepath.Join("v1alpha2", "testdata", "rollout.yaml"):  variantSetCRD,
	}
	for sample, crd := range cases {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(filepath.Join("..", "..", "api", sample))
			if err != nil {
				t.Fatal(err)
			}
			var object struct {
				Spec any `json:"spec"`
			}
			if err := yaml.Unmarshal(content, &object); err != nil {
				t.Fatal(err)
			}
			spec, err := yaml.Marshal(object.Spec)
			if err != nil {
				t.Fatal(err)
			}
			s := newServer(t, filepath.Join(crdDir, crd))
			for _, err := range s.create(t, s.object(parse(t, string(spec)))) {
				t.Error(err)
			}
		})
	}
}

func TestSpecIsRequired(t *testing.T) {
	t.Parallel()
	for _, file := range []string{variantCRD, variantSetCRD} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, filepath.Join(crdDir, file))
			if diff := cmp.Diff([]string{"spec: Required value"}, sentences(s.create(t, s.object(nil)))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestLargeSet creates as many targets as a set may have, each with a template of ordinary size. What the rules cost is
// limited for an object as a whole.
func TestLargeSet(t *testing.T) {
	t.Parallel()
	const target = `
- objectSelector: {apiVersion: infra.example.com/v1, kind: Site, matchLabels: {tier: edge}}
  template:
    downstream: {repoExpr: target.name, package: billing}
    labelExprs: [{key: a, valueExpr: target.name}, {key: b, valueExpr: target.name}]
    annotationExprs: [{key: a, valueExpr: target.name}, {key: b, valueExpr: target.name}]
    packageContext:
      data: {a: x, b: x, c: x}
      removeKeys: [d, e, f]
      dataExprs: [{key: g, valueExpr: target.name}, {key: h, valueExpr: target.name}]
    pipeline:
      mutators:
      - {image: set-labels, name: labels, configMapExprs: [{key: a, valueExpr: target.name}]}
      - {image: set-namespace, name: namespace, configMap: {namespace: billing}}
    injectors: [{nameExpr: target.name}, {name: defaults}]`
	s := newServer(t, filepath.Join(crdDir, variantSetCRD))
	full := s.object(parse(t, setUpstream+"targets:"+strings.Repeat(target, 1024)))
	for _, err := range sentences(s.create(t, full)) {
		t.Error(err)
	}
	tooMany := s.object(parse(t, setUpstream+"targets:"+strings.Repeat(target, 1025)))
	want := []string{"spec.targets: Too many: 1025: must have at most 1024 items"}
	if diff := cmp.Diff(want, sentences(s.create(t, tooMany))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestUpdateOfOldObjects is about objects that were stored before a rule came and that it would refuse today. A
// controller can still add and remove its finalizer and change what the rule is not about; the rule holds again as
// soon as the part that it is about is touched.
func TestUpdateOfOldObjects(t *testing.T) {
	t.Parallel()
	s := newServer(t, filepath.Join(crdDir, variantCRD))
	const spec = validVariant + `
packageContext: {data: {a: x}, removeKeys: [a]}
pipeline: {mutators: [{image: set-labels, name: a.b}]}`
	old := s.object(parse(t, spec))
	if len(s.create(t, old)) == 0 {
		t.Fatal("the object is valid, so this test says nothing")
	}

	finalized := old.DeepCopy()
	finalized.SetFinalizers([]string{"config.porch.kpt.dev/packagevariants"})
	if diff := cmp.Diff([]string(nil), sentences(s.update(t, finalized, old))); diff != "" {
		t.Errorf("adding a finalizer: -want +got:\n%s", diff)
	}

	other := s.object(parse(t, spec+"\nlabels: {team: payments}"))
	if diff := cmp.Diff([]string(nil), sentences(s.update(t, other, old))); diff != "" {
		t.Errorf("changing another part of the spec: -want +got:\n%s", diff)
	}

	touched := s.object(parse(t, validVariant+"\npackageContext: {data: {a: z}, removeKeys: [a]}"))
	want := []string{`spec.packageContext: Invalid value: the same key must not be in both data and removeKeys`}
	if diff := cmp.Diff(want, sentences(s.update(t, touched, old))); diff != "" {
		t.Errorf("changing the part itself: -want +got:\n%s", diff)
	}
}
