// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/revision"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// result is what is known after the steps of a decision, and the outcome of the steps.
type result struct {
	decide.Input
	// pv is the variant as it was written last.
	pv *v1alpha1.PackageVariant
	// contents are the contents that are known after the steps.
	contents map[string]evaluated
	// rendered is what Porch reported of the revisions that were saved, by name.
	rendered map[string]v1alpha1.RenderStatus
	// approval is the approval of a draft that was published; nil if there was none.
	approval *v1alpha1.Approval
	// change is the last change to a revision; nil if there was none.
	change *v1alpha1.Change
	// saving is the draft with a save that may not have finished; nil if there is no such draft. marked reports whether
	// the status said so before the steps.
	saving *v1alpha1.SavingDraft
	marked bool
	// injected are the objects to watch from now on.
	injected []v1alpha1.ObjectReference
	// gone reports whether the variant's finalizer was removed.
	gone bool
	// err is why the steps ended early.
	err error
}

// action runs the steps of one decision.
type action struct {
	*Reconciler
	in  *inspection
	out *result
	// created is the draft that was made; nil before. learned reports whether its lock gave the commit of the upstream,
	// which nothing else gives.
	created *revision.Revision
	learned bool
	// disposed says what was done with revisions that are not wanted any more.
	disposed []string
}

// changed changes what the result knows of a revision.
func (a *action) changed(name string, change func(*revision.Revision)) {
	for _, known := range [][]revision.Revision{a.out.Revisions, a.out.OwnedInOtherPackages} {
		for i := range known {
			if known[i].Name == name {
				change(&known[i])
			}
		}
	}
}

// gone removes a revision from the result.
func (a *action) gone(name string) {
	is := func(r revision.Revision) bool { return r.Name == name }
	a.out.Revisions = slices.DeleteFunc(a.out.Revisions, is)
	a.out.OwnedInOtherPackages = slices.DeleteFunc(a.out.OwnedInOtherPackages, is)
}

// did notes what was done to a revision, and records an Event for it.
func (a *action) did(what, name, message string) {
	a.note(what, name)
	a.event(a.out.pv, corev1.EventTypeNormal, what, message)
}

// note notes what was done to a revision.
func (a *action) note(what, name string) {
	a.out.change = &v1alpha1.Change{Action: what, Revision: name, Time: metav1.Now()}
}
