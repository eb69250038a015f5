// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// calls measures the requests to Porch, including each retry of a write.
var calls = prometheus.NewHistogramVec(prometheus.HistogramOpts{
	Name: "package_variant_porch_call_seconds",
	Help: "Duration of a request to Porch, by what was asked for (call) and what came of it (result).",
	// From a read out of a cache to a git repository that does not answer.
	Buckets: []float64{0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300},
}, []string{"call", "result"})

func init() { metrics.Registry.MustRegister(calls) }

// call is the label of a request to Porch. A request for a draft has the name of the draft's task.
type call string

const (
	listAll         call = "ListAll" // for the cache
	get             call = "Get"
	read            call = "ReadContent"
	save            call = "SaveContent"
	setMeta         call = "SetMeta"
	propose         call = "Propose"
	approve         call = "Approve"
	keep            call = "Keep"
	proposeDeletion call = "ProposeDeletion"
	remove          call = "Delete"
)

// timed sends a request and measures how long it takes.
func timed(c call, request func() error) error {
	start := time.Now()
	err := request()
	calls.WithLabelValues(string(c), resultOf(err)).Observe(time.Since(start).Seconds())
	return err
}

// resultOf is the label of a request's outcome in the metric.
func resultOf(err error) string {
	_, ofRender := RenderError(err)
	switch {
	case err == nil:
		return "ok"
	case ofRender:
		return "render_failed"
	case apierrors.IsNotFound(err):
		return "not_found"
	case Busy(err):
		return "busy"
	case Unavailable(err):
		return "unavailable"
	default:
		return "error"
	}
}
