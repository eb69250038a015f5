// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Metrics beside those of controller-runtime.
var (
	evaluations = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "package_variant_evaluations_total",
		Help: "Reconciles of PackageVariants for which something had changed. The others end before anything is read from Porch.",
	})
	actions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "package_variant_actions_total",
		Help: "Steps that were done, by action and result (ok or error).",
	}, []string{"action", "result"})
)

func init() {
	metrics.Registry.MustRegister(evaluations, actions)
}
