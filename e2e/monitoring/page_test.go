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
)

var (
	// typed, sample and label find the parts of what Prometheus is told; row those of a row of docs/metrics.md.
	typed  = regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`)
	sample = regexp.MustCompile(`(?m)^(\w+)\{(.*)\} `)
	label  = regexp.MustCompile(`(\w+)="`)
	row    = regexp.MustCompile("(?m)^\\| `(kube_\\w+)` \\| (\\w+) \\| ([^|]*)\\| [^|]+ \\|$")
	quoted = regexp.MustCompile("`(\\w+)`")
)

// TestPage holds that docs/metrics.md has the metrics that kube-state-metrics makes of our objects, each with its type
// and labels.
func TestPage(t *testing.T) {
	t.Parallel()
	read := func(path ...string) string {
		text, err := os.ReadFile(filepath.Join(path...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	told := read("testdata", "state.prom")
	want, labels := map[string]string{}, map[string]map[string]bool{}
	for _, found := range typed.FindAllStringSubmatch(told, -1) {
		want[found[1]], labels[found[1]] = found[2], map[string]bool{}
	}
	for _, found := range sample.FindAllStringSubmatch(told, -1) {
		for _, l := range label.FindAllStringSubmatch(found[2], -1) {
			if l[1] != "name" && l[1] != "namespace" && !strings.HasPrefix(l[1], "customresource_") {
				labels[found[1]][l[1]] = true
			}
		}
	}
	for name := range want {
		want[name] += " " + strings.Join(slices.Sorted(maps.Keys(labels[name])), " ")
	}
	got := map[string]string{}
	for _, found := range row.FindAllStringSubmatch(read("..", "..", "docs", "metrics.md"), -1) {
		var names []string
		for _, l := range quoted.FindAllStringSubmatch(found[3], -1) {
			names = append(names, l[1])
		}
		slices.Sort(names)
		got[found[1]] = found[2] + " " + strings.Join(names, " ")
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 20 {
		t.Errorf("%d metrics that are told (-) and on the page (+):\n%s", len(want), diff)
	}
}
