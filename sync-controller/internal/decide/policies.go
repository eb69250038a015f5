// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/conditions"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
)

func specInvalid(in *Input) *conditions.Verdict {
	if err := in.Spec.Validate(); err != nil {
		return &conditions.Verdict{Stalled: true, Reason: ReasonInvalidSpec, Message: strings.ReplaceAll(err.Error(), "\n", "; ")}
	}
	return nil
}

func upstreamMissing(in *Input) *conditions.Verdict {
	if in.Upstream != nil {
		return nil
	}
	u := in.Spec.Upstream
	message := "there is no " + UpstreamName(u) + ": publish it, or correct spec.upstream"
	if _, registered := in.Repositories[u.Repo]; !registered {
		message = fmt.Sprintf("there is no Repository %q in this namespace: register it, or correct spec.upstream.repo", u.Repo)
	}
	return &conditions.Verdict{Stalled: true, Reason: ReasonUpstreamNotFound, Message: message}
}

func upstreamUnpublished(in *Input) *conditions.Verdict {
	if in.Upstream.Published() {
		return nil
	}
	return &conditions.Verdict{Stalled: true, Reason: ReasonUpstreamNotPublished, Message: fmt.Sprintf(
		"the upstream %s is a %s, which may still change: publish it, or name a published revision in spec.upstream", in.Upstream.Name, in.Upstream.Lifecycle)}
}

func downstreamClaimed(in *Input) *conditions.Verdict {
	if in.Rival == "" {
		return nil
	}
	return &conditions.Verdict{Reason: ReasonDownstreamClaimed, Message: fmt.Sprintf(
		"the package %s belongs to the PackageVariant %q: name another in spec.downstream, or delete that variant", revision.DownstreamOf(in.Spec), in.Rival)}
}

// downstreamForeign leaves a package alone that is there already and that the variant may not adopt. What is proposed
// for deletion does not count: it is what a variant of the same name leaves behind.
func downstreamForeign(in *Input) *conditions.Verdict {
	if in.Spec.AdoptionPolicy == variant.AdoptionPolicyAdoptExisting || len(Targets(in)) > 0 {
		return nil
	}
	for i := range in.Revisions {
		r := &in.Revisions[i]
		if r.Main() || r.Lifecycle == porchapi.PackageRevisionLifecycleDeletionProposed {
			continue
		}
		return &conditions.Verdict{Reason: ReasonDownstreamExists, Message: fmt.Sprintf(
			"the package %s exists (%s is %s) and is not this variant's: set spec.adoptionPolicy to adoptExisting, or name another package in spec.downstream",
			revision.DownstreamOf(in.Spec), r.Name, r.Lifecycle)}
	}
	return nil
}

func repositoryUnusable(in *Input) *conditions.Verdict {
	for _, ref := range []struct{ name, field string }{{in.Spec.Downstream.Repo, "spec.downstream.repo"}, {in.Spec.Upstream.Repo, "spec.upstream.repo"}} {
		repository, registered := in.Repositories[ref.name]
		if !registered {
			return &conditions.Verdict{Reason: ReasonRepositoryNotFound, Message: fmt.Sprintf(
				"there is no Repository %q in this namespace: register it, or correct %s", ref.name, ref.field)}
		}
		if !repository.Ready {
			return &conditions.Verdict{Reason: ReasonRepositoryNotReady, Message: fmt.Sprintf(
				"the Repository %q is not ready: %s", ref.name, repository.Message)}
		}
	}
	return nil
}

// deletionProposed takes back a proposal to delete the downstream: the variant wants it.
func deletionProposed(_ *Input, target *revision.Revision) *Decision {
	if target.Lifecycle != porchapi.PackageRevisionLifecycleDeletionProposed {
		return nil
	}
	return &Decision{State: MutationsChanged, Action: Keep, Verdict: pending("the proposal to delete " + target.Name + " is to be taken back")}
}

// notOwned adopts a draft, and takes back what another UID of the variant owned and what Porch lost the owner of. Other
// revisions are not touched by an adoption.
func notOwned(in *Input, target *revision.Revision) *Decision {
	owned, current := target.Of(in.Owner)
	if current || !owned && !lost(in, target) && target.Lifecycle != porchapi.PackageRevisionLifecycleDraft {
		return nil
	}
	return &Decision{State: MutationsChanged, Action: Own, Verdict: pending(target.Name + " is to become this variant's")}
}

func lockMissing(_ *Input, target *revision.Revision) *Decision {
	if target.Lock != nil {
		return nil
	}
	return &Decision{State: UpstreamChanged, Verdict: conditions.Verdict{Reason: ReasonUpstreamLockMissing, Message: fmt.Sprintf(
		"%s does not say what it was derived from: its Kptfile has no upstreamLock of a git repository; restore the upstream and upstreamLock fields there, or delete the package to have it cloned anew", target.Name)}}
}

// draftNotMutated keeps an open draft in step whatever upstream it is on.
func draftNotMutated(in *Input, target *revision.Revision) *Decision {
	m := in.Mutations[target.Name]
	if len(m.Changed) == 0 || target.Lifecycle != porchapi.PackageRevisionLifecycleDraft {
		return nil
	}
	return &Decision{State: MutationsChanged, Action: Save, Verdict: pending(target.Name + " is to be changed: " + strings.Join(m.Changed, ", "))}
}

func upstreamChanged(in *Input, target *revision.Revision) *Decision {
	if OnUpstream(in, target) {
		return nil
	}
	d := &Decision{State: UpstreamChanged}
	switch {
	case target.Lifecycle == porchapi.PackageRevisionLifecycleProposed:
		d.Verdict = proposed(target, "be upgraded to "+in.Upstream.Name, "publish it, and an upgrade follows, or delete it")
	case !target.Published():
		// Porch upgrades published revisions only; merging the upstream into the draft in place has its place here.
		d.Verdict = conditions.Verdict{Reason: ReasonDraftOnOlderUpstream, Message: fmt.Sprintf(
			"the draft %s is open on another upstream revision (%s) than the one asked for (%s), and Porch upgrades published packages only: publish the draft, and an upgrade follows, or delete it",
			target.Name, target.Lock.Ref, in.Upstream.Name)}
	default:
		d.Base = Base(in, target)
		if d.Base == nil {
			d.Verdict = conditions.Verdict{Reason: ReasonBaseNotFound, Message: fmt.Sprintf(
				"%s was derived from %s at %s, of which no published package revision is known: without it Porch cannot upgrade to %s; register the Repository that has it, or delete the package to have it cloned anew",
				target.Name, target.Lock.Ref, target.Lock.Commit, in.Upstream.Name)}
			break
		}
		d.Action, d.Verdict = Upgrade, pending(fmt.Sprintf("%s is to be upgraded from %s to %s", target.Name, d.Base.Name, in.Upstream.Name))
	}
	return d
}

func mutationsChanged(in *Input, target *revision.Revision) *Decision {
	m := in.Mutations[target.Name]
	if len(m.Changed) == 0 {
		return nil
	}
	if target.Lifecycle == porchapi.PackageRevisionLifecycleProposed {
		return &Decision{State: MutationsChanged, Verdict: proposed(target, "be changed ("+strings.Join(m.Changed, ", ")+")",
			"reject it, and it is changed, or publish it, and a new draft follows")}
	}
	return &Decision{State: MutationsChanged, Action: Edit, Verdict: pending(target.Name + " is to be edited: " + strings.Join(m.Changed, ", "))}
}
