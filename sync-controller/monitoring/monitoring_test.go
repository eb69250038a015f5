// SPDX-License-Identifier: Apache-2.0

// Package monitoring holds alert rules and a dashboard. Its tests check that they use metrics that the controller or
// kube-state-metrics has; promtool checks and runs the rules in e2e/monitoring.
package monitoring

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/metrics"
	_ "sigs.k8s.io/controller-runtime/pkg/controller" // registers those of reconciles
	"sigs.k8s.io/yaml"
)

// expressions returns the PromQL expressions of the alerts and of the dashboard.
func expressions(t *testing.T) []string {
	t.Helper()
	var alerts struct {
		Groups []struct {
			Rules []struct{ Expr string }
		}
	}
	read(t, "alerts.yaml", &alerts)
	var dashboard struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
	}
	read(t, "dashboard.json", &dashboard)
	var all []string
	for _, g := range alerts.Groups {
		for _, r := range g.Rules {
			all = append(all, r.Expr)
		}
	}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			all = append(all, target.Expr)
		}
	}
	if len(all) < 15 || slices.Contains(all, "") {
		t.Fatalf("there are %d expressions: %q", len(all), all)
	}
	return all
}

// read decodes a file, in YAML or JSON.
func read(t *testing.T, file string, into any) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(content, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

var (
	// selection finds a metric in an expression, with what is asked of its labels.
	selection = regexp.MustCompile(`\b([a-z][a-z_]*_[a-z_]+)(\{[^}]*\}|\[|\))`)
	matcher   = regexp.MustCompile(`([a-z_]+)(?:=~|!=|!~|=)"`)
	grouping  = regexp.MustCompile(`\bby \(([^)]*)\)`)
)

// described returns the metrics that are registered, by name.
func described(t *testing.T) map[string]metrics.Metric {
	t.Helper()
	all, err := metrics.Registered()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// family returns the name of a metric from that of a series in an expression: a histogram has several.
func family(series string) string {
	return strings.TrimSuffix(strings.TrimSuffix(series, "_bucket"), "_count")
}

// TestMetricsExist checks that every metric, and every label, of the alerts and the dashboard is one that the
// controller registers, or that docs/metrics.md lists for kube-state-metrics.
func TestMetricsExist(t *testing.T) {
	t.Parallel()
	known := described(t)
	for name, m := range pages(t) {
		if strings.HasPrefix(name, "kube_") {
			known[name] = metrics.Metric{Name: name, Labels: append(m.Labels, "namespace", "name")}
		}
	}
	used := map[string]bool{}
	for _, expression := range expressions(t) {
		found := selection.FindAllStringSubmatch(expression, -1)
		if len(found) == 0 {
			t.Errorf("no metric in %s", expression)
		}
		for _, f := range found {
			name := family(f[1])
			if known[name].Name == "" {
				t.Errorf("no metric %s, which is in %s", name, expression)
			}
			used[name] = true
			labels := append(matcher.FindAllStringSubmatch(f[2], -1), grouping.FindAllStringSubmatch(expression, -1)...)
			for _, l := range labels {
				for label := range strings.SplitSeq(l[1], ", ") {
					if label != "le" && !slices.Contains(known[name].Labels, label) {
						t.Errorf("the metric %s has no label %s, but %q: %s", name, label, known[name].Labels, expression)
					}
				}
			}
		}
	}
	var own []string
	for name := range known {
		if strings.HasPrefix(name, "package_variant") && !used[name] {
			own = append(own, name)
		}
	}
	if diff := cmp.Diff([]string(nil), own); diff != "" {
		t.Errorf("metrics of which nothing is shown, -want +got:\n%s", diff)
	}
}
