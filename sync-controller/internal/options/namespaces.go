// SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/sync-controller/internal/kube/access"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// leftOut has a series for each namespace of --namespace in which the controller does nothing.
var leftOut = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "package_variant_namespaces_left_out",
	Help: "1 for each namespace of --namespace in which the controller does nothing, because it had no rights there " +
		"when it started.",
}, []string{"namespace"})

func init() { metrics.Registry.MustRegister(leftOut) }

// open returns the namespaces of --namespace to work in, none for all. Those in which the controller has no rights are
// left out: the log and a metric name them. It is an error if no other is left.
func (o *Options) open(ctx context.Context, config *rest.Config, types *runtime.Scheme) (
	map[string]cache.Config, error) {
	if len(o.Namespaces) == 0 {
		return nil, nil
	}
	c, err := client.New(config, client.Options{Scheme: types})
	if err != nil {
		return nil, err
	}
	names, closed, err := access.Survey(ctx, c, o.Namespaces)
	if err != nil {
		return nil, err
	}
	var problems []error
	for _, left := range closed {
		problems = append(problems, errors.New(left.String()))
		log.Log.Info(left.String(), "namespace", left.Namespace)
		leftOut.WithLabelValues(left.Namespace).Set(1)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("--namespace names nothing to work in: %w", errors.Join(problems...))
	}
	namespaces := map[string]cache.Config{}
	for _, name := range names {
		namespaces[name] = cache.Config{}
	}
	return namespaces, nil
}
