// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/ttlcache"
)

// current returns the content that a revision has now. Where drafts are not in git, one may have its new version before
// its new files, which come one by one, also when it is published. So a content with another version than the cached
// one is read once more, and used if nothing was written meanwhile. A draft that was asked for, and has no task yet,
// was seen before its files: these are what the home knows its task and its lock by.
func (r *Reconciler) current(ctx context.Context, o *observation, name string) (packages.Content, error) {
	content, err := r.content(ctx, o, name)
	target := o.target(name)
	if err != nil || target == nil || !target.Open() {
		return content, err
	}
	isUnfinished := target.Task.Type == "" && decide.Requested(&o.Input, target)
	if target.Version == content.Version && !isUnfinished {
		return content, nil
	}
	now, err := r.Packages.Get(ctx, target.Namespace, name)
	if err != nil {
		return content, err
	}
	*target = now
	before := content.Files
	if content, err = r.content(ctx, o, name); err == nil &&
		(target.Version != content.Version || !maps.Equal(before, content.Files)) {
		err = fmt.Errorf("cannot use the content of %s: %w", name, packages.ErrStale)
	}
	return content, err
}

// content returns the content of a target, or of the upstream as it would be cloned. The upstream's is read once for
// all variants that ask for it.
func (r *Reconciler) content(ctx context.Context, o *observation, name string) (packages.Content, error) {
	if name != o.Upstream.Name {
		return r.Packages.Read(ctx, o.pv.Namespace, name)
	}
	content, err := r.shared(ctx, o.Upstream)
	if err == nil {
		err = cmp.Or(content.unusable, checkTaken(name, content.Files))
	}
	if err != nil || !o.Repositories[o.Spec.Downstream.Repo].Deployment {
		return content.Content, err
	}
	if files, err := kpt.WithContexts(content.Files, o.Spec.Downstream.Package); err == nil {
		content.Files = files // otherwise the functions say what is wrong with them
	}
	return content.Content, nil
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

// upstreamContent is the content of a published revision.
type upstreamContent struct {
	packages.Content
	// unusable says why the functions cannot run over the files, which are then left out; nil if they are usable.
	unusable error
}

// read reads the content of a published revision.
func (r *Reconciler) read(ctx context.Context, rev *revision.Revision) (c upstreamContent, err error) {
	if c.Content, err = r.Packages.Read(ctx, rev.Namespace, rev.Name); err != nil && lasting(err) {
		c.unusable = err
		return c, nil // no error, so the result is cached for the other variants
	}
	if err != nil {
		return c, err
	}
	if c.unusable = checkFiles(rev.Name, c.Files); c.unusable != nil {
		c.Content = packages.Content{} // do not keep unusable files in the cache
	}
	return c, err
}
