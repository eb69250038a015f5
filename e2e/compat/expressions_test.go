// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	porchconfig "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	porchvariant "github.com/nephio-project/porch/controllers/packagevariants/api/v1alpha1"
	porchset "github.com/nephio-project/porch/controllers/packagevariantsets/api/v1alpha2"
	porchsetctl "github.com/nephio-project/porch/controllers/packagevariantsets/pkg/controllers/packagevariantset"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// TestExpressionsAsInPorch evaluates expressions by Porch's real controller and by ours: what it accepts, we accept,
// with the same result. The first ones come from Porch's own tests.
func TestExpressionsAsInPorch(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"'foo'", "repoDefault", "packageDefault", "packageDefault + '-' + repoDefault",
		"target.name + '/' + target.labels['env']",
		"packageDefault + '-' + repository.name", "upstream.annotations['bigco.com/team']", "upstream.name",
		"upstream.namespace",
		"repository.labels['env']", "repository.name + '-test'",
		// Terms whose type Porch's checker does not know.
		"target.labels['env'] + target.labels['region']", "repository.labels['env'] + repository.name",
		"target.name + target.labels['env']",
		"target['labels']['env'] + target['name']", "target['name'] + target['labels'].region + repository['name']",
		"[target.labels.env, target.labels.region][1]", "{'a': target.labels.env}['a'] + {'b': target.name}.b",
		"target.exists(k, k == 'labels') ? target.name : ''", "'labels' in target && target == repository ? 'same' : 'other'",
		"has(target.repo) ? target.repo : target.name", "has(target.spec) ? 'spec' : 'none'",
		"dyn(target.labels).env + dyn(target).name",
		"type(target.labels) == map ? 'map' : 'other'", "[target, repository].map(o, o.name)[0]",
		"[target, repository].filter(o, o.labels.env == 'prod')[0].name",
	} {
		if want, got, err := evaluate(t, source); want == "" || err != nil || got != want {
			t.Errorf("%s: Porch says %q, we %q (%v)", source, want, got, err)
		}
	}
	random := rand.New(rand.NewSource(1))
	const expressions = 3000
	accepted := 0
	for range expressions {
		source := randomText(random, 3)
		want, got, err := evaluate(t, source)
		switch {
		case want == refused: // ours may be better: its checker knows the labels' type
		case err != nil || got != want:
			t.Errorf("%s: Porch says %q, we %q (%v)", source, want, got, err)
		default:
			accepted++
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("both accept %d of %d expressions", accepted, expressions)
	if accepted < expressions/3 {
		t.Errorf("both accept only %d of %d expressions", accepted, expressions)
	}
}

// refused is what evaluate says of an expression that Porch refuses.
const refused = "<refused>"

// evaluate returns what an expression gives in Porch's controller and in ours, or why not.
func evaluate(t *testing.T, source string) (porchs, ours string, err error) {
	t.Helper()
	const text = `
metadata: {name: sample, namespace: fleet}
spec:
  upstream: {repo: blueprints, package: web, revision: 3}
  targets:
  - repositorySelector: {}
    template: {packageContext: {dataExprs: [{key: x, valueExpr: %q}]}}`
	manifest := fmt.Sprintf(text, source)
	cluster := &oneTarget{}
	if err := yaml.Unmarshal([]byte(manifest), &cluster.set); err != nil {
		t.Fatal(err)
	}
	// what it thinks of it shows in what it creates
	_, _ = (&porchsetctl.PackageVariantSetReconciler{Client: cluster}).Reconcile(t.Context(), request)
	porchs = refused
	if cluster.created != nil {
		porchs = cluster.created.Spec.PackageContext.Data["x"]
	}
	var set v1alpha2.PackageVariantSet
	if err := yaml.Unmarshal([]byte(manifest), &set); err != nil {
		t.Fatal(err)
	}
	repository := expansion.Object{Name: "edge-1", Namespace: "fleet",
		Labels: map[string]string{"env": "prod", "region": "eu"}}
	expanded, err := expansion.Expand(&set, "spec", &expansion.Snapshot{
		Repositories: []expansion.Object{repository},
		PackageRevisions: []expansion.PackageRevision{{
			Object: expansion.Object{Name: "blueprints.web.v3", Namespace: "fleet",
				Annotations: map[string]string{"bigco.com/team": "us"}},
			Repo: "blueprints", Package: "web", Revision: "3", Published: true,
		}},
	})
	if err != nil {
		return porchs, "", err
	}
	return porchs, expanded.Variants[0].Spec.PackageContext.Data["x"], nil
}

// oneTarget is a cluster with a set, its upstream and one Repository, that keeps the variant that is created.
type oneTarget struct {
	client.Client
	set     porchset.PackageVariantSet
	created *porchvariant.PackageVariant
}

func (c *oneTarget) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	set, ok := obj.(*porchset.PackageVariantSet)
	if !ok {
		return fmt.Errorf("get of %T", obj)
	}
	c.set.DeepCopyInto(set)
	return nil
}

