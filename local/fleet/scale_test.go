// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// cost is what a sync takes: the git processes that it starts, the objects that it has git read, and how often it
// allocates memory, which stands for its steps.
type cost struct{ processes, read, allocated int }

// reading writes what cat-file is asked for to a file.
const reading = `#!/bin/sh
case "$*" in *--batch-command*) tee -a "$READS" | "$GIT" "$@"; exit;; esac
exec "$GIT" "$@"
`

// sites returns a fleet in which each of n sites is a directory, and a Repository of its own, of one git repository. No
// directory has more than 30 of them, since git writes each directory anew in which something has changed.
func sites(t *testing.T, n int, policy string) *world {
	t.Helper()
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, "---\napiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: s%d, labels: {role: site}}\n"+
			"spec: {type: git, deployment: true, git: {repo: \"ADDRESS\", branch: main, directory: sites/%d/s%d}}\n", i, i/30, i)
	}
	w := newWorld(t, "# none\n")
	w.Push("main", "Begin", map[string]string{"fleet/sites.yaml": strings.ReplaceAll(all.String(), "ADDRESS", w.Remote.Address()),
		"fleet/web.yaml": `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: web}
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  targets:
  - objectSelector: {apiVersion: config.porch.kpt.dev/v1alpha1, kind: Repository, matchLabels: {role: site}}
    template: {downstream: {package: web}, approvalPolicy: ` + policy + `}
`})
	return w
}

// measure syncs, and returns what that takes.
func (w *world) measure() cost {
	w.Helper()
	w.People.Update()
	dir := w.TempDir()
	trace, reads := filepath.Join(dir, "trace"), filepath.Join(dir, "reads")
	program, err := exec.LookPath("git")
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(dir, "git"), []byte(reading), 0o700), os.WriteFile(reads, nil, 0o600))
	}
	if err != nil {
		w.Fatal(err)
	}
	path := os.Getenv("PATH")
	w.Setenv("GIT", program)
	w.Setenv("READS", reads)
	w.Setenv("PATH", dir+string(filepath.ListSeparator)+path)
	w.Setenv("GIT_TRACE2_EVENT", trace)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	report, err := Sync(w.Context(), w.options())
	runtime.ReadMemStats(&after)
	w.Setenv("GIT_TRACE2_EVENT", "")
	w.Setenv("PATH", path)
	if err != nil || len(report.Failures) > 0 {
		w.Fatal(err, report)
	}
	text, err := os.ReadFile(trace)
	asked, failed := os.ReadFile(reads)
	if err := errors.Join(err, failed); err != nil {
		w.Fatal(err)
	}
	c := cost{allocated: int(after.Mallocs - before.Mallocs), read: strings.Count(string(asked), "contents ")}
	for line := range strings.Lines(string(text)) {
		var event struct{ Event string }
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			w.Fatal(err)
		}
		if event.Event == "cmd_name" {
			c.processes++
		}
	}
	return c
}

// TestScale has ten times the sites take at most eleven times the steps and reads, and hardly more git processes: when a
// fleet begins, at rest, and when its blueprint changes. Drafts that wait for people are reviewed together.
func TestScale(t *testing.T) {
	for _, policy := range []string{"Manual", "Automatic"} {
		var of [2][]cost
		for i, n := range []int{50, 500} {
			w := sites(t, n, policy)
			w.by = &ReviewBy{}
			of[i] = append(of[i], w.measure(), w.measure())
			w.Push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": settings("large")},
				"HEAD:refs/tags/blueprints/web/v2")
			of[i] = append(of[i], w.measure(), w.measure())
		}
		for i, what := range []string{"begins", "rests", "changes", "rests again"} {
			few, many := of[0][i], of[1][i]
			if many.allocated > 11*few.allocated || many.read > 11*few.read || many.processes > few.processes+10 {
				t.Errorf("%s: it %s with %+v for 50 sites and %+v for 500", policy, what, few, many)
			}
		}
	}
}

// TestPublishedAtOnce has what a round publishes be one commit of the branch, which has the drafts that people could see
// in its history.
func TestPublishedAtOnce(t *testing.T) {
	t.Parallel()
	w := sites(t, 5, "Automatic")
	main := func() []string {
		return strings.Split(strings.TrimSpace(w.Remote.Git("log", "--first-parent", "--format=%s, %p", "--reverse", "main")), "\n")
	}
	before := len(main())
	w.Equal("what is published", 5, len(w.sync().Packages))
	published := main()
	w.Equal("commits", before+1, len(published))
	w.Equal("its subject", "Publish sites/0/s0/web v1, sites/0/s1/web v1, sites/0/s2/web v1 and 2 more",
		strings.Split(published[before], ", "+strings.Split(w.Remote.Git("rev-parse", "--short", "main~1"), "\n")[0])[0])
	w.idle()
	w.Push("main", "Version 2, with a look", map[string]string{"blueprints/web/settings.yaml": settings("large"),
		"fleet/web.yaml": strings.Replace(w.Remote.Git("show", "main:fleet/web.yaml"), "Automatic", "Manual", 1)},
		"HEAD:refs/tags/blueprints/web/v2")
	w.sync()
	drafts := w.Remote.Git("for-each-ref", "--format=%(objectname:short)", "refs/heads/drafts")
	w.Push("main", "No look", map[string]string{"fleet/web.yaml": strings.Replace(
		w.Remote.Git("show", "main:fleet/web.yaml"), "Manual", "Automatic", 1)})
	head := strings.TrimSpace(w.Remote.Git("rev-parse", "--short", "main"))
	w.sync()
	published = main()
	w.Equal("parents", "Publish sites/0/s0/web v2, sites/0/s1/web v2, sites/0/s2/web v2 and 2 more, "+head+" "+
		strings.Join(strings.Fields(drafts), " "), published[len(published)-1])
	w.Equal("refs", []string{"heads/package-variants", "tags/sites/0/s0/web/v1", "tags/sites/0/s0/web/v2"}, w.Refs()[:3])
	w.idle()
	for i, policy := range []string{"Manual", "Automatic"} { // drafts are made again, and published
		from := []string{"Automatic", "Manual"}[i]
		w.Push("main", fmt.Sprintf("Version %d", i+3), map[string]string{"blueprints/web/settings.yaml": settings(fmt.Sprint("size-", i)),
			"fleet/web.yaml": strings.Replace(w.Remote.Git("show", "main:fleet/web.yaml"), from, policy, 1)},
			fmt.Sprintf("HEAD:refs/tags/blueprints/web/v%d", i+3))
		w.sync()
	}
	published = main()
	w.Equal("made again", "Version 4", strings.Split(published[len(published)-2], ",")[0])
	w.idle()
}
