// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// API is what the reconcilers need from an API server: reads, from a cache or not, and writes.
type API interface {
	client.Reader
	client.Writer
	client.StatusClient
	client.SubResourceClientConstructor
}

// get returns the revision of that name as it is now. The error satisfies apierrors.IsNotFound if there is none.
func (h *Home) get(ctx context.Context, namespace, name string) (found revision.Revision, err error) {
	if err := timed(get, func() (err error) {
		found, err = GetRevision(ctx, h.Reader, namespace, name)
		return err
	}); err != nil {
		return revision.Revision{}, fmt.Errorf("cannot get package revision %s: %w", name, err)
	}
	return found, nil
}

// create creates a draft and returns its revision. If the workspace already has a revision, Busy returns true for the
// error.
func (h *Home) create(ctx context.Context, d packages.Draft) (revision.Revision, error) {
	pr := &porchapi.PackageRevision{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: d.Namespace, Labels: d.Labels, Annotations: d.Annotations,
			OwnerReferences: d.Owners(),
		},
		Spec: porchapi.PackageRevisionSpec{
			RepositoryName: d.Package.Repo, PackageName: d.Package.Name, WorkspaceName: d.Workspace,
			Lifecycle: porchapi.PackageRevisionLifecycleDraft, Tasks: []porchapi.Task{task(d.Task)},
		},
	}
	asked := pr.DeepCopy()
	if err := retry(ctx, call(d.Task.Type.Label()), func() error {
		asked.DeepCopyInto(pr)
		return h.Writer.Create(ctx, pr)
	}); err != nil {
		return revision.Revision{}, fmt.Errorf("cannot %s %s: %w", d.Task.Type, d.Package, err)
	}
	return Revision(pr), nil
}

// keep withdraws the proposal to delete a revision.
func (h *Home) keep(ctx context.Context, r *revision.Revision) (revision.Revision, error) {
	return h.patchBy(ctx, keep, r, map[string]any{"spec": map[string]any{"lifecycle": revision.Published},
		"metadata": map[string]any{"resourceVersion": r.Version}}, h.Writer.Patch)
}

// move gives a revision another lifecycle, and returns its new state: a draft becomes Proposed; a proposed revision
// becomes Published, or a Draft again, for which it takes an approver. It fails, and changes nothing, if the revision's
// version differs from that of r.
func (h *Home) move(ctx context.Context, r *revision.Revision, to revision.Lifecycle) (revision.Revision, error) {
	change := map[string]any{"spec": map[string]any{"lifecycle": to},
		"metadata": map[string]any{"resourceVersion": r.Version}}
	if to == revision.Proposed {
		return h.patchBy(ctx, propose, r, change, h.Writer.Patch)
	}
	approval := h.Writer.SubResource("approval")
	return h.patchBy(ctx, approve, r, change,
		func(ctx context.Context, o client.Object, patch client.Patch, _ ...client.PatchOption) error {
			return approval.Patch(ctx, o, patch)
		})
}

// proposeDeletion proposes the deletion of a published revision, and gives it these owners.
func (h *Home) proposeDeletion(ctx context.Context, r *revision.Revision, owners []metav1.OwnerReference) (
	proposed revision.Revision, err error) {
	isProposed := func(now *revision.Revision) bool {
		return now.Lifecycle == revision.DeletionProposed && owned(owners)(now)
	}
	err = h.untilKept(ctx, r, "lifecycle", isProposed, func() error {
		var err error
		proposed, err = h.patchBy(ctx, proposeDeletion, r, map[string]any{
			"spec":     map[string]any{"lifecycle": revision.DeletionProposed},
			"metadata": map[string]any{"ownerReferences": orEmpty(owners), "resourceVersion": r.Version},
		}, h.Writer.Patch)
		return err
	})
	return proposed, err
}

