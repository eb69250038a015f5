// SPDX-License-Identifier: Apache-2.0

// Package fleet counts PackageVariants and the targets of PackageVariantSets for Prometheus: from the caches, at each
// scrape. It keeps no state, and the series of deleted objects disappear.
package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/prometheus/client_golang/prometheus"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Only existing objects have series. The only label values that users choose are the names of namespaces, sets and
// waves.
var (
	variants = prometheus.NewDesc("package_variants",
		"PackageVariants by which of Ready, Stalled and Reconciling is True (state), and the reason of Ready.",
		[]string{"namespace", "state", "reason"}, nil)
	sets = prometheus.NewDesc("package_variant_sets",
		"PackageVariantSets by which of Ready, Stalled and Reconciling is True (state), and the reason of Ready.",
		[]string{"namespace", "state", "reason"}, nil)
	targets = prometheus.NewDesc("package_variant_set_targets",
		"Targets of a PackageVariantSet by how they stand to what it asks for, as in its status.counts. One can be in "+
			"several states; Desired are all.",
		[]string{"namespace", "set", "state"}, nil)
	waveTargets = prometheus.NewDesc("package_variant_set_wave_targets",
		"Targets of a wave of a rollout by how far they are, as in status.rollout. One can be in several states; "+
			"Desired are all.",
		[]string{"namespace", "set", "wave", "state"}, nil)
	rollouts = prometheus.NewDesc("package_variant_set_rollout",
		"1 for the phase in which the rollout of a PackageVariantSet is, 0 for the others.",
		[]string{"namespace", "set", "phase"}, nil)
)

// patience is how long to wait for a cache that has just been started.
const patience = 5 * time.Second

// fleet collects what the cache of the manager has, once that works.
var fleet = &collector{}

func init() { metrics.Registry.MustRegister(fleet) }

// SetupWithManager serves the metrics as long as the manager's controllers run: of several replicas, only the active
// one serves them.
func SetupWithManager(mgr ctrl.Manager) error {
	return mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		fleet.serve(mgr.GetCache())
		defer fleet.serve(nil)
		<-ctx.Done()
		return nil
	}))
}

// collector is a prometheus.Collector.
type collector struct {
	// reader is nil while there is nothing to read from.
	reader atomic.Pointer[client.Reader]
}

// serve sets what to read from; nil for nothing.
func (c *collector) serve(reader client.Reader) {
	if reader == nil {
		c.reader.Store(nil)
		return
	}
	c.reader.Store(&reader)
}

// Describe implements prometheus.Collector.
func (*collector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{variants, sets, targets, waveTargets, rollouts} {
		descriptions <- d
	}
}

// Collect implements prometheus.Collector. It lists the cache's own objects without changing them: the cache is locked
// only while the pointers are copied. Objects that cannot be read have no series.
func (c *collector) Collect(samples chan<- prometheus.Metric) {
	reader := c.reader.Load()
	if reader == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, collect := range []func(context.Context, client.Reader) ([]prometheus.Metric, error){
		collectVariants, collectSets,
	} {
		found, err := collect(ctx, *reader)
		if err != nil {
			log.Log.Error(err, "cannot measure the fleet")
		}
		for _, m := range found {
			samples <- m
		}
	}
}

func collectVariants(ctx context.Context, reader client.Reader) ([]prometheus.Metric, error) {
	var list v1alpha1.PackageVariantList
	if err := reader.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("cannot list PackageVariants: %w", err)
	}
	count := map[standing]int{}
	for i := range list.Items {
		pv := &list.Items[i]
		count[standingOf(pv.Namespace, pv.Generation, pv.Status.Conditions)]++
	}
	return gauges(variants, count), nil
}

func collectSets(ctx context.Context, reader client.Reader) ([]prometheus.Metric, error) {
	var list v1alpha2.PackageVariantSetList
	if err := reader.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("cannot list PackageVariantSets: %w", err)
	}
	var all []prometheus.Metric
	count := map[standing]int{}
	for i := range list.Items {
		set := &list.Items[i]
		count[standingOf(set.Namespace, set.Generation, set.Status.Conditions)]++
		all = append(all, ofSet(set)...)
	}
	return append(all, gauges(sets, count)...), nil
}

// gauges returns the series of counts by standing, in an order.
func gauges(of *prometheus.Desc, count map[standing]int) (all []prometheus.Metric) {
	keys := make([]standing, 0, len(count))
	for s := range count {
		keys = append(keys, s)
	}
	slices.SortFunc(keys, func(a, b standing) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.state, b.state), cmp.Compare(a.reason, b.reason))
	})
	for _, s := range keys {
		all = append(all, gauge(of, float64(count[s]), s.namespace, s.state, s.reason))
	}
	return all
}

func gauge(of *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
}
