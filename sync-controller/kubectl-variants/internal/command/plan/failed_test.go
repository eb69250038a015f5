// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
)

// TestFailedSet checks that a set that cannot be expanded counts as failed in each format and in the exit code.
func TestFailedSet(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "set.yaml")
	if err := os.WriteFile(file, []byte("apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: s}\n"+
		"spec: {upstream: {repo: blueprints, package: web, revision: 1}, "+
		"targets: [{repositories: [{name: edge}], template: {downstream: {packageExpr: nothing}}}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const why = "breaks: InvalidSpec: "
	for format, want := range map[string][]string{
		"text": {"  fail: " + why, "Plan: 1 fail."}, "json": {`"fail": 1`, `"stalled": "breaks"`}, "yaml": {"fail: 1", "stalled: breaks"},
		"markdown": {"### Plan: 1 fail.\n", " **fail**: `" + why}, "html": {"Plan: 1 fail.", why, `data-state="fail"`},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			got, err := run(t, "-f", file, cluster, "testdata/snapshot", "-o", format)
			if diff := cmp.Diff(cli.ExitError, cli.ExitCode(err)); diff != "" {
				t.Errorf("exit code (-want +got):\n%s", diff)
			}
			if err == nil || !strings.HasPrefix(err.Error(), "PackageVariantSet s: "+why) {
				t.Errorf("error %v", err)
			}
			for _, text := range want {
				if !strings.Contains(got, text) {
					t.Errorf("there is no %q in:\n%s", text, got)
				}
			}
		})
	}
}

// TestNoPlan checks that the output files of a failed plan say that it failed.
func TestNoPlan(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		"markdown": "### There is no plan: it failed\n\nOver `the cluster test`, planned at 2026-11-23 12:00 UTC.\n\n" +
			"```text\nthere is no file or directory nowhere\n```\n",
		"html": `<p class="note">there is no file or directory nowhere</p>`,
		"text": "",
	} {
		got, err := run(t, "-f", "nowhere", cluster, "testdata/snapshot", "-o", format)
		if cli.ExitCode(err) != cli.ExitError || err.Error() != "there is no file or directory nowhere" {
			t.Errorf("%s: error %v", format, err)
		}
		if format == "html" && strings.Contains(got, want) {
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
	}
}
