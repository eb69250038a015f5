// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/engine/kptfile"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// How often, and after what time, a save that Porch did not finish is repeated.
const (
	finishes    = 3
	finishAfter = time.Second
)

// Save replaces the files of a draft, which Porch then renders, and returns the content that results. It fails, and
// changes nothing, if the draft has changed since it was read. Where Porch keeps drafts in PostgreSQL, it removes all
// files and writes the new ones one by one: an unfinished save is repeated, so no file is lost.
func (c *Client) Save(ctx context.Context, content Content, files map[string]string) (Content, error) {
	saved, err := c.save(ctx, content, files)
	if err == nil || content.AtCommit() || !Unsure(err) {
		return saved, err
	}
	for range finishes {
		now, readErr := c.Content(ctx, content.object.Namespace, content.object.Name)
		switch {
		case readErr == nil, errors.Is(readErr, ErrNoFiles):
			// Porch gives the draft a new version first.
			if now.AtCommit() || now.Version == content.Version || len(now.Files) >= len(files) || !now.isPartOf(files) {
				return Content{}, err
			}
			if saved, again := c.save(ctx, now, files); again == nil || !Unsure(again) {
				return saved, again
			}
		case !Unsure(readErr):
			return Content{}, err
		}
		if pauseErr := c.pause(ctx, finishAfter); pauseErr != nil {
			break
		}
	}
	return Content{}, err
}

func (c *Client) save(ctx context.Context, content Content, files map[string]string) (Content, error) {
	prr := content.object.DeepCopy()
	prr.Spec.Resources = maps.Clone(files)
	prr.Status = porchapi.PackageRevisionResourcesStatus{}
	asked := prr.DeepCopy()
	err := retry(ctx, save, func() error {
		asked.DeepCopyInto(prr)
		return c.Writer.Update(ctx, prr)
	})
	if _, repeated := errors.AsType[*repeatedError](err); repeated && Busy(err) {
		now, readErr := c.Content(ctx, asked.Namespace, asked.Name)
		if readErr == nil && kptfile.Meaning(now.Files) == kptfile.Meaning(files) { // Porch did it the first time
			return now, nil
		}
	}
	if err != nil {
		return Content{}, fmt.Errorf("cannot save %s: %w", asked.Name, err)
	}
	return contentOf(prr), nil
}

// AtCommit reports whether Porch keeps the revision in git even while it is a draft; see revision.Revision.
func (c *Content) AtCommit() bool { return commitIn(c.Version) != "" }

// isPartOf reports whether the files include each file of the content. It compares paths only, as Porch renders the
// rest.
func (c *Content) isPartOf(files map[string]string) bool {
	for p := range c.Files {
		if _, there := files[p]; !there {
			return false
		}
	}
	return true
}

// Unsure reports whether a write failed in a way that does not say whether Porch did it, in whole or in part.
func Unsure(err error) bool {
	if _, ofRender := RenderError(err); err == nil || ofRender || RunnerUnavailable(err) || Busy(err) {
		return false
	}
	for _, is := range []func(error) bool{
		apierrors.IsInvalid, apierrors.IsForbidden, apierrors.IsUnauthorized, apierrors.IsNotFound, apierrors.IsGone,
		apierrors.IsBadRequest, apierrors.IsMethodNotSupported, apierrors.IsTooManyRequests, TooLarge,
	} {
		if is(err) {
			return false
		}
	}
	return true
}
