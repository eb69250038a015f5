// SPDX-License-Identifier: Apache-2.0

package review

import (
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha2"
)

// Wave is the approval of a wave of a rollout, beside that of its drafts.
type Wave struct {
	// Value is the annotation v1alpha2.ApproveWaveAnnotation as it is to be; "" if it is to stay as it is.
	Value string
	// Told says what is approved, or why there is nothing to approve.
	Told string
	// Early is why the wave cannot be approved yet, though drafts of it can; nil if it can, or need not be.
	Early error
}

// ApproveWave returns what is to be written into a set to approve one of its waves, for the revision that is rolled
// out. An error says why it must not be approved now.
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

// asksForApproval reports whether the spec has a wave wait for a person. The last wave, of all others, is not in it.
func asksForApproval(set *v1alpha2.PackageVariantSet, name string) bool {
	for _, w := range set.Spec.Rollout.Waves {
		if w.Name == name {
			return w.After != nil && w.After.Approval
		}
	}
	return false
}

// has reports whether an entry is in a list that is separated by commas.
func has(list, entry string) bool {
	for part := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(part) == entry {
			return true
		}
	}
	return false
}
