// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// BenchmarkFleet measures, over the manager's cache with 10,000 variants and 100 sets of four waves, one scrape. It
// also measures what reconciles do all the time, reading and recording a variant, alone and during continuous scrapes.
func BenchmarkFleet(b *testing.B) {
	const variants, sets = 10_000, 100
	reader, changes := newCache(b, variants, sets)
	c := &collector{}
	c.serve(reader)
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	scrapeOnce := func(b *testing.B) {
		b.Helper()
		families, err := registry.Gather()
		if err != nil || len(families) != 5 {
			b.Errorf("got %d families, error %v", len(families), err)
		}
	}
	b.Run("scrape", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			scrapeOnce(b)
		}
	})
	for name, scraped := range map[string]bool{"read": false, "read while scraped": true} {
		b.Run(name, func(b *testing.B) {
			if scraped {
				done, stopped := make(chan struct{}), make(chan struct{})
				go func() {
					defer close(stopped)
					for {
						select {
						case <-done:
							return
						default:
							scrapeOnce(b)
						}
					}
				}()
				defer func() { close(done); <-stopped }()
			}
			n, longest := 0, time.Duration(0)
			for b.Loop() {
				var pv v1alpha1.PackageVariant
				changes.Modify(newVariant(n % variants)) // which takes the lock for writing
				start := time.Now()
				if err := reader.Get(b.Context(), client.ObjectKeyFromObject(newVariant(n%variants)), &pv); err != nil {
					b.Fatal(err)
				}
				longest = max(longest, time.Since(start))
				n++
			}
			b.ReportMetric(float64(longest.Microseconds()), "longest-µs")
		})
	}
}

// newVariant returns a variant as it is in a fleet of many namespaces and reasons.
func newVariant(i int) *v1alpha1.PackageVariant {
	pv := variant(fmt.Sprint("ns-", i%50), conditions("Ready", reasons[i%len(reasons)]))
	pv.Name, pv.ResourceVersion = fmt.Sprint("web-", i), "1"
	return &pv
}

// newCache returns a cache, as the manager has it, and what tells it of changes of variants.
func newCache(b *testing.B, variants, sets int) (cache.Cache, *watch.FakeWatcher) {
	b.Helper()
	scheme := runtime.NewScheme()
	builder := runtime.NewSchemeBuilder(v1alpha1.AddToScheme, v1alpha2.AddToScheme)
	if err := builder.AddToScheme(scheme); err != nil {
		b.Fatal(err)
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(v1alpha1.GroupVersion.WithKind("PackageVariant"), meta.RESTScopeNamespace)
	mapper.Add(v1alpha2.GroupVersion.WithKind("PackageVariantSet"), meta.RESTScopeNamespace)
	all := &v1alpha1.PackageVariantList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	for i := range variants {
		all.Items = append(all.Items, *newVariant(i))
	}
	allSets := &v1alpha2.PackageVariantSetList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	for i := range sets {
		set := v1alpha2.PackageVariantSet{Status: v1alpha2.PackageVariantSetStatus{
			Counts: &v1alpha2.VariantCounts{}, Rollout: &v1alpha2.RolloutStatus{Waves: make([]v1alpha2.WaveStatus, 4)},
		}}
		for w := range set.Status.Rollout.Waves {
			set.Status.Rollout.Waves[w].Name = fmt.Sprint("wave-", w)
		}
		set.Namespace, set.Name, set.ResourceVersion = "ns", fmt.Sprint("set-", i), "1"
		allSets.Items = append(allSets.Items, set)
	}
	changes := watch.NewFakeWithChanSize(1, false)
	c, err := cache.New(&rest.Config{}, cache.Options{Scheme: scheme, Mapper: mapper,
		NewInformer: func(_ toolscache.ListerWatcher, example runtime.Object, resync time.Duration,
			indexers toolscache.Indexers) toolscache.SharedIndexInformer {
			lw := &toolscache.ListWatch{
				ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
					if _, isSet := example.(*v1alpha2.PackageVariantSet); isSet {
						return allSets, nil
					}
					return all, nil
				},
				WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
					if _, isSet := example.(*v1alpha2.PackageVariantSet); isSet {
						return watch.NewFake(), nil
					}
					return changes, nil
				},
			}
			return toolscache.NewSharedIndexInformer(noWatchList{lw}, example, resync, indexers)
		}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	b.Cleanup(cancel)
	go func() { _ = c.Start(ctx) }()
	for _, o := range []client.Object{&v1alpha1.PackageVariant{}, &v1alpha2.PackageVariantSet{}} {
		if _, err := c.GetInformer(ctx, o); err != nil {
			b.Fatal(err)
		}
	}
	return c, changes
}

// noWatchList has the reflector list before it watches.
type noWatchList struct{ *toolscache.ListWatch }

// IsWatchListSemanticsUnSupported tells the reflector so.
func (noWatchList) IsWatchListSemanticsUnSupported() bool { return true }
