// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Metrics beside those of controller-runtime.
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
)

func init() {
	metrics.Registry.MustRegister(evaluations, actions)
}

// label is the label of a step in the metrics: of one that makes a draft, how.
func label(step *decide.Step) string {
	if step.Action == decide.Create {
		return step.Draft.Task.Type.Label()
	}
	return string(step.Action)
}

// outcomeOf is the label of a step's outcome in the metrics.
func outcomeOf(err error) string {
	if err != nil {
		return "error"
	}
	return "ok"
}
