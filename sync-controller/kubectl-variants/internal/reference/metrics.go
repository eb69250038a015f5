// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"slices"
	"strings"

	"github.com/package-variants/package-variants/sync-controller/internal/metrics"
)

const metricsIntroduction = `The controller's own metrics, as it registers them, with the help that it serves. The page
about [metrics](../metrics.md) has the values of the labels, and those of controller-runtime and kube-state-metrics.`

// metricsPage returns the page of the controller's own metrics.
func metricsPage() (string, error) {
	all, err := metrics.Registered()
	if err != nil {
		return "", err
	}
	var rows [][]string
	for _, m := range all {
		if m.Own() {
			var labels []string
			for _, label := range m.Labels {
				labels = append(labels, code(label))
			}
			rows = append(rows, []string{code(m.Name), m.Type, strings.Join(labels, ", "), plain(m.Help)})
		}
	}
	slices.SortFunc(rows, slices.Compare)
	return page("The metrics of the controller", "the metrics that sync-controller registers", metricsIntroduction) +
		table([]string{"metric", "type", "labels", "help"}, rows), nil
}
