// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"
)

// TestProblems has manifests that an API server would refuse: what they are about stays as it is, everything else goes
// on, and what is put right goes on, too.
func TestProblems(t *testing.T) {
	t.Parallel()
	onRegions := "---\napiVersion: example.com/v1\nkind: Region\nmetadata: {name: north, labels: {tier: edge}}\n---" +
		strings.NewReplacer("config.porch.kpt.dev/v1alpha1, kind: Repository", "example.com/v1, kind: Region", "package: web}}",
			"repo: edge, package: web}}").Replace(webSet)
	repository := strings.ReplaceAll(repositories, "labels: {tier: edge}", "labels: {tier: 1}")
	const refused = "web.yaml, line 2: "
	for name, c := range map[string]struct {
		manifests string
		file      string
		broken    string
		failures  []string
	}{
		"of a variant": {web + another("other"), "web.yaml", strings.Replace(web, "metadata: {", "metadata: {labels: {a: 1}, ", 1) +
			another("other"), []string{refused + "PackageVariant web: metadata.labels[a]: YAML takes it for 1, which is no string: put it in quotes"}},
		"of a set": {webSet + another("other"), "web.yaml", strings.Replace(webSet, "targets:", "tragets:", 1) + another("other"),
			[]string{refused + `PackageVariantSet webs: unknown field "spec.tragets": did you mean "targets"?`}},
		"of what is selected": {onRegions + another("other"), "web.yaml", strings.Replace(onRegions, "tier: edge", "tier: 1", 1) +
			another("other"), []string{
			"web.yaml, line 2: Region north: metadata.labels[tier]: YAML takes it for 1, which is no string: put it in quotes",
			"PackageVariantSet default/webs: web.yaml, line 2: Region north: metadata.labels[tier]: YAML takes it for 1, which is no " +
				"string: put it in quotes"}},
		"of a Repository": {webSet, "repositories.yaml", repository, []string{
			"repositories.yaml, line 7: Repository edge: metadata.labels[tier]: YAML takes it for 1, which is no string: put it in quotes",
			"PackageVariant default/webs-edge-web-akg5t4nb51: Repository edge: repositories.yaml", "PackageVariantSet default/webs: "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.manifests)
			w.sync()
			w.Merge(strings.TrimPrefix(draft1, "heads/"))
			w.sync()
			good := w.Remote.Git("show", "main:fleet/"+c.file)
			w.Push("main", "Break", map[string]string{"blueprints/web/settings.yaml": settings("large"),
				"fleet/" + c.file: strings.ReplaceAll(c.broken, "ADDRESS", w.Remote.Address())}, "HEAD:refs/tags/blueprints/web/v2")
			report := w.sync()
			for i, want := range c.failures {
				if i >= len(report.Failures) || !strings.HasPrefix(report.Failures[i], want) {
					t.Errorf("failure %d: want %s, got %q", i, want, report.Failures)
				}
			}
			said := strings.Join(happened(report), "; ")
			w.Equal("removed", false, strings.Contains(said, "removed"))
			w.Equal("all of a git repository is read", c.file != "repositories.yaml", len(report.Repositories) > 0)
			w.Equal("others", strings.Contains(c.manifests, "name: other"), strings.Contains(said, "edge/other: "))
			w.idle()
			w.Push("main", "Mend", map[string]string{"fleet/" + c.file: good})
			w.Equal("mended", []string(nil), w.sync().Failures)
			w.Equal("upgraded", true, strings.Contains(strings.Join(w.Refs(), " "), draft2))
			w.idle()
		})
	}
}

// TestDirectoryOfNoBranch has a Repository whose directory no branch can have in its name: the drafts of the others in
// the same git repository are made.
func TestDirectoryOfNoBranch(t *testing.T) {
	t.Parallel()
	bad := strings.NewReplacer("name: edge,", "name: bad,", "directory: edge", "directory: my sites").Replace(
		repositories[strings.LastIndex(repositories, "---"):])
	w := newWorld(t, webSet)
	w.Push("main", "Add", map[string]string{"fleet/bad.yaml": strings.ReplaceAll(bad, "ADDRESS", w.Remote.Address())})
	report := w.sync()
	const why = `bad.yaml, line 2: Repository bad: spec.git.directory: it is "my sites", which git takes for no part of the ` +
		`name of a branch: rename it`
	w.Equal("failures", why, report.Failures[0])
	w.Equal("a plan fails", why, w.plan(w.options()).Errors()[0])
	w.Equal("refs", []string{draft1, "heads/package-variants"}, w.Refs())
	w.idle()
}
