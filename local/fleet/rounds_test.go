// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"
)

// TestThirdVersion has two versions of the blueprint come before anybody looks at the draft of an upgrade.
func TestThirdVersion(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	w.secondVersion()
	w.sync()
	w.Push("main", "Version 3", map[string]string{"blueprints/web/settings.yaml": settings("huge")},
		"HEAD:refs/tags/blueprints/web/v3")
	report := w.sync()
	w.Equal("happened", []string{"edge/web: packagevariant-2 changed"}, happened(report))
	w.Equal("notes", []string(nil), report.Notes)
	w.idle()
}

// frozen has the server take no tags below a directory.
func (w *world) frozen(directory string) {
	w.Helper()
	w.Remote.Hook("update", `case $1 in refs/tags/`+directory+`/*) echo "it is frozen"; exit 1;; esac`)
}

// refusing syncs while the server refuses something, which no plan foresees.
func (w *world) refusing() *Report {
	w.Helper()
	report, err := Sync(w.Context(), w.options())
	if err != nil {
		w.Fatal(err)
	}
	return report
}

// TestRefusedCanary has a server refuse the publication of a canary: the next wave stays closed, and what the set says
// is what the server has.
func TestRefusedCanary(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webSet+`    template: {downstream: {package: web}, approvalPolicy: Automatic}
  rollout: {waves: [{name: canary, selector: {matchLabels: {wave: canary}}}]}
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {name: canary, labels: {tier: edge, wave: canary}}
spec: {type: git, deployment: true, git: {repo: "ADDRESS", branch: main, directory: canary}}
`)
	text := strings.ReplaceAll(w.Remote.Git("show", "main:fleet/web.yaml"), "ADDRESS", w.Remote.Address())
	text = strings.Replace(text, "    template: {downstream: {package: web}}\n", "", 1)
	w.Push("main", "Address", map[string]string{"fleet/web.yaml": text})
	w.sync()
	w.frozen("canary")
	w.secondVersion()
	want := []string{"heads/drafts/canary/web/packagevariant-2", "heads/package-variants", "tags/canary/web/v1", "tags/edge/web/v1"}
	report := w.refusing()
	w.Equal("refs", want, w.Refs())
	w.Equal("set", "RolloutProgressing", report.Sets[0].Reason)
	w.refusing()
	w.Equal("at rest", want, w.Refs())
	w.Remote.Hook("update", "exit 0")
	w.refusing()
	w.Equal("both", true, strings.Contains(strings.Join(w.Refs(), " "), "tags/canary/web/v2 tags/edge/web/v1 tags/edge/web/v2"))
}

// TestRefusedDependency has a server refuse the publication of a variant on which another one depends: that waits.
func TestRefusedDependency(t *testing.T) {
	t.Parallel()
	const automatic = "  approvalPolicy: Automatic\n"
	w := newWorld(t, web+automatic+another("after")+automatic+"  dependsOn: [{name: web, minRevision: 2}]\n")
	w.sync()
	w.frozen("edge/web")
	w.secondVersion()
	w.Equal("it waits", "after: DependencyNotReady", lines(w.refusing())[0])
	w.Equal("refs", []string{draft2, "heads/package-variants", "tags/edge/web/v1"}, w.Refs())
	w.Remote.Hook("update", "exit 0")
	w.Equal("both", []string{"after: UpToDate v1", "web: UpToDate v2"}, lines(w.refusing()))
	w.idle()
}

// TestRefusedInSet has a server refuse a publication of one of a set's variants: the set says so, and at rest nothing is
// written.
func TestRefusedInSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webSet)
	w.sync()
	w.frozen("edge")
	w.mergeAll()
	report := w.refusing()
	w.Equal("set", "VariantsNotReady", report.Sets[0].Reason)
	before := w.Remote.Refs()
	w.Equal("again", report.Sets, w.refusing().Sets)
	w.Equal("at rest", before, w.Remote.Refs())
}
