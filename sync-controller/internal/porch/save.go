// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// How often, and after what time, a save that Porch did not finish is repeated.
const (
	finishes    = 3
	finishAfter = time.Second
)

// saveWhole replaces the files of a draft, which Porch then renders, and returns the content that results. It fails,
// and changes nothing, if the draft has changed since it was read. Where Porch keeps drafts in PostgreSQL, it removes
// all files and writes the new ones one by one: an unfinished save is repeated, so no file is lost.
func (h *Home) saveWhole(ctx context.Context, content packages.Content, files map[string]string) (packages.Content,
	error) {
	saved, err := h.save(ctx, content, files)
	if err == nil || commitIn(content.Version) != "" || !Unsure(err) {
		return saved, err
	}
	for range finishes {
		now, readErr := h.content(ctx, content.Namespace, content.Name)
		switch {
		case readErr == nil, errors.Is(readErr, ErrNoFiles):
			// Porch gives the draft a new version first.
			if commitIn(now.Version) != "" || now.Version == content.Version || len(now.Files) >= len(files) ||
				!isPart(now.Files, files) {
				return packages.Content{}, err
			}
			if saved, again := h.save(ctx, now, files); again == nil || !Unsure(again) {
				return saved, again
			}
		case !Unsure(readErr):
			return packages.Content{}, err
		}
		if pauseErr := h.pause(ctx, finishAfter); pauseErr != nil {
			break
		}
	}
	return packages.Content{}, err
}

func (h *Home) save(ctx context.Context, content packages.Content, files map[string]string) (packages.Content, error) {
	prr := resourcesOf(&content, files)
	asked := prr.DeepCopy()
	err := retry(ctx, save, func() error {
		asked.DeepCopyInto(prr)
		return h.Writer.Update(ctx, prr)
	})
	if _, repeated := errors.AsType[*repeatedError](err); repeated && Busy(err) {
		now, readErr := h.content(ctx, asked.Namespace, asked.Name)
		if readErr == nil && kpt.Meaning(now.Files) == kpt.Meaning(files) { // Porch did it the first time
			return now, nil
		}
	}
	if err != nil {
		return packages.Content{}, fmt.Errorf("cannot save %s: %w", asked.Name, err)
	}
	return contentOf(prr), nil
}

// isPart reports whether files include each file of others. It compares paths only, as Porch renders the rest.
func isPart(others, files map[string]string) bool {
	for p := range others {
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
