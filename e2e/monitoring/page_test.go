// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/e2e/internal/metrics"
)

var (
	// typed, sample and label find the parts of what Prometheus is told.
	typed  = regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`)
	sample = regexp.MustCompile(`(?m)^(\w+)\{(.*)\} `)
	label  = regexp.MustCompile(`(\w+)="`)
)

// TestPage checks that docs/metrics.md has the metrics that kube-state-metrics makes of our objects, each with its type
// and labels.
func TestPage(t *testing.T) {
	t.Parallel()
	told, err := os.ReadFile(filepath.Join("testdata", "state.prom"))
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]map[string]bool{}
	for _, found := range sample.FindAllStringSubmatch(string(told), -1) {
		if labels[found[1]] == nil {
			labels[found[1]] = map[string]bool{}
		}
		for _, l := range label.FindAllStringSubmatch(found[2], -1) {
			if l[1] != "name" && l[1] != "namespace" && !strings.HasPrefix(l[1], "customresource_") {
				labels[found[1]][l[1]] = true
			}
		}
	}
	want := map[string]metrics.Description{}
	for _, found := range typed.FindAllStringSubmatch(string(told), -1) {
		want[found[1]] = metrics.Description{Type: found[2], Labels: slices.Sorted(maps.Keys(labels[found[1]]))}
	}
	got, err := metrics.Page(filepath.Join("..", "..", "docs", "metrics.md"), "kube_")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 20 {
		t.Errorf("%d metrics that are told (-) and on the page (+):\n%s", len(want), diff)
	}
}
