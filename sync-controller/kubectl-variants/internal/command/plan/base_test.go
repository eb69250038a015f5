// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withBase returns a directory that has a fleet twice, as before and as fleet, and a snapshot.
func withBase(t *testing.T, fleet map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	const finalizer = "config.porch.kpt.dev/packagevariants"
	files := map[string]string{"snapshot/owned.yaml": owned + ownedVariant("a", finalizer, "s1", "delete") +
		ownedVariant("b", finalizer, "s1", "orphan")}
	for _, name := range []string{"cluster.yaml", "contents.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", "snapshot", name))
		if err != nil {
			t.Fatal(err)
		}
		files["snapshot/"+name] = string(text)
	}
	for name, text := range fleet {
		files["before/"+name], files["fleet/"+name] = text, text
	}
	for file, text := range files {
		file = filepath.Join(dir, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestBase checks that what the base has and -f no longer has is planned as deleted, with the variants of a set.
func TestBase(t *testing.T) {
	t.Parallel()
	const repository = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: edge-2}\n"
	alone := "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: alone}\nspec:\n" +
		"  upstream: {repo: blueprints, package: web, revision: 1}\n  downstream: {repo: edge-2, package: alone}\n"
	set, _, _ := strings.Cut(owned, "metadata:")
	set += "metadata: {name: web}\n"
	for name, c := range map[string]struct {
		base   map[string]string
		remove []string
		want   map[string][]string
		notes  []string
	}{
		"a set": {map[string]string{"set.yaml": set, "repository.yaml": repository}, []string{"set.yaml"}, map[string][]string{
			"a": {"delete", "delete edge-1.a.packagevariant-1, let the variant go"},
			"b": {"delete", "orphan edge-1.b.packagevariant-1, let the variant go"}},
			[]string{"These objects are in BEFORE and not in FLEET any more, and are treated as deleted: PackageVariantSet web"}},
		"all": {map[string]string{"set.yaml": set}, []string{"."}, map[string][]string{
			"a": {"delete", "delete edge-1.a.packagevariant-1, let the variant go"},
			"b": {"delete", "orphan edge-1.b.packagevariant-1, let the variant go"}},
			[]string{"These objects are in BEFORE and not in FLEET any more, and are treated as deleted: PackageVariantSet web"}},
		"a Repository": {map[string]string{"variant.yaml": alone, "repository.yaml": repository}, []string{"repository.yaml"},
			map[string][]string{"alone": {"fail", ""}},
			[]string{"These objects are in BEFORE and not in FLEET any more, and are treated as deleted: Repository edge-2"}},
		"what is not there": {map[string]string{"variant.yaml": alone, "other.yaml": strings.Replace(alone, "{name: alone}", "{name: other}", 1)},
			[]string{"other.yaml"}, map[string][]string{"alone": {"create", "clone blueprints.web.v1 into edge-2/alone"}},
			[]string{"These objects are in BEFORE and not in FLEET any more, and are treated as deleted: PackageVariant other"}},
		"nothing": {map[string]string{"variant.yaml": alone}, nil, map[string][]string{
			"alone": {"create", "clone blueprints.web.v1 into edge-2/alone"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := withBase(t, c.base)
			fleet, before := filepath.Join(dir, "fleet"), filepath.Join(dir, "before")
			for _, file := range c.remove {
				if err := os.RemoveAll(filepath.Join(fleet, file)); err != nil {
					t.Fatal(err)
				}
			}
			plan, _ := planOf(t, "-f", fleet, "--base", before, cluster, filepath.Join(dir, "snapshot"))
			got := map[string][]string{}
			for i := range plan.Variants {
				if v := &plan.Variants[i]; !v.Other {
					got[v.Name] = []string{string(v.Action), strings.Join(v.Texts(), ", ")}
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("variants (-want +got):\n%s", diff)
			}
			var notes []string
			for _, note := range plan.Notes {
				notes = append(notes, strings.NewReplacer(fleet, "FLEET", before, "BEFORE").Replace(note))
			}
			if diff := cmp.Diff(c.notes, notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}
