// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/porch/predict"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// caches are the kinds of Porch's cache.
var caches = map[string]bool{"git": true, "PostgreSQL": false}

// begin returns a cluster at the start of a story.
func begin(t *testing.T, git bool) *cluster {
	t.Helper()
	c := newCluster(t, git)
	c.repositories("blueprints", "edge")
	c.blueprint(1, files("red"))
	return c
}

// TestStories checks what the controller writes, reports and makes of packages after each act of a story, and that it
// then writes nothing more, even after a restart.
func TestStories(t *testing.T) {
	t.Parallel()
	for name, story := range stories {
		for cache, git := range caches {
			t.Run(name+"/"+cache, func(t *testing.T) {
				t.Parallel()
				c := begin(t, git)
				var told strings.Builder
				for _, a := range story {
					a.do(c)
					c.Writes()
					c.run()
					_, _ = fmt.Fprintf(&told, "## %s\n%s\n", a.what, c.tell())
					c.isSilent(a.what)
				}
				golden(t, filepath.Join("testdata", "stories", strings.ReplaceAll(name, " ", "-")+".txt"), told.String())
			})
		}
	}
}

// isSilent checks that nothing more is written, even after a restart, unless the controller has to find out again that
// something fails.
func (c *cluster) isSilent(after string) {
	c.t.Helper()
	fails := slices.ContainsFunc(slices.Collect(maps.Values(c.errs)), func(err error) bool { return err != nil })
	if c.run(); !fails {
		c.start()
		c.run()
	}
	if writes := c.Writes(); len(writes) > 0 {
		c.t.Errorf("%s: at rest, the controller writes %v", after, writes)
	}
}

// golden compares a text with the file at path, which is written in its place where the environment has UPDATE_GOLDEN.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("not what %s says (-want +got):\n%s", path, diff)
	}
}

// tell returns what was written and recorded since the last call of tell, and what has changed since then.
func (c *cluster) tell() string {
	var lines []string
	for _, w := range c.Writes() {
		lines = append(lines, strings.TrimSuffix(w.Verb+" "+w.Resource+"/"+w.Subresource, "/")+" "+w.Name)
	}
	lines, c.events = append(lines, c.events...), nil
	all := c.is()
	for _, name := range slices.Sorted(maps.Keys(c.told)) {
		if _, there := all[name]; !there {
			lines = append(lines, name+" is gone")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if c.told[name] != all[name] {
			lines = append(lines, name+": "+all[name])
		}
	}
	c.told = all
	return strings.Join(lines, "\n") + "\n"
}

// is returns the state: what the variants report, and what is in the packages, by name.
func (c *cluster) is() map[string]string {
	c.t.Helper()
	all := map[string]string{}
	for _, pv := range c.variants() {
		all[pv.Name] = strings.Join(statusOf(&pv), "\n  ")
	}
	var revisions porchapi.PackageRevisionList
	c.must(c.List(c.t.Context(), &revisions))
	for i := range revisions.Items {
		if pr := &revisions.Items[i]; pr.Spec.RepositoryName != "blueprints" {
			all[pr.Name] = strings.Join(append([]string{fmt.Sprintf("%s, revision %d, owned by %v, labels %v", pr.Spec.Lifecycle,
				pr.Spec.Revision, revision.Variants(pr), pr.Labels)}, shortly(c.filesOf(pr.Name))...), "\n  ")
		}
	}
	return all
}

// statusOf returns what a variant reports: its conditions, except those that say that all is well, and what else a user
// reads, or the controller remembers.
func statusOf(pv *v1alpha1.PackageVariant) []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	conditions := slices.SortedFunc(slices.Values(pv.Status.Conditions), func(a, b metav1.Condition) int {
		return strings.Compare(a.Type, b.Type)
	})
	for _, condition := range conditions {
		if condition.Reason != v1alpha1.ReasonValid {
			add("%s %s %s: %s", condition.Type, condition.Status, condition.Reason, condition.Message)
		}
	}
	status := &pv.Status
	if status.Upstream != nil {
		add("upstream %s, revision %d", status.Upstream.Name, status.Upstream.Revision)
	}
	if status.Downstream != nil {
		add("downstream %s, revision %d", status.Downstream.Name, status.Downstream.Revision)
	}
	if status.OpenDraft != nil {
		add("open draft %s: %s", status.OpenDraft.Name, status.OpenDraft.Reason)
	}
	for _, conflict := range status.Conflicts {
		add("conflict in %s, %s: %s, %s, %s, taken %s", conflict.File, conflict.Field, conflict.Original, conflict.Local,
			conflict.Updated, conflict.Taken)
	}
	add("owns %v", status.OwnedRevisions)
	if status.RetiredRevisions != nil {
		add("retired %v", status.RetiredRevisions)
	}
	if status.SavedDraft != nil {
		add("saved by the controller: %s", status.SavedDraft.Name)
	}
	if status.LastApproval != nil {
		add("approved %s", status.LastApproval.Revision)
	}
	if d := status.RequestedDraft; d != nil {
		add("asked for %s of %s as %s", d.Task, d.Source, d.WorkspaceName)
	}
	if status.SavingDraft != nil {
		add("being saved: %s", status.SavingDraft.Name)
	}
	add("settled %t", status.ObservedInputs != "")
	return lines
}

// shortly returns a summary of files: the data of ConfigMaps, the upstream and pipeline of a Kptfile, and other files'
// text.
func shortly(files map[string]string) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var object struct {
			metav1.TypeMeta `json:",inline"`
			Data            map[string]string `json:"data"`
		}
		line := fmt.Sprintf("%q", files[name])
		if yaml.Unmarshal([]byte(files[name]), &object) == nil && object.Kind == "ConfigMap" {
			line = fmt.Sprint(object.Data)
		} else if name == "Kptfile" {
			line = "without an upstream"
			if lock := predict.LockOf(files); lock != nil {
				line = "of " + lock.Ref
			}
		}
		lines = append(lines, name+" "+line)
	}
	return lines
}
