// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// finalize deals with all revisions of a variant that is being deleted, and then lets it go.
func (r *Reconciler) finalize(ctx context.Context, pv *v1alpha1.PackageVariant) (ctrl.Result, error) {
	key := client.ObjectKeyFromObject(pv)
	if !controllerutil.ContainsFinalizer(pv, v1alpha1.Finalizer) {
		r.forget(key)
		return ctrl.Result{}, nil
	}
	s, err := r.gather(ctx, pv)
	if err != nil {
		return ctrl.Result{}, err
	}
	if !r.gate.enter(s.repository(), s.key()) {
		return ctrl.Result{}, nil
	}
	defer r.gate.leave(s.repository())
	err = r.disposeAll(ctx, s)
	if porch.Busy(err) {
		return ctrl.Result{RequeueAfter: busyDelay}, nil
	}
	if err != nil {
		verdict := verdictOf(err)
		verdict.Message = "the variant is deleted once its package revisions are dealt with: " + verdict.Message
		if err := r.report(ctx, pv, &outcome{verdict: verdict, err: err}); err != nil {
			return ctrl.Result{}, err
		}
		wait, _ := r.memos.fail(key, "deleted", err)
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	before := pv.DeepCopy()
	controllerutil.RemoveFinalizer(pv, v1alpha1.Finalizer)
	if err := r.client.Patch(ctx, pv, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	r.forget(key)
	return ctrl.Result{}, nil
}

// disposeAll disposes of all revisions that a variant owns. Those of its package are asked of Porch, so that none is
// left behind that the cache does not know yet.
func (r *Reconciler) disposeAll(ctx context.Context, s *snapshot) error {
	owned := slices.Clone(s.owned)
	if d := s.in.Spec.Downstream; d != nil && d.Repo != "" && d.Package != "" {
		if repository, registered := s.in.Repositories[d.Repo]; registered && !repository.Ready {
			return fmt.Errorf("the Repository %q is not ready: %s", d.Repo, repository.Message)
		}
		fresh, err := r.porch.Revisions(ctx, s.pv.Namespace, s.downstream())
		if err != nil {
			return err
		}
		owned = append(slices.DeleteFunc(owned, func(r revision.Revision) bool { return r.Package == s.downstream() }), fresh...)
	}
	return r.dispose(ctx, s, decide.Obsolete(s.in.Owner, revision.Package{}, owned), true)
}

// disposeObsolete disposes of what the variant owns outside of its downstream package.
func (r *Reconciler) disposeObsolete(ctx context.Context, s *snapshot) error {
	if s.in.Upstream == nil {
		return nil
	}
	return r.dispose(ctx, s, decide.Obsolete(s.in.Owner, s.downstream(), s.owned), false)
}

// dispose does with each of the revisions what the deletion policy says. It goes on after an error.
func (r *Reconciler) dispose(ctx context.Context, s *snapshot, obsolete []revision.Revision, variantGoes bool) error {
	var errs []error
	var done []string
	for i := range obsolete {
		rev := &obsolete[i]
		var err error
		var did string
		switch decide.Dispose(s.in.Spec.DeletionPolicy, rev, variantGoes) {
		case decide.Leave:
			continue
		case decide.Delete:
			did, err = "deleted", r.porch.Delete(ctx, rev)
		case decide.ProposeDeletion:
			owners := rev.Owners
			if variantGoes {
				owners = rev.OrphanedBy(s.in.Owner)
			}
			did, err = "proposed the deletion of", r.porch.ProposeDeletion(ctx, rev, owners)
		case decide.Orphan:
			did, err = "let go of", r.porch.SetMeta(ctx, rev, rev.OrphanedBy(s.in.Owner), nil, nil)
		}
		if apierrors.IsNotFound(err) {
			continue // it went by itself
		}
		if err == nil {
			done = append(done, did+" "+rev.Name)
		}
		errs = append(errs, err)
	}
	if len(done) > 0 {
		r.tell(s.pv, corev1.EventTypeNormal, "Disposed", strings.Join(done, ", "), nil)
	}
	return errors.Join(errs...)
}
