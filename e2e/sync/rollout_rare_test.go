// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// flight counts, at the API server, how many targets have got a revision and are not ready with it.
type flight struct {
	w    *world
	mu   sync.Mutex
	most int
	seen []string
}

// look counts after a variant's spec is written, including that variant.
func (f *flight) look(r proxy.Request, phase proxy.Phase) *metav1.Status {
	if phase != proxy.After || r.Resource != "packagevariants" || r.Subresource != "" ||
		!slices.Contains([]string{"create", "patch"}, r.Verb) {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var list v1alpha1.PackageVariantList
	if err := f.w.Client.List(f.w.t.Context(), &list, client.InNamespace(f.w.Namespace)); err != nil {
		return &metav1.Status{Code: http.StatusServiceUnavailable, Reason: metav1.StatusReasonServiceUnavailable}
	}
	moving := []string{}
	for i := range list.Items {
		pv := &list.Items[i]
		s := &pv.Status
		number, _ := pv.Spec.Upstream.Revision.Number()
		done := s.ObservedGeneration == pv.Generation && s.Upstream != nil && s.Upstream.Revision == number &&
			meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionReady)
		if !done {
			moving = append(moving, pv.Spec.Downstream.Repo)
		}
	}
	if len(moving) > f.most {
		f.most, f.seen = len(moving), moving
	}
	return nil
}

// TestRolloutKilled kills the controller during two rollouts, sometimes with two running at once: there are never more
// targets in flight than the wave allows.
func TestRolloutKilled(t *testing.T) {
	rare(t)
	w, git := newWorldBehind(t)
	w.mayApprove()
	for i := range 6 {
		w.site(fmt.Sprintf("site-%d", i), "sites")
	}
	w.Publish("blueprints", "web", "v1", simple())
	k := newKiller(w, git, 3)
	f := &flight{w: w}
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if status := f.look(r, phase); status != nil {
			return status
		}
		return k.hook(r, phase)
	})
	set := newSet(t, rolloutSet+"    waves: [{name: sites, selector: {matchLabels: {wave: sites}}, maxConcurrent: 2, until: Ready}]\n")
	set.Spec.Targets[0].Template.ApprovalPolicy = nil
	w.Apply(set)
	w.Eventually("the controller is killed some times", func() error {
		if n := k.killed.Load(); n < 4 {
			return fmt.Errorf("it was killed %d times", n)
		}
		return nil
	})
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.waitRollout("Complete", "VariantsReady", "sites Complete 6/6/6/0")
	k.spare()
	w.expectOn(map[string]string{"site-0": "2", "site-1": "2", "site-2": "2", "site-3": "2", "site-4": "2", "site-5": "2"})
	t.Logf("killed %d times; at most %d in flight: %v", k.killed.Load(), f.most, f.seen)
	if f.most > 2 {
		t.Errorf("%d targets were in flight: %v", f.most, f.seen)
	}
}
