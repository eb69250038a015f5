// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Metrics in addition to those of controller-runtime.
var (
	evaluations = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "package_variant_evaluations_total",
		Help: "Decisions about PackageVariants for which something had changed: one before each step, and one when " +
			"nothing is left to do. Other reconciles read nothing from Porch.",
	})
	actions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "package_variant_actions_total",
		Help: "Steps that were done, by action and result (ok or error).",
	}, []string{"action", "result"})
)

func init() { metrics.Registry.MustRegister(evaluations, actions) }

// label returns the label of a step in the metrics. A step that makes a draft is labelled by its task.
func label(step *decide.Step) string {
	if step.Action == decide.Create {
		return step.Draft.Task.Type.Label()
	}
	return string(step.Action)
}

// countStep counts a step that was done, or failed.
func countStep(step *decide.Step, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "error"
	}
	actions.WithLabelValues(label(step), outcome).Inc()
}
