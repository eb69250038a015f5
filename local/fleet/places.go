// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/local/ledger"
	"github.com/package-variants/package-variants/local/manifests"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// younger makes Repositories younger than those that have their place: whoever is older has it, for the rules.
func (f *Fleet) younger(all []manifests.Repository) {
	of := map[types.NamespacedName]objects.Repository{}
	for i := range all {
		of[objects.KeyOf(&all[i])] = all[i].Repository
	}
	for _, shared := range f.home.Shared() {
		r := of[types.NamespacedName{Namespace: shared.Namespace, Name: shared.Name}]
		holder := of[types.NamespacedName{Namespace: shared.Namespace, Name: shared.Holder}]
		r.CreationTimestamp = metav1.Time{Time: holder.CreationTimestamp.Add(time.Second)}
		f.store.Add(&r)
	}
}

// shared notes the Repositories whose place another one has.
func (s *syncer) shared() {
	s.sharing = map[types.NamespacedName]string{}
	for _, r := range s.home.Shared() {
		s.sharing[types.NamespacedName{Namespace: r.Namespace, Name: r.Name}] = r.Why
		s.errs["Repository "+r.Namespace+"/"+r.Name] = errors.New(r.Why)
	}
}

// isShared reports whether a variant is left as it is because another Repository has the place of one that it names,
// and says so in its status.
func (s *syncer) isShared(ctx context.Context, pv *v1alpha1.PackageVariant) (bool, error) {
	d := pv.Spec.Downstream
	for _, repo := range reposOf(pv) {
		why := s.sharing[types.NamespacedName{Namespace: pv.Namespace, Name: repo}]
		if why == "" {
			continue
		}
		return true, s.store.setStatus(ctx, objects.KeyOf(pv), func(pv *v1alpha1.PackageVariant) {
			if d != nil && !s.home.Has(ledger.KeyOf(pv.Namespace, revision.DownstreamOf(&pv.Spec))) {
				pv.Status = v1alpha1.PackageVariantStatus{Conditions: pv.Status.Conditions} // the package is the other one's
			}
			pv.Status.ObservedInputs = ""
			v1alpha1.Stalled(v1alpha1.ReasonRepositoriesOverlap, "Repository "+repo+": "+why).
				Set(&pv.Status.Conditions, pv.Generation)
		})
	}
	return false, nil
}

// reposOf returns the Repositories that a variant names.
func reposOf(pv *v1alpha1.PackageVariant) (all []string) {
	if u := pv.Spec.Upstream; u != nil {
		all = append(all, u.Repo)
	}
	if d := pv.Spec.Downstream; d != nil {
		all = append(all, d.Repo)
	}
	return all
}

// asleep notes, once, the packages whose Repository is in no manifest any more.
func (s *syncer) asleep() {
	of := map[string][]string{}
	for _, k := range s.home.FallAsleep() {
		name := types.NamespacedName{Namespace: k.Namespace, Name: k.Repository}.String()
		of[name] = append(of[name], k.Package)
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		s.report.note("the packages of the Repository %s, which is in no manifest any more, stay as they are, with their "+
			"drafts (%s): a Repository for the same directory and branch has them again, whatever its name; if they are to go, "+
			"restore the manifest, and sync; take its label or the variants' manifests away, and sync; merge the removals; and "+
			"only then remove the Repository's manifest", name, words.Some(of[name], ", "))
	}
}
