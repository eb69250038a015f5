// SPDX-License-Identifier: Apache-2.0

// Package metrics reads the Prometheus metrics of a server.
package metrics

import (
	"context"
	"fmt"
	"net/http"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Families are all metrics of a server, by name.
type Families map[string]*dto.MetricFamily

// Get reads the metrics at a URL.
func Get(ctx context.Context, client *http.Client, url string) (Families, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("cannot ask for metrics: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("cannot get metrics: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("cannot get metrics: %s: %s", url, response.Status)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return nil, fmt.Errorf("cannot read the metrics of %s: %w", url, err)
	}
	return families, nil
}

// Sum returns the sum of a metric's series that have all of the labels, and possibly others; for a histogram or
// summary, the number of observations. It is 0 if there is no such series.
func (f Families) Sum(name string, labels map[string]string) float64 {
	var sum float64
	for _, series := range f[name].GetMetric() {
		if matches(series, labels) {
			sum += value(series)
		}
	}
	return sum
}

// Observed returns the sum of all observations in those series of a histogram or summary that have all of the labels.
func (f Families) Observed(name string, labels map[string]string) float64 {
	var sum float64
	for _, series := range f[name].GetMetric() {
		if matches(series, labels) {
			sum += series.GetHistogram().GetSampleSum() + series.GetSummary().GetSampleSum()
		}
	}
	return sum
}

// matches reports whether a series has all of the labels.
func matches(series *dto.Metric, labels map[string]string) bool {
	found := 0
	for _, label := range series.GetLabel() {
		if want, ok := labels[label.GetName()]; ok && want == label.GetValue() {
			found++
		}
	}
	return found == len(labels)
}

// value returns the value of a series; the getters of the other kinds return 0.
func value(series *dto.Metric) float64 {
	return series.GetCounter().GetValue() + series.GetGauge().GetValue() + series.GetUntyped().GetValue() +
		float64(series.GetHistogram().GetSampleCount()) + float64(series.GetSummary().GetSampleCount())
}