func (c *oneTarget) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	repository := porchconfig.Repository{ObjectMeta: metav1.ObjectMeta{
		Name: "edge-1", Namespace: "fleet", Labels: map[string]string{"env": "prod", "region": "eu"},
	}}
	switch list := list.(type) {
	case *porchapi.PackageRevisionList:
		return json.Unmarshal([]byte(`{"items":[{"metadata":{"name":"blueprints.web.v3","namespace":"fleet","annotations":{"bigco.com/team":"us"}},`+
			`"spec":{"repository":"blueprints","packageName":"web","revision":3}}]}`), list)
	case *porchconfig.RepositoryList:
		list.Items = []porchconfig.Repository{repository}
	case *unstructured.UnstructuredList:
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&repository)
		if err != nil {
			return err
		}
		list.Items = []unstructured.Unstructured{{Object: object}}
	}
	return nil
}

func (c *oneTarget) Create(_ context.Context, obj client.Object, _ ...client.CreateOption) error {
	c.created, _ = obj.(*porchvariant.PackageVariant)
	return nil
}

func (c *oneTarget) Update(context.Context, client.Object, ...client.UpdateOption) error { return nil }

func (c *oneTarget) Status() client.SubResourceWriter { return statusWriter{cluster: &oneObject{}} }

// randomText makes an expression that gives a text, most often.
func randomText(r *rand.Rand, depth int) string {
	if depth == 0 || r.Intn(5) == 0 {
		atoms := []string{
			"repoDefault", "packageDefault", "'x'", "'prod'", "''", "target.name", "target['name']", "target.labels['env']",
			"target.labels.region",
			"target['labels']['env']", "repository.name", "repository.labels.env", "upstream.name",
			"upstream.annotations['bigco.com/team']",
			"repository['labels'].region", "target.namespace", "dyn(target.name)",
		}
		if r.Intn(40) == 0 {
			atoms = []string{"target.repo", "target.labels.nope", "1", "target.labels", "target", "null", "upstream.labels.x"}
		}
		return atoms[r.Intn(len(atoms))]
	}
	text := func() string { return randomText(r, depth-1) }
	forms := []string{"%s + %s", "(%s + %s)", "string(%s)", "string(%s + %s)", "[%s, %s][1]", "{'k': %s}['k']",
		"{'k': %s}.k", "{%s: 'v', 'w': 'w'}['w']",
		"string(size(%s))", "string(%s.size())", "[%s, %s].map(x, x)[0]", "[%s].filter(x, x != '')[0]", "string(bytes(%s))",
		"string(int('1') + size(%s))"}
	if r.Intn(3) == 0 {
		return fmt.Sprintf("(%s ? %s : %s)", randomCondition(r, depth-1), text(), text())
	}
	return fill(forms[r.Intn(len(forms))], text)
}

// randomCondition makes an expression that gives a boolean, most often.
func randomCondition(r *rand.Rand, depth int) string {
	text := func() string { return randomText(r, depth) }
	forms := []string{"%s == %s", "%s != %s", "%s.startsWith(%s)", "%s.contains(%s)", "%s.endsWith(%s)", "%s < %s",
		"%s >= %s", "%s in [%s, 'x']",
		"%s in target.labels", "'env' in repository.labels", "'labels' in target", "has(target.labels.env)",
		"has(target.repo)", "has(target.labels.nope)",
		"target == repository", "target.labels == repository.labels", "target.labels.exists(k, k == %s)",
		"target.labels.all(k, size(k) > 0)",
		"[%s, %s].exists_one(x, x == %s)", "size(%s) > 3", "type(%s) == string", "type(target) == map",
		"%s.matches('^[a-z]+$')",
		"target.labels.size() == 2", "size(target) == 4", "{'a': %s} == {'a': %s}", "target.exists(k, k == 'name')"}
	if depth > 0 && r.Intn(3) == 0 {
		op := []string{"(%s && %s)", "(%s || %s)", "!(%s) || %s"}[r.Intn(3)]
		return fill(op, func() string { return randomCondition(r, depth-1) })
	}
	return fill(forms[r.Intn(len(forms))], text)
}

// fill puts what part makes into each of a form's places.
func fill(form string, part func() string) string {
	for strings.Contains(form, "%s") {
		form = strings.Replace(form, "%s", strings.ReplaceAll(part(), "%", "%%"), 1)
	}
	return form
}
