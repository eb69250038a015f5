// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/revision"
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
// then writes nothing more, even after a restart. All stories together have seen each reason of the manual, except one
// that only the table of rules has, those of a home in git, and one of a controller that lacks a right.
func TestStories(t *testing.T) {
	t.Parallel()
	t.Cleanup(func() {
		memorytest.AllSeen(t, false, len(stories)*len(caches), v1alpha1.ReasonBranchMoved, v1alpha1.ReasonPushRefused,
			v1alpha1.ReasonRepositoryReplaced, v1alpha1.ReasonLeftToPeople, v1alpha1.ReasonPermissionMissing)
	})
	for name, story := range stories {
		for cache, git := range caches {
			t.Run(name+"/"+cache, func(t *testing.T) {
				t.Parallel()
				memorytest.Tell(begin(t, git), name, story)
			})
		}
	}
}

// Is implements memorytest.Player: what the variants report, and what is in the packages. Nothing that is due may have
// been left.
func (c *cluster) Is() map[string]string {
	c.T.Helper()
	c.expectDue()
	all := map[string]string{}
	for _, pv := range c.variants() {
		all[pv.Name] = strings.Join(statusOf(&pv), "\n  ")
	}
	for _, r := range c.Revisions() {
		if r.Package.Repo != "blueprints" {
			all[r.Name] = strings.Join(append([]string{fmt.Sprintf("%s, revision %d, owned by %v, labels %v", r.Lifecycle,
				r.Number, revision.Variants(r.Owners), r.Labels)}, shortly(c.FilesOf(r.Name))...), "\n  ")
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
	if status.SavedDraft != nil {
		add("saved by the controller: %s", status.SavedDraft.Name)
	}
	if op := status.Operation; op != nil {
		add("announced: %s %s %s, being saved %t", op.Do, op.Revision, op.Source, op.Save != nil)
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
			if lock := kpt.LockOf(files); lock != nil {
				line = "of " + lock.Ref
			}
		}
		lines = append(lines, name+" "+line)
	}
	return lines
}
