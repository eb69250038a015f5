// SPDX-License-Identifier: Apache-2.0

// Package metrics lists the metrics that the controller serves.
package metrics

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	// What follows registers metrics.
	_ "github.com/package-variants/package-variants/sync-controller/internal/options"
	_ "github.com/package-variants/package-variants/sync-controller/internal/packagevariant"
	_ "github.com/package-variants/package-variants/sync-controller/internal/porch"
)

// Metric is a metric that the controller or one of its libraries registers.
type Metric struct {
	Name, Type, Help string
	// Labels are sorted.
	Labels []string
}

// shown matches the text of a metric's description, the only access that Prometheus' library gives to it.
var shown = regexp.MustCompile(
	`(?s)^Desc\{fqName: "([^"]+)", help: "(.*?)"(?:, unit: ".*")?, constLabels: \{.*\}, variableLabels: \{(.*)\}\}$`)

// Registered returns all metrics that are registered, by name.
func Registered() (map[string]Metric, error) {
	registry, ok := metrics.Registry.(*prometheus.Registry)
	if !ok {
		return nil, fmt.Errorf("the registry of metrics is a %T", metrics.Registry)
	}
	descriptions := make(chan *prometheus.Desc, 1000)
	registry.Describe(descriptions)
	close(descriptions)
	all := map[string]Metric{}
	for d := range descriptions {
		found := shown.FindStringSubmatch(d.String())
		if found == nil {
			return nil, fmt.Errorf("the description of a metric is not understood: %s", d)
		}
		labels := strings.FieldsFunc(found[3], func(r rune) bool { return r == ',' })
		slices.Sort(labels)
		all[found[1]] = Metric{Name: found[1], Type: typeOf(found[1]), Help: found[2], Labels: labels}
	}
	return all, nil
}

// typeOf returns the type of a metric, by the rules for names.
func typeOf(name string) string {
	switch {
	case strings.HasSuffix(name, "_total"):
		return "counter"
	case strings.HasSuffix(name, "_seconds") && !strings.HasPrefix(name, "workqueue_unfinished") &&
		!strings.HasPrefix(name, "workqueue_longest"):
		return "histogram"
	default:
		return "gauge"
	}
}

// Own reports whether a metric is one of this project's.
func (m Metric) Own() bool { return strings.HasPrefix(m.Name, "package_variant") }
