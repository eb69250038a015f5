// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"time"

	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Metrics in addition to those of controller-runtime.
var (
	evaluations = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "package_variant_evaluations_total",
		Help: "Reconciles of PackageVariants for which something had changed. The others end before anything is " +
			"read from Porch.",
	})
	actions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "package_variant_actions_total",
		Help: "Steps that were done, by action and result (ok or error).",
	}, []string{"action", "result"})
	delivered = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "package_variant_delivery_seconds",
		Help: "Time from the publication of an upstream revision, or from the creation of the variant if that was later, " +
			"until the downstream package was first ready with it (a draft is enough), or first published.",
		Buckets: deliveryBuckets,
	}, []string{"until"})
)

// deliveryBuckets range from the time Porch needs for a draft to the time people need for a review.
var deliveryBuckets = seconds(2*time.Second, 5*time.Second, 15*time.Second, 30*time.Second, time.Minute, 2*time.Minute,
	5*time.Minute, 15*time.Minute, 30*time.Minute, time.Hour, 2*time.Hour, 6*time.Hour, 12*time.Hour, day, 2*day, 4*day,
	7*day, 14*day, 30*day)

const day = 24 * time.Hour

func seconds(durations ...time.Duration) (all []float64) {
	for _, d := range durations {
		all = append(all, d.Seconds())
	}
	return all
}

func init() {
	metrics.Registry.MustRegister(evaluations, actions, delivered)
	for _, until := range []string{untilReady, untilPublished} {
		delivered.WithLabelValues(until) // both series exist from the start
	}
}

// label returns the label of a step in the metrics. A step that makes a draft is labelled by its task.
func label(step *decide.Step) string {
	if step.Action == decide.Create {
		return step.Draft.Task.Type.Label()
	}
	return string(step.Action)
}

// outcomeOf returns the label of a step's outcome in the metrics.
func outcomeOf(err error) string {
	if err != nil {
		return "error"
	}
	return "ok"
}
