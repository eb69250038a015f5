// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/sync-controller/internal/kube/ttlcache"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/porch/kptfile"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
)

// current returns the content that a revision has now. Porch's cache in PostgreSQL gives a draft its new version before
// its new files: a content whose version is not yet known to the cache is read once more.
func (r *Reconciler) current(ctx context.Context, o *observation, name string) (porch.Content, error) {
	content, err := r.content(ctx, o, name)
	target := o.target(name)
	if err != nil || target == nil || !target.Open() || target.Version == content.Version {
		return content, err
	}
	if *target, err = r.porch.Revision(ctx, target.Namespace, name); err != nil {
		return content, err
	}
	if content, err = r.content(ctx, o, name); err == nil && target.Version != content.Version {
		err = fmt.Errorf("cannot use the content of %s: %w", name, porch.ErrOutdated)
	}
	return content, err
}

// content returns the content of a target, or of the upstream as it would be cloned. The upstream's is read once for
// all variants that ask for it.
func (r *Reconciler) content(ctx context.Context, o *observation, name string) (porch.Content, error) {
	if name != o.Upstream.Name {
		return r.porch.Content(ctx, o.pv.Namespace, name)
	}
	content, err := r.shared(ctx, o.Upstream)
	if err == nil && o.Repositories[o.Spec.Downstream.Repo].Deployment {
		content.Files = withPackageContext(content.Files)
	}
	return content.Content, err
}

// shared returns the content of a published revision, which is read once for all variants that ask for it.
func (r *Reconciler) shared(ctx context.Context, rev *revision.Revision) (upstreamContent, error) {
	content, err := r.upstream.Get(rev.Namespace+"/"+rev.Name+"/"+rev.Version, func() (upstreamContent, error) {
		return r.read(ctx, rev)
	})
	if errors.Is(err, ttlcache.ErrSlow) {
		err = fmt.Errorf("cannot read the content of %s: %w", rev.Name, err)
	}
	return content, err
}

// upstreamContent is the content of a published revision, with what identifies it.
type upstreamContent struct {
	porch.Content
	// digest identifies the files, commit is the git commit that holds them where Porch tells it only when it is asked.
	digest, commit string
}

// read reads the content of a published revision, and what identifies it where its version does not.
func (r *Reconciler) read(ctx context.Context, rev *revision.Revision) (c upstreamContent, err error) {
	if c.Content, err = r.porch.Content(ctx, rev.Namespace, rev.Name); err != nil || rev.KeptInGit {
		return c, err
	}
	c.digest = kptfile.Digest(c.Files)
	c.commit, err = r.porch.Commit(ctx, rev)
	return c, err
}
