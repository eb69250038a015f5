// SPDX-License-Identifier: Apache-2.0

package review

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Wave is the approval of a wave of a rollout, in addition to that of its drafts.
type Wave struct {
	// Value is the new value of the annotation v1alpha2.ApproveWaveAnnotation; "" to leave it unchanged.
	Value string
	// Told says what is approved, or why there is nothing to approve.
	Told string
	// Early is why the wave cannot be approved yet although its drafts can; nil if it can, or needs no approval.
	Early error
}

// ApproveWave returns what to write into a set to approve one of its waves for the revision that is rolled out. It
// fails if the wave must not be approved now.
func ApproveWave(set *v1alpha2.PackageVariantSet, name string) (Wave, error) {
	status := set.Status.Rollout
	w := waveOf(status, name)
	if w == nil || set.Status.ObservedGeneration < set.Generation {
		return Wave{}, fmt.Errorf("the wave %s of %s is not known yet, for the controller has not looked at generation %d "+
			"of the set: wait, or see whether it runs", name, set.Name, set.Generation)
	}
	of := fmt.Sprintf("the wave %s of %s", name, set.Name)
	entry := name + "@" + status.Revision.Name
	before := set.Annotations[v1alpha2.ApproveWaveAnnotation]
	switch {
	case !asksForApproval(set, name):
		return Wave{Told: of + " needs no approval of its own"}, nil
	case w.ApprovedAt != nil, has(before, entry):
		return Wave{Told: of + " is approved already for " + status.Revision.Name}, nil
	case w.State == v1alpha2.WavePending:
		return Wave{}, fmt.Errorf("%s is not open: %s", of, w.Message)
	case w.Updated+w.Suspended < w.Targets:
		return Wave{Early: fmt.Errorf("%s is not approved: it is opened for %d of %d targets, and for others when these are "+
			"done; approve it when you can see all of its packages", of, w.Updated, w.Targets)}, nil
	}
	value := entry
	if before != "" {
		value = before + "," + entry
	}
	return Wave{Value: value, Told: of + " for " + status.Revision.Name}, nil
}

// annotate approves a wave for the generation and revision of the set that were shown. Other changes of the set do not
// prevent that, such as the controller counting what is published.
func annotate(ctx context.Context, env *cli.Env, c *live.Cluster, shown *v1alpha2.PackageVariantSet, name string,
	wave Wave) error {
	set := shown.DeepCopy()
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		before := set.DeepCopy()
		metav1.SetMetaDataAnnotation(&set.ObjectMeta, v1alpha2.ApproveWaveAnnotation, wave.Value)
		err := c.Client.Patch(ctx, set, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
		if !apierrors.IsConflict(err) {
			return err
		}
		set = &v1alpha2.PackageVariantSet{}
		if err := c.Client.Get(ctx, client.ObjectKeyFromObject(shown), set); err != nil {
			return err
		}
		if isAnother(set, shown) {
			return fmt.Errorf("the wave %s of %s is not approved, for the set has changed since it was shown: look at it again",
				name, shown.Name)
		}
		again, judged := ApproveWave(set, name)
		if judged != nil {
			return judged
		}
		wave.Value = cmp.Or(again.Value, set.Annotations[v1alpha2.ApproveWaveAnnotation])
		return err
	})
	if err != nil {
		return live.Explain(err, live.Call{Verb: "patch", Kind: live.Set, Namespace: c.Namespace})
	}
	fmt.Fprintln(env.Out, krm.Visible(wave.Told)+" approved")
	return nil
}

// isAnother reports whether the spec of a set, or the revision that it rolls out, differs from what was shown.
func isAnother(set, shown *v1alpha2.PackageVariantSet) bool {
	return set.UID != shown.UID || set.Generation != shown.Generation || set.Status.Rollout == nil ||
		set.Status.Rollout.Revision.Name != shown.Status.Rollout.Revision.Name
}

func waveOf(status *v1alpha2.RolloutStatus, name string) *v1alpha2.WaveStatus {
	if status == nil {
		return nil
	}
	for i := range status.Waves {
		if status.Waves[i].Name == name {
			return &status.Waves[i]
		}
	}
	return nil
}

// asksForApproval reports whether the spec makes a wave wait for a person. The last wave, for all remaining targets, is
// not in the spec.
func asksForApproval(set *v1alpha2.PackageVariantSet, name string) bool {
	for _, w := range set.Spec.Rollout.Waves {
		if w.Name == name {
			return w.After != nil && w.After.Approval
		}
	}
	return false
}

// has reports whether a comma-separated list has an entry.
func has(list, entry string) bool {
	for part := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(part) == entry {
			return true
		}
	}
	return false
}
