// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/fleet"
	"github.com/package-variants/package-variants/local/git/gittest"
	"github.com/package-variants/package-variants/local/programs"
)

// TestInterrupted has a signal end a sync: what failed by that is not told.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var said bytes.Buffer
	code := Run(ctx, []string{"sync", t.TempDir(), "--cache", t.TempDir()}, programs.Streams{Out: &said, Err: &said})
	if want := "error: interrupted: run it again, which goes on from what was pushed\n"; code != exitError || said.String() != want {
		t.Errorf("%d %q", code, said.String())
	}
}

// TestSync has each exit code of sync and plan.
func TestSync(t *testing.T) {
	remote := gittest.NewRemote(t, "fleet")
	people := remote.Clone()
	people.Push("Begin", map[string]string{"good/r.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\n" +
		"metadata: {name: edge}\nspec: {git: {repo: \"" + remote.Address() + "\", directory: edge}}\n",
		"bad/v.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: web}\n"},
		"HEAD:refs/heads/main")
	ahead := remote.Clone()
	ahead.Update()
	ahead.Commit("Ahead", map[string]string{"good/more.yaml": "#\n"})
	for _, tt := range []struct {
		args []string
		code int
		said string
	}{
		{[]string{"sync", filepath.Join(ahead.Dir, "good")}, exitError, fmt.Sprintf("error: nothing was done: the commit %.10s is not on main, the "+
			"default branch of %s: push it, or have it merged\n", ahead.Git("rev-parse", "HEAD"), remote.Address())},
		{[]string{"update"}, exitError, "error: unknown command \"update\" for \"variants\"\n"},
		{[]string{"plan"}, exitError, "error: plan takes one directory with manifests: write variants plan DIR\n"},
		{[]string{"approve"}, exitError, "error: approve takes packages or drafts: write variants approve DRAFT...\n"},
		{[]string{"sync", "-o", "yaml", "x"}, exitError, "error: --output \"yaml\" is neither table nor json\n"},
		{[]string{"plan", "-o", "xml", "x"}, exitError, "error: -o is \"xml\", but must be one of text, json, yaml, markdown, html\n"},
		{[]string{"sync", "--max-removals", "-1", "x"}, exitError, "error: --max-removals is -1, and must be at least 1\n"},
		{[]string{"sync", "--labels", "a", "x"}, exitError, "error: --labels is for --pull-requests: say both\n"},
		{[]string{"sync", "--pull-requests", "--max-open", "0", "x"}, exitError, "error: --max-open is 0, and must be at least 1\n"},
		{[]string{"sync", "--pull-requests", "--forge", "svn", "x"}, exitError, "error: --forge \"svn\" is none of github, gitlab " +
			"and gitea, with =URL if its pages are elsewhere than the git repositories\n"},
		{[]string{"sync", filepath.Join(people.Dir, "good"), "--pull-requests", "-o", "json"}, exitDiffers, ""},
		{[]string{"plan", filepath.Join(people.Dir, "nowhere")}, exitError, "error: there is no directory " + people.Dir + "/nowhere\n"},
		{[]string{"plan", filepath.Join(people.Dir, "bad"), "-o", "json"}, exitError, "error: v.yaml, line 1: PackageVariant web: " +
			"spec.upstream is missing: name the package to derive from\nspec.downstream is missing: name the package to create\n"},
		{[]string{"sync", filepath.Join(people.Dir, "bad"), "-o", "json"}, exitError, ""},
		{[]string{"sync", filepath.Join(people.Dir, "good"), "-o", "json"}, exitDone, ""},
	} {
		var out, said bytes.Buffer
		args := slices.Concat(tt.args, []string{"--cache", t.TempDir()})
		if code := Run(t.Context(), args, programs.Streams{Out: &out, Err: &said}); code != tt.code || said.String() != tt.said {
			t.Errorf("%v: %d %q", tt.args, code, said.String())
		}
		var report fleet.Report
		if err := json.Unmarshal(out.Bytes(), &report); tt.said == "" && err != nil {
			t.Error(err, out.String())
		}
		if tt.said == "" && len(report.Failures) > 0 != (tt.code == exitError) {
			t.Errorf("%v: %v", tt.args, report)
		}
	}
}

// TestDocumentedJSON checks that the help of sync names every field of its JSON.
func TestDocumentedJSON(t *testing.T) {
	t.Parallel()
	var check func(of reflect.Type)
	check = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || !strings.Contains(of.PkgPath(), "/local/") {
			return
		}
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if name != "" && name != "-" && !regexp.MustCompile(`\b`+name+`\b`).MatchString(longSync) {
				t.Errorf("%s of %s is not in the help", name, of)
			}
			check(of.Field(i).Type)
		}
	}
	check(reflect.TypeFor[fleet.Report]())
}
