// SPDX-License-Identifier: Apache-2.0

package home

import (
	"slices"
	"testing"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
)

func TestBoundary(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		commits map[git.Hash][]git.Hash
		want    []git.Hash
	}{
		"one commit":                {map[git.Hash][]git.Hash{"d": {"m1"}}, []git.Hash{"m1"}},
		"two commits":               {map[git.Hash][]git.Hash{"d": {"c"}, "c": {"m1"}}, []git.Hash{"m1"}},
		"the branch was brought in": {map[git.Hash][]git.Hash{"d": {"c", "m2"}, "c": {"m1"}}, []git.Hash{"m1", "m2"}},
		"it has no common commit":   {map[git.Hash][]git.Hash{"d": nil}, nil},
		"it is merged":              {nil, []git.Hash{"d"}},
	} {
		got := boundary("d", c.commits)
		slices.Sort(got)
		t.Run(name, func(t *testing.T) { wantEqual(t, c.want, got) })
	}
}

func TestWorkspaceFor(t *testing.T) {
	t.Parallel()
	const line = "Squash\n\n* Draft\n\nkpt:{\"package\":\"web\",\"workspaceName\":\"one\",\"task\":{\"type\":\"clone\"}}\n"
	for name, c := range map[string]struct {
		message string
		merged  []string
		used    map[string]bool
		want    string
	}{
		"the commit has a line":          {line, []string{"two"}, nil, "one"},
		"the line is of another package": {"kpt:{\"package\":\"web/a\",\"workspaceName\":\"one\"}", nil, nil, ""},
		"the line is none":               {"kpt:{", []string{"two"}, nil, "two"},
		"one draft was merged":           {"Merge", []string{"two"}, nil, "two"},
		"two drafts were merged":         {"Merge", []string{"two", "three"}, nil, ""},
		"nothing was merged":             {"Hotfix", nil, nil, ""},
		"it is in use":                   {line, nil, map[string]bool{"one": true}, ""},
	} {
		if got := workspaceFor("web", c.message, c.merged, c.used); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestPlaceOf(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]place{
		"refs/heads/drafts/web/one":       {path: "web", workspace: "one"},
		"refs/heads/drafts/eu/a/web/v1":   {path: "eu/a/web", workspace: "v1"},
		"refs/tags/web/v12":               {path: "web", number: 12},
		"refs/tags/eu/a/web/v1":           {path: "eu/a/web", number: 1},
		"refs/heads/drafts/web":           {},
		"refs/tags/v1":                    {},
		"refs/tags/web/v0":                {},
		"refs/tags/web/v01":               {},
		"refs/tags/web/1":                 {},
		"refs/tags/web/v1.2.3":            {},
		"refs/heads/main":                 {},
		"refs/heads/proposed/web/one":     {},
		"refs/heads/removals/web/inner/x": {},
	} {
		got, ok := placeOf(ref)
		if ok != (want != place{}) || ok && (got != want || got.ref() != ref) {
			t.Errorf("%s: %v", ref, got)
		}
	}
}

// TestAnnotations reads the lines that Porch v1.5 writes, and what we write.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	const porch = `Intermediate commit

kpt:{"package":"web","workspaceName":"one","task":{"type":"upgrade","upgrade":{"oldUpstreamRef":{"name":"a"},"newUpstreamRef":{"name":"b"},"localPackageRevisionRef":{"name":"c"},"strategy":"resource-merge"}}}
kpt:{"package":"old","revision":"v1"}
`
	all := annotationsOf(porch)
	if len(all) != 2 || all[1].Workspace != "v1" {
		t.Fatal(all)
	}
	upgrade := revision.Task{Type: revision.Upgrade, Source: "b", Base: "a", Local: "c"}
	wantEqual(t, upgrade, all[0].Task.known())
	for _, by := range []revision.Task{upgrade, {Type: revision.Clone, Source: "a"}, {Type: revision.Edit, Source: "a"}} {
		who := made{fleet: "fleet", variant: "default/web", tree: "3f1c"}
		message, err := messageOf("Draft web", who, annotation{Package: "web", Workspace: "one", Task: taskOf(by)})
		if err != nil {
			t.Fatal(err)
		}
		read := annotationsOf(message)
		if len(read) != 1 || read[0].Task.known() != by || madeBy(message) != who {
			t.Errorf("%v: %s", by, message)
		}
	}
}
