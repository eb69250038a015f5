// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
)

// TestUnmetInjection checks that each format reports a required injection point that is not filled.
func TestUnmetInjection(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"cluster.yaml", "contents.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", "snapshot", name))
		if err != nil {
			t.Fatal(err)
		}
		required := strings.Replace(string(text), "        name: settings\n",
			"        name: settings\n        annotations: {kpt.dev/config-injection: required}\n", 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(required), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for format, want := range map[string]string{
		"text": "ConfigInjected=False (InjectionUnmet): ", "markdown": "ConfigInjected=False (InjectionUnmet): ",
		"html": "ConfigInjected=False (InjectionUnmet): ", "yaml": "    type: ConfigInjected\n",
		"json": `"type": "ConfigInjected",` + "\n" + `          "reason": "InjectionUnmet",` + "\n" + `          "message": "`,
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			got, err := run(t, "-f", "testdata/fleet/variant.yaml", cluster, dir, "-o", format)
			if !errors.Is(err, cli.ErrChanges) {
				t.Errorf("error %v, want that there are changes", err)
			}
			if !strings.Contains(got, want) {
				t.Errorf("there is no %q in:\n%s", want, got)
			}
		})
	}
}
