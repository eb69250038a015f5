// SPDX-License-Identifier: Apache-2.0

package review

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// TestApproveWave checks what is written to approve a wave, and when nothing is written.
func TestApproveWave(t *testing.T) {
	t.Parallel()
	now := metav1.Now()
	for name, c := range map[string]struct {
		wave string
		edit func(*v1alpha2.PackageVariantSet, *v1alpha2.WaveStatus)
		want string // the annotation: what is told, or an error
	}{
		"a wave": {"canary", nil, "canary@blueprints.web.v2: the wave canary of fleet for blueprints.web.v2"},
		"beside others": {"canary", func(set *v1alpha2.PackageVariantSet, _ *v1alpha2.WaveStatus) {
			set.Annotations = map[string]string{v1alpha2.ApproveWaveAnnotation: "canary@v1, sites@v1"}
		}, "canary@v1, sites@v1,canary@blueprints.web.v2: the wave canary of fleet for blueprints.web.v2"},
		"with a suspended target": {"canary", func(_ *v1alpha2.PackageVariantSet, w *v1alpha2.WaveStatus) { w.Updated, w.Suspended = 1, 1 },
			"canary@blueprints.web.v2: the wave canary of fleet for blueprints.web.v2"},
		"approved already": {"canary", func(_ *v1alpha2.PackageVariantSet, w *v1alpha2.WaveStatus) { w.ApprovedAt = &now },
			": the wave canary of fleet is approved already for blueprints.web.v2"},
		"approved, and not seen": {"canary", func(set *v1alpha2.PackageVariantSet, _ *v1alpha2.WaveStatus) {
			set.Annotations = map[string]string{v1alpha2.ApproveWaveAnnotation: "sites@v1, canary@blueprints.web.v2"}
		}, ": the wave canary of fleet is approved already for blueprints.web.v2"},
		"one that needs none": {"rest", nil, ": the wave rest of fleet needs no approval of its own"},
		"not open": {"canary", func(_ *v1alpha2.PackageVariantSet, w *v1alpha2.WaveStatus) {
			w.State, w.Message = v1alpha2.WavePending, "waits for the wave first"
		}, "the wave canary of fleet is not open: waits for the wave first"},
		"open in parts": {"canary", func(_ *v1alpha2.PackageVariantSet, w *v1alpha2.WaveStatus) { w.Updated = 1 },
			": : the wave canary of fleet is not approved: it is opened for 1 of 2 targets, and for others when these are done; " +
				"approve it when you can see all of its packages"},
		"another generation": {"canary", func(set *v1alpha2.PackageVariantSet, _ *v1alpha2.WaveStatus) { set.Generation = 2 },
			"the wave canary of fleet is not known yet, for the controller has not looked at generation 2 of the set: wait, or see " +
				"whether it runs"},
	} {
		set := rolledOut()
		if c.edit != nil {
			c.edit(set, &set.Status.Rollout.Waves[0])
		}
		wave, err := ApproveWave(set, c.wave)
		got := wave.Value + ": " + wave.Told
		if err != nil {
			got = err.Error()
		}
		if wave.Early != nil {
			got += ": " + wave.Early.Error()
		}
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

// TestAnnotate approves a wave of a set that changed after it was shown.
func TestAnnotate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change      func(*v1alpha2.PackageVariantSet)
		value, want string // the annotation, and what is told, or an error
	}{
		"nobody else": {nil, "canary@blueprints.web.v2", "approved\n"},
		"the controller counts": {func(set *v1alpha2.PackageVariantSet) { set.Status.Rollout.Waves[0].Reached = 1 },
			"canary@blueprints.web.v2", "approved\n"},
		"somebody approves another wave": {func(set *v1alpha2.PackageVariantSet) {
			set.Annotations = map[string]string{v1alpha2.ApproveWaveAnnotation: "sites@v1"}
		}, "sites@v1,canary@blueprints.web.v2", "approved\n"},
		"somebody approves the same": {func(set *v1alpha2.PackageVariantSet) {
			set.Annotations = map[string]string{v1alpha2.ApproveWaveAnnotation: "canary@blueprints.web.v2"}
		}, "canary@blueprints.web.v2", "approved\n"},
		"another revision": {func(set *v1alpha2.PackageVariantSet) { set.Status.Rollout.Revision.Name = "blueprints.web.v3" },
			"", "the wave canary of fleet is not approved, for the set has changed since it was shown: look at it again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			types, err := scheme.New()
			if err != nil {
				t.Fatal(err)
			}
			key := client.ObjectKey{Namespace: "n", Name: "fleet"}
			cluster := fake.NewClientBuilder().WithScheme(types).WithObjects(rolledOut()).Build()
			var shown v1alpha2.PackageVariantSet
			if err := cluster.Get(t.Context(), key, &shown); err != nil {
				t.Fatal(err)
			}
			if c.change != nil {
				other := shown.DeepCopy()
				c.change(other)
				if err := cluster.Update(t.Context(), other); err != nil {
					t.Fatal(err)
				}
			}
			streams, _, out, _ := genericiooptions.NewTestIOStreams()
			err = annotate(t.Context(), cli.New(streams), &live.Cluster{Client: cluster, Namespace: "n"}, &shown, "canary",
				Wave{Value: "canary@blueprints.web.v2"})
			got := strings.TrimLeft(out.String(), " ")
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if err := cluster.Get(t.Context(), key, &shown); err != nil {
				t.Fatal(err)
			}
			if value := shown.Annotations[v1alpha2.ApproveWaveAnnotation]; value != c.value {
				t.Errorf("the annotation is %q, want %q", value, c.value)
			}
		})
	}
}

// rolledOut is a set whose wave canary waits for approval.
func rolledOut() *v1alpha2.PackageVariantSet {
	set := &v1alpha2.PackageVariantSet{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "fleet", Generation: 1}}
	set.Spec.Rollout = &v1alpha2.Rollout{Waves: []v1alpha2.Wave{{Name: "canary", After: &v1alpha2.WaveAfter{Approval: true}}}}
	set.Status.ObservedGeneration = 1
	set.Status.Rollout = &v1alpha2.RolloutStatus{Revision: v1alpha2.RolloutRevision{Name: "blueprints.web.v2", Revision: 2},
		Waves: []v1alpha2.WaveStatus{{Name: "canary", State: v1alpha2.WaveProgressing, Targets: 2, Updated: 2}, {Name: "rest"}}}
	return set
}
