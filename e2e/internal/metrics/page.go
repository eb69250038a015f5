// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Description is what the manual says of a metric.
type Description struct {
	// Type is gauge, counter, histogram, info or stateset.
	Type string
	// Labels are the names of its labels, in their order.
	Labels []string
}

var (
	// row matches name, type and labels in a table row.
	row    = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\| ([^|]*)\\| [^|]+ \\|$")
	quoted = regexp.MustCompile("`(\\w+)`")
)

// Page returns the metrics in the tables of docs/metrics.md, at the given path, whose names have the prefix.
func Page(path, prefix string) (map[string]Description, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the page of metrics: %w", err)
	}
	all := map[string]Description{}
	for _, found := range row.FindAllStringSubmatch(string(text), -1) {
		if !strings.HasPrefix(found[1], prefix) {
			continue
		}
		d := Description{Type: found[2]}
		for _, label := range quoted.FindAllStringSubmatch(found[3], -1) {
			d.Labels = append(d.Labels, label[1])
		}
		slices.Sort(d.Labels)
		all[found[1]] = d
	}
	return all, nil
}