// setMeta gives a revision these owners, and adds these labels and annotations to those that it has. The content stays
// byte for byte: when the metadata of a draft changes, Porch v1.5 rewrites its Kptfile without comments, so SetMeta
// restores a draft's files.
func (h *Home) setMeta(ctx context.Context, r *revision.Revision, owners []metav1.OwnerReference, labels,
	annotations map[string]string) error {
	metadata := map[string]any{"ownerReferences": orEmpty(owners), "resourceVersion": r.Version}
	if len(labels) > 0 { // null would remove all labels
		metadata["labels"] = labels
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	change, version := map[string]any{"metadata": metadata}, r.Version
	write := func() (err error) {
		if r.Lifecycle != revision.Draft {
			return h.patch(ctx, setMeta, r, change)
		}
		metadata["resourceVersion"] = version // so a concurrent edit is not lost
		version, err = h.setMetaOfDraft(ctx, r, version, change)
		return err
	}
	if !lets(r, owners) {
		return write()
	}
	return h.untilKept(ctx, r, "owners", owned(owners), write)
}

// setMetaOfDraft changes the metadata of a draft that has a version, and restores its files. It returns the version
// that the draft has then.
func (h *Home) setMetaOfDraft(ctx context.Context, r *revision.Revision, version string, change map[string]any) (
	string, error) {
	before, err := h.content(ctx, r.Namespace, r.Name)
	if err != nil {
		return "", err
	}
	if before.Version != version {
		return "", fmt.Errorf("cannot change package revision %s: %w", r.Name, ErrOutdated)
	}
	changed, err := h.patchBy(ctx, setMeta, r, change, h.Writer.Patch)
	if err != nil {
		return "", err
	}
	after, err := h.content(ctx, r.Namespace, r.Name)
	if err != nil || maps.Equal(before.Files, after.Files) || after.Version != changed.Version { // or it was edited since
		return after.Version, err
	}
	saved, err := h.saveWhole(ctx, after, before.Files)
	return saved.Version, err
}

// busy is how long a write is retried while Porch does not find the branches of a repository: about three seconds.
var busy = wait.Backoff{Duration: 200 * time.Millisecond, Factor: 1.6, Jitter: 0.2, Steps: 6}

// repeatedError is the refusal of a write that was repeated. Porch may have done the first write: it also answers that
// it does not find a branch after it has written, while it reads the repository again.
type repeatedError struct{ error }

func (e *repeatedError) Unwrap() error { return e.error }

// retry does a write, and repeats it while Porch is busy.
func retry(ctx context.Context, c call, write func() error) error {
	var last error
	err := wait.ExponentialBackoffWithContext(ctx, busy, func(context.Context) (bool, error) {
		repeated := last != nil
		if last = timed(c, write); isLostBranch(last) {
			return false, nil
		}
		if repeated && last != nil {
			return true, &repeatedError{last}
		}
		return true, last
	})
	if wait.Interrupted(err) && last != nil {
		return last
	}
	return err
}

func orEmpty(owners []metav1.OwnerReference) []metav1.OwnerReference {
	if owners == nil {
		return []metav1.OwnerReference{}
	}
	return owners
}

func (h *Home) patch(ctx context.Context, what call, r *revision.Revision, change map[string]any) error {
	_, err := h.patchBy(ctx, what, r, change, h.Writer.Patch)
	return err
}

// patchBy changes a revision with a merge patch, which patch sends, and returns its new state.
func (h *Home) patchBy(ctx context.Context, what call, r *revision.Revision, change map[string]any,
	patch func(context.Context, client.Object, client.Patch, ...client.PatchOption) error) (revision.Revision, error) {
	data, err := json.Marshal(change)
	if err != nil {
		return revision.Revision{}, err
	}
	pr := &porchapi.PackageRevision{ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name}}
	if err := retry(ctx, what, func() error {
		return patch(ctx, pr, client.RawPatch(types.MergePatchType, data))
	}); err != nil {
		return revision.Revision{}, fmt.Errorf("cannot change package revision %s: %w", r.Name, err)
	}
	return Revision(pr), nil
}

// remove deletes a draft or a proposed revision. It is not an error if the revision is already gone.
func (h *Home) remove(ctx context.Context, r *revision.Revision) error {
	if r.Published() {
		return errors.New("a published package revision is proposed for deletion, not deleted")
	}
	pr := &porchapi.PackageRevision{ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name}}
	err := retry(ctx, remove, func() error { return h.Writer.Delete(ctx, pr) })
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot delete package revision %s: %w", r.Name, withRemedy(err, r.Package))
	}
	return nil
}
