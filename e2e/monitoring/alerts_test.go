// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// dir is where the files are.
var dir = filepath.Join("..", "..", "sync-controller", "monitoring")

// promtool runs promtool in a directory, and returns what it prints.
func promtool(t *testing.T, in string, args ...string) string {
	t.Helper()
	binary, err := filepath.Abs(filepath.Join(os.Getenv("TOOLS_BIN"), "promtool"))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), binary, args...)
	command.Dir = in
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("promtool %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

// TestAlerts runs the tests of the alert rules, each of which is tested.
func TestAlerts(t *testing.T) {
	t.Parallel()
	promtool(t, dir, "check", "rules", "--lint=all", "--lint-fatal", "alerts.yaml")
	promtool(t, dir, "test", "rules", "alerts.test.yaml")
	tests, err := os.ReadFile(filepath.Join(dir, "alerts.test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var alerts struct {
		Groups []struct{ Rules []struct{ Alert string } }
	}
	readYAML(t, "alerts.yaml", &alerts)
	names := 0
	for _, g := range alerts.Groups {
		for _, r := range g.Rules {
			names++
			if fires := "alertname: " + r.Alert + "\n        exp_alerts:\n"; !strings.Contains(string(tests), fires) {
				t.Errorf("no test has the alert %s fire", r.Alert)
			}
		}
	}
	if names == 0 {
		t.Error("there are no alerts")
	}
}

// TestDashboard has promtool parse what the dashboard asks for.
func TestDashboard(t *testing.T) {
	t.Parallel()
	var dashboard struct {
		UID    string
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ RefID, Expr, LegendFormat string }
		}
	}
	readYAML(t, "dashboard.json", &dashboard)
	ids, places := map[int]bool{}, map[string]bool{}
	var rules strings.Builder
	rules.WriteString("groups:\n- name: dashboard\n  rules:\n")
	for _, p := range dashboard.Panels {
		place := fmt.Sprint(p.GridPos.X, ",", p.GridPos.Y)
		if ids[p.ID] || places[place] || len(p.Targets) == 0 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %d, %s, at %s: its number or its place is another's, or it shows nothing", p.ID, p.Title, place)
		}
		ids[p.ID], places[place] = true, true
		for _, target := range p.Targets {
			expr := strings.ReplaceAll(target.Expr, "$__rate_interval", "5m")
			fmt.Fprintf(&rules, "  - record: panel:%d:%s\n    expr: %q\n", p.ID, target.RefID, expr)
		}
	}
	in := t.TempDir()
	if err := os.WriteFile(filepath.Join(in, "rules.yaml"), []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, in, "check", "rules", "rules.yaml")
}

func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, file))
	if err == nil {
		err = yaml.Unmarshal(content, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
