// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
)

const (
	// FirstRetry is the time before the first retry of an item that failed.
	FirstRetry = 250 * time.Millisecond
	// LastRetry is the longest time before a retry.
	LastRetry = 5 * time.Minute
)

// NewLimiter returns the rate limiter of a work queue (controller.Options.RateLimiter): the time before a retry doubles
// with each failure in a row. It counts failures and does not look at the time of day.
func NewLimiter() workqueue.TypedRateLimiter[ctrl.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](FirstRetry, LastRetry)
}
