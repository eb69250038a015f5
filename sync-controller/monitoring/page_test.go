// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	dto "github.com/prometheus/client_model/go"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// metric is what a row of the page says of a metric.
type metric struct {
	Type   string
	Labels []string
}

var (
	// row finds name, type and labels in a row of the page's tables.
	row    = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ([a-z]+) \\| ([^|]*)\\| [^|]+ \\|$")
	quoted = regexp.MustCompile("`([a-z_]+)`")
)

// pages returns the metrics of docs/metrics.md, and the controller's own of the reference, by name.
func pages(t *testing.T) map[string]metric {
	t.Helper()
	docs := filepath.Join("..", "..", "docs")
	manual, err := os.ReadFile(filepath.Join(docs, "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	reference, err := os.ReadFile(filepath.Join(docs, "reference", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]metric{}
	for _, found := range row.FindAllStringSubmatch(string(manual)+string(reference), -1) {
		m := metric{Type: found[2]}
		for _, label := range quoted.FindAllStringSubmatch(found[3], -1) {
			m.Labels = append(m.Labels, label[1])
		}
		slices.Sort(m.Labels)
		if _, twice := all[found[1]]; twice {
			t.Errorf("%s is on the pages twice", found[1])
		}
		all[found[1]] = m
	}
	return all
}

// TestPages checks that the pages list all metrics of the controller as they are registered, that the other metrics on
// them exist, and that the alerts and the dashboard use metrics of the pages.
func TestPages(t *testing.T) {
	t.Parallel()
	onPage, registered := pages(t), described(t)
	own := map[string]metric{}
	for name, m := range registered {
		if m.Own() {
			own[name] = metric{Type: m.Type, Labels: m.Labels}
		}
	}
	got := map[string]metric{}
	for name, m := range onPage {
		switch of, ok := registered[name]; {
		case strings.HasPrefix(name, "kube_"): // held in e2e/monitoring
		case strings.HasPrefix(name, "package_variant"):
			got[name] = m
		case !ok:
			t.Errorf("%s is on the page, and is not registered", name)
		default:
			if diff := cmp.Diff(metric{Type: of.Type, Labels: of.Labels}, m, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s, registered (-) and on the page (+):\n%s", name, diff)
			}
		}
	}
	if diff := cmp.Diff(own, got, cmpopts.EquateEmpty()); diff != "" || len(own) < 3 {
		t.Errorf("%d metrics of the controller (-) and on the page (+):\n%s", len(own), diff)
	}
	for _, expression := range expressions(t) {
		for _, found := range selection.FindAllStringSubmatch(expression, -1) {
			if name := family(found[1]); onPage[name].Type == "" {
				t.Errorf("%s is not on the page, which is in %s", name, expression)
			}
		}
	}
}

// TestTypes checks that metrics have the types that their names say, as far as they have series yet.
func TestTypes(t *testing.T) {
	t.Parallel()
	registered := described(t)
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "package_variant") {
			continue
		}
		seen++
		want := registered[f.GetName()].Type
		if got := strings.ToLower(dto.MetricType_name[int32(f.GetType())]); got != want {
			t.Errorf("%s is a %s, want a %s", f.GetName(), got, want)
		}
	}
	if seen == 0 {
		t.Error("no metric of the controller has a series")
	}
}
