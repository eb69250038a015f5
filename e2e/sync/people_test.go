// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"maps"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
)

var automatic = approval(variant.ApprovalPolicyAutomatic)

// mine is what people write into drafts.
var mine = map[string]string{"notes.md": "mine\n"}

// settingsB returns the files of the blueprint with another b.
func settingsB(b string) map[string]string { return settingsOf("1", b) }

// contextOnly is a variant that changes the package's context and injects nothing.
func contextOnly(s *variant.Spec) { s.Injectors = nil }

// changeMeta changes the metadata of a revision, again while Porch is busy with the revision.
func (w *world) changeMeta(name string, change func(*porchapi.PackageRevision)) {
	w.t.Helper()
	w.Eventually(name+" has other metadata", func() error {
		r, err := w.GetRevision(name)
		if err != nil {
			return err
		}
		change(r)
		return w.Client.Update(w.t.Context(), r)
	})
}

// labelRevision changes the labels of a package revision as it is now.
func (w *world) labelRevision(name string, labels map[string]string) {
	w.t.Helper()
	w.changeMeta(name, func(r *porchapi.PackageRevision) {
		labels := maps.Clone(labels)
		if labels == nil {
			labels = map[string]string{}
		}
		if latest, found := r.Labels[porchapi.LatestPackageRevisionKey]; found && w.stack.Foreign() {
			labels[porchapi.LatestPackageRevisionKey] = latest // newer Porch does not allow to remove it
		}
		r.Labels = labels
	})
}
