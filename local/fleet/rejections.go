// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/home"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// asked identifies what a variant asks for: its spec, the upstream revision that this stands for, and the objects that
// are injected.
func (s *syncer) asked(ctx context.Context, pv *v1alpha1.PackageVariant) (string, error) {
	of := []any{pv.Spec}
	if u := pv.Spec.Upstream; u != nil {
		found, err := s.home.Find(ctx, pv.Namespace, packages.ByPackage, revision.UpstreamOf(u).String())
		if err != nil {
			return "", err
		}
		if i := u.Resolve(revision.Candidates(found)); i >= 0 {
			of = append(of, found[i].Name, found[i].Version)
		}
	}
	for _, o := range pv.Status.InjectedObjects {
		kind := objects.Kind{APIVersion: o.APIVersion, Kind: o.Kind, Namespace: pv.Namespace}
		if err := s.source.Use(ctx, objects.KeyOf(pv), []objects.Reference{{Kind: kind, Name: o.Name}}); err != nil {
			return "", err
		}
		if found := s.source.Object(kind, o.Name); found != nil {
			of = append(of, o.Name, found.ResourceVersion)
		}
	}
	text, err := json.Marshal(of)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), err
}

// reject notes what people rejected: drafts of which they removed the branch, and publications that they took back. The
// notes are those before that was found.
func (s *syncer) reject(settled *home.Settled, notes home.Notes) {
	note := func(ids []string, notes home.Notes, reverted bool) {
		for _, id := range ids {
			for _, key := range variantsOf(id, notes[id].Owners) {
				s.state.Rejections[key] = Rejection{Revision: nameIn(id), Asked: s.was.Variants[key].Asked, Reverted: reverted}
			}
		}
	}
	note(settled.Rejected, notes, false)
	note(settled.TakenBack, notes, true)
	note(settled.Reverted, s.home.Notes(), true)
}

// held reports whether a variant is left as it is because a person removed its package, and says so in its status. It
// forgets what a person rejected if something else is asked for.
func (s *syncer) held(ctx context.Context, key types.NamespacedName) (bool, error) {
	pv, err := s.store.Variant(ctx, key.Namespace, key.Name)
	if err != nil {
		return false, err
	}
	if pv == nil || pv.DeletionTimestamp != nil || pv.Spec.Downstream == nil {
		delete(s.state.Rejections, key)
		return false, nil
	}
	if r, rejected := s.state.Rejections[key]; rejected {
		if holds, err := s.holds(ctx, pv, &r); err != nil {
			return false, err
		} else if !holds {
			delete(s.state.Rejections, key)
			if err := s.disown(ctx, key, r.Revision); err != nil {
				return false, err
			}
		}
	}
	if s.isGone(pv) {
		return true, s.gone(ctx, pv)
	}
	return false, nil
}

// disown says of a variant that a draft is its own no more, because a person rejected it: what is made in its place
// then replaces nothing.
func (s *syncer) disown(ctx context.Context, key types.NamespacedName, draft string) error {
	if _, err := s.home.Get(ctx, key.Namespace, draft); !errors.Is(err, packages.ErrAbsent) {
		return err
	}
	return s.store.setStatus(ctx, key, func(pv *v1alpha1.PackageVariant) {
		pv.Status.OwnedRevisions = slices.DeleteFunc(slices.Clone(pv.Status.OwnedRevisions),
			func(name string) bool { return name == draft })
	})
}

// holds reports whether what a variant asks for is still what a person rejected.
func (s *syncer) holds(ctx context.Context, pv *v1alpha1.PackageVariant, r *Rejection) (bool, error) {
	asked, err := s.asked(ctx, pv)
	if err != nil || asked != r.Asked || r.Reverted {
		return err == nil && asked == r.Asked, err
	}
	found, err := s.home.Get(ctx, pv.Namespace, r.Revision)
	if errors.Is(err, packages.ErrAbsent) {
		return true, nil
	}
	return !found.Open(), err
}

// refusal is the error of a draft that is not made again.
func (r *Rejection) refusal() error {
	what := "the branch of its draft %s was removed without a merge: nothing is asked for again until the upstream " +
		"revision, the spec, or an injected object changes; restore the branch to take that back"
	if r.Reverted {
		what = "%s was taken back, or takes an upgrade back, which is not made again until the upstream revision, the " +
			"spec, or an injected object changes"
	}
	err := fmt.Errorf(what, r.Revision)
	return &packages.Error{Kind: packages.ErrRefused, Err: err,
		Condition: v1alpha1.Stalled(v1alpha1.ReasonRejected, err.Error())}
}

// isGone reports whether the package of a variant was published, and is on the branch no more.
func (s *syncer) isGone(pv *v1alpha1.PackageVariant) bool {
	d, pkg := pv.Status.Downstream, revision.DownstreamOf(&pv.Spec)
	return d != nil && strings.HasPrefix(d.Name, pkg.NameOf("")) && s.home.Gone(pv.Namespace, pkg)
}

// gone says of a variant that its package was removed. It keeps what was published, by which the next sync knows that.
func (s *syncer) gone(ctx context.Context, pv *v1alpha1.PackageVariant) error {
	return s.store.setStatus(ctx, objects.KeyOf(pv), func(pv *v1alpha1.PackageVariant) {
		pv.Status.ObservedGeneration, pv.Status.ObservedInputs, pv.Status.Operation = pv.Generation, "", nil
		v1alpha1.Stalled(v1alpha1.ReasonRejected, fmt.Sprintf("the branch has no package %s any more, of which %s "+
			"was published: restore its directory, with its Kptfile, or remove this variant", revision.DownstreamOf(&pv.Spec),
			pv.Status.Downstream.Name)).Set(&pv.Status.Conditions, pv.Generation)
	})
}

// variantsOf returns the variants that own a revision, which is given by namespace and name.
func variantsOf(id string, owners []metav1.OwnerReference) (all []types.NamespacedName) {
	namespace, _, _ := strings.Cut(id, "/")
	for _, name := range revision.Variants(owners) {
		all = append(all, types.NamespacedName{Namespace: namespace, Name: name})
	}
	return all
}

func nameIn(id string) string { return id[strings.Index(id, "/")+1:] }
