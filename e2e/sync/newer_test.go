// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/stack"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// plainKptfile returns a Kptfile without the differences that newer Porch causes: it loses comments and formatting, and
// adds a condition about the rendering. One of several documents is returned as it is.
func plainKptfile(text string) string {
	var k map[string]any
	if strings.Contains(text, "\n---") || yaml.Unmarshal([]byte(text), &k) != nil {
		return text
	}
	if status, _ := k["status"].(map[string]any); status != nil {
		conditions, _ := status["conditions"].([]any)
		conditions = slices.DeleteFunc(conditions, func(c any) bool {
			condition, _ := c.(map[string]any)
			return condition["type"] == "Rendered"
		})
		status["conditions"] = conditions
		if len(conditions) == 0 {
			delete(status, "conditions")
		}
		delete(status, "renderStatus")
		if len(status) == 0 {
			delete(k, "status")
		}
	}
	out, err := yaml.Marshal(k)
	if err != nil {
		return text
	}
	return string(out)
}

// lockedCommit matches the commit of an upstream in a Kptfile.
var lockedCommit = regexp.MustCompile(`(?m)^    commit: .*\n`)

// planAtRest is plan at a moment when Porch reads no Repository. Newer Porch reads them every few seconds in tests; new
// variants wait meanwhile, and the plan would say so. With the CR cache, a list may lack for a moment what Porch has: a
// plan that does not find an upstream has to say so each time.
func (w *world) planAtRest(args []string, objects []client.Object) *plan {
	w.t.Helper()
	p := w.plan(args, objects...)
	for try := 0; try < 5 && (w.stack.Foreign() && p.says("RepositoryNotReady") ||
		w.stack.Cache() == stack.CRCache && p.says("UpstreamNotFound")); try++ {
		time.Sleep(time.Second)
		p = w.plan(args, objects...)
	}
	return p
}

// says reports whether a variant will not be ready for a reason.
func (p *plan) says(reason string) bool {
	return slices.ContainsFunc(p.Variants, func(v plannedVariant) bool { return v.Condition.Reason == reason })
}

// synced returns once newer Porch has read a Repository again, by its own report. With the CR cache, what was pushed is
// not in the API even then.
func (w *world) synced(repository string) {
	w.t.Helper()
	began := time.Now()
	w.Eventually("Porch has read "+repository, func() error {
		var r unstructured.Unstructured
		r.SetAPIVersion("config.porch.kpt.dev/v1alpha1")
		r.SetKind("Repository")
		if err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: repository}, &r); err != nil {
			return err
		}
		text, _, _ := unstructured.NestedString(r.Object, "status", "lastFullSyncTime")
		if last, err := time.Parse(time.RFC3339, text); err != nil || !last.After(began) {
			return fmt.Errorf("it has last at %q", text)
		}
		return nil
	})
}

// refusesPushed fails the test unless a variant of a package that was pushed to a branch past newer Porch says that
// Porch makes nothing from it. With the CR cache Porch does not find it until it is restarted.
func (w *world) refusesPushed(name string) {
	w.t.Helper()
	if w.stack.Cache() == stack.CRCache {
		w.WaitReason(name, "UpstreamNotFound")
		return
	}
	w.stalledForBranch(name)
}

// stalledForBranch fails the test unless a variant says that newer Porch makes nothing from a branch, and what to do.
func (w *world) stalledForBranch(name string) {
	w.t.Helper()
	if message := w.message(name, "UpstreamIsPlaceholder"); !strings.Contains(message, "spec.upstream") {
		w.t.Errorf("message of %s: %q, want one that says what to do", name, message)
	}
	w.expectCondition(name, v1alpha1.ConditionStalled, "True", "UpstreamIsPlaceholder")
}
