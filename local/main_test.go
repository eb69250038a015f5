// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/package-variants/package-variants/local/fleet"
	"github.com/package-variants/package-variants/local/git/gittest"
)

// TestRun has each exit code.
func TestRun(t *testing.T) {
	remote := gittest.NewRemote(t, "fleet")
	people := remote.Clone()
	people.Push("Begin", map[string]string{"good/r.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\n" +
		"metadata: {name: edge}\nspec: {git: {repo: \"" + remote.Address() + "\", directory: edge}}\n",
		"bad/v.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: web}\n"},
		"HEAD:refs/heads/main")
	for _, tt := range []struct {
		args []string
		code int
		said string
	}{
		{nil, 1, "error: say what to do: variants sync DIR, or variants plan DIR\n"},
		{[]string{"update"}, 1, "error: there is no command update: variants sync DIR, or variants plan DIR\n"},
		{[]string{"plan"}, 1, "error: name one directory with manifests, after the flags: variants plan DIR\n"},
		{[]string{"plan", "-o", "yaml", "x"}, 1, "error: -o: it is \"yaml\": table or json\n"},
		{[]string{"plan", filepath.Join(people.Dir, "nowhere")}, 2, "error: there is no directory " + people.Dir + "/nowhere\n"},
		{[]string{"plan", filepath.Join(people.Dir, "bad")}, 2, ""},
		{[]string{"sync", filepath.Join(people.Dir, "good")}, 0, ""},
	} {
		if len(tt.args) > 1 {
			tt.args = append([]string{tt.args[0], "--cache", t.TempDir(), "-o", "json"}, tt.args[1:]...)
		}
		var out, said bytes.Buffer
		if code := run(t.Context(), tt.args, &out, &said); code != tt.code || said.String() != tt.said {
			t.Errorf("%v: %d %q", tt.args, code, said.String())
		}
		var report fleet.Report
		if err := json.Unmarshal(out.Bytes(), &report); tt.said == "" && err != nil {
			t.Error(err, out.String())
		}
		if tt.said == "" && len(report.Failures) > 0 != (tt.code == 2) {
			t.Errorf("%v: %v", tt.args, report)
		}
	}
}
