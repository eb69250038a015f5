// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	porchconfig "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	porchset "github.com/nephio-project/porch/controllers/packagevariantsets/api/v1alpha2"
	porchsetctl "github.com/nephio-project/porch/controllers/packagevariantsets/pkg/controllers/packagevariantset"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

const benchSet = `
metadata: {name: sample, namespace: fleet, uid: a}
spec:
  upstream: {repo: blueprints, package: web, revision: 3}
  targets:
  - repositorySelector: {matchLabels: {env: prod}}
    template:
      downstream: {packageExpr: "packageDefault + '-' + repository.labels.region"}
      packageContext:
        dataExprs:
        - {key: region, valueExpr: "repository.labels['region']"}
        - {key: env, valueExpr: "repository.labels.env + '-' + target.name"}
        - {key: tier, valueExpr: "repository.labels.env == 'prod' ? 'gold' : 'silver'"}
        - {keyExpr: "'repo-' + repoDefault", value: "yes"}
`

// mostOfPorch is the largest set that Porch's reconcile is measured with: it already takes ten seconds or more.
const mostOfPorch = 10_000

// BenchmarkExpansion measures the expansion of one set with five expressions a target: by Porch's reconcile, whose
// reads and writes cost nothing here, and by ours.
func BenchmarkExpansion(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, bounds.SetTargets} {
		perTarget := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/target")
		}
		b.Run(fmt.Sprintf("porch/%d", n), func(b *testing.B) {
			if n > mostOfPorch {
				b.Skipf("Porch's reconcile takes minutes for %d targets", n)
			}
			r := &porchsetctl.PackageVariantSetReconciler{Client: newFleet(b, n)}
			for b.Loop() {
				if _, err := r.Reconcile(b.Context(), request); err != nil {
					b.Fatal(err)
				}
			}
			if created := r.Client.(*fleet).created; created != n*b.N {
				b.Fatalf("%d variants were created in %d runs", created, b.N)
			}
			perTarget(b)
		})
		b.Run(fmt.Sprintf("ours/%d", n), func(b *testing.B) {
			var set v1alpha2.PackageVariantSet
			if err := yaml.Unmarshal([]byte(benchSet), &set); err != nil {
				b.Fatal(err)
			}
			s := snapshotOf(newFleet(b, n))
			b.ReportAllocs()
			for b.Loop() {
				if expanded, err := expansion.Expand(&set, "spec", s); err != nil || len(expanded.Variants) != n {
					b.Fatal(expanded, err)
				}
			}
			perTarget(b)
		})
	}
}

// fleet is a cluster with a set, its upstream and repositories, that counts what is created.
type fleet struct {
	client.Client
	set          porchset.PackageVariantSet
	repositories porchconfig.RepositoryList
	selected     unstructured.UnstructuredList
	created      int
}

func newFleet(b *testing.B, n int) *fleet {
	b.Helper()
	f := &fleet{}
	if err := yaml.Unmarshal([]byte(benchSet), &f.set); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		f.repositories.Items = append(f.repositories.Items, porchconfig.Repository{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("edge-%05d", i), Namespace: request.Namespace,
			Labels: map[string]string{"env": "prod", "region": fmt.Sprintf("region-%d", i%20)},
		}})
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&f.repositories.Items[i])
		if err != nil {
			b.Fatal(err)
		}
		f.selected.Items = append(f.selected.Items, unstructured.Unstructured{Object: object})
	}
	return f
}

func snapshotOf(f *fleet) *expansion.Snapshot {
	s := &expansion.Snapshot{PackageRevisions: []expansion.PackageRevision{{Repo: "blueprints", Package: "web",
		Revision: "3", Published: true}}}
	for _, r := range f.repositories.Items {
		s.Repositories = append(s.Repositories, expansion.Object{Name: r.Name, Namespace: r.Namespace, Labels: r.Labels})
	}
	return s
}

func (f *fleet) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	set, ok := obj.(*porchset.PackageVariantSet)
	if !ok {
		return fmt.Errorf("get of %T", obj)
	}
	f.set.DeepCopyInto(set)
	return nil
}

func (f *fleet) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	switch list := list.(type) {
	case *porchapi.PackageRevisionList:
		return json.Unmarshal([]byte(`{"items":[{"spec":{"repository":"blueprints","packageName":"web","revision":3}}]}`),
			list)
	case *porchconfig.RepositoryList:
		*list = f.repositories
	case *unstructured.UnstructuredList:
		*list = f.selected
	}
	return nil
}

func (f *fleet) Create(context.Context, client.Object, ...client.CreateOption) error {
	f.created++
	return nil
}

func (f *fleet) Update(context.Context, client.Object, ...client.UpdateOption) error { return nil }

func (f *fleet) Status() client.SubResourceWriter { return statusWriter{cluster: &oneObject{}} }
