// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/timeouts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Home implements the port packages of the engine by calls to Porch. It does not read from a cache. A write that fails
// because Porch was reading the repository is retried a few times. The errors of the port are *packages.Error.
type Home struct {
	Reader client.Reader
	Writer interface {
		client.Writer
		client.SubResourceClientConstructor
	}
	// Pause waits until Porch has settled; nil waits for d.
	Pause func(ctx context.Context, d time.Duration) error
}

var _ packages.Lister = (*Home)(nil)

// NewHome returns the home that an API server with Porch is.
func NewHome(api API) *Home { return &Home{Reader: api, Writer: api} }

// List implements packages.Lister.
func (h *Home) List(ctx context.Context, namespace string, of revision.Package) ([]revision.Revision, error) {
	var found []revision.Revision
	err := EachRevision(ctx, h.Reader, func(_ metav1.Object, r revision.Revision) {
		if r.Package == of {
			found = append(found, r)
		}
	}, client.InNamespace(namespace), client.MatchingFields{"spec.repository": of.Repo})
	slices.SortFunc(found, revision.ByName)
	return found, Classify(err)
}

// Get implements packages.Home.
func (h *Home) Get(ctx context.Context, namespace, name string) (revision.Revision, error) {
	r, err := h.get(ctx, namespace, name)
	return r, Classify(err)
}

// Read implements packages.Home.
func (h *Home) Read(ctx context.Context, namespace, name string) (packages.Content, error) {
	content, err := h.content(ctx, namespace, name)
	if errors.Is(err, timeouts.ErrTooLarge) {
		return packages.Content{}, packages.Unusable(name, v1alpha1.ReasonPackageTooLarge, timeouts.ErrTooLarge)
	}
	if err == nil {
		if err := packages.CheckText(content.Files); err != nil {
			return packages.Content{}, packages.Unusable(name, v1alpha1.ReasonPackageRefused, err)
		}
	}
	return content, Classify(err)
}

// Files returns the files of a revision as Porch gives them, be they usable or not, for people to look at.
func (h *Home) Files(ctx context.Context, namespace, name string) (map[string]string, error) {
	content, err := h.content(ctx, namespace, name)
	return content.Files, err
}

// Ask implements packages.Home.
func (h *Home) Ask(ctx context.Context, d packages.Draft) (revision.Revision, error) {
	r, err := h.create(ctx, d)
	if says(err, workspaceExists, packageExists) && h.hasNamesake(ctx, &d) {
		return r, &packages.Error{Kind: packages.ErrRefused, Condition: packages.Nests(err), Err: err}
	}
	return r, Classify(err)
}

// hasNamesake reports whether a package that does not exist has the last name of one in a directory. Newer Porch takes
// the two for one when it makes a draft.
func (h *Home) hasNamesake(ctx context.Context, d *packages.Draft) (has bool) {
	exists := false
	err := EachRevision(ctx, h.Reader, func(_ metav1.Object, r revision.Revision) {
		exists = exists || r.Package == d.Package
		has = has || r.Package.Repo == d.Package.Repo && path.Base(r.Package.Name) == d.Package.Name
	}, client.InNamespace(d.Namespace), client.MatchingFields{"spec.repository": d.Package.Repo})
	return err == nil && has && !exists
}

// Save implements packages.Home.
func (h *Home) Save(ctx context.Context, read packages.Content, files map[string]string) (packages.Content, error) {
	saved, err := h.saveWhole(ctx, read, files)
	return saved, Classify(err)
}

// Move implements packages.Home.
func (h *Home) Move(ctx context.Context, r *revision.Revision, to revision.Lifecycle) (moved revision.Revision,
	err error) {
	switch {
	case to == revision.DeletionProposed:
		moved, err = h.proposeDeletion(ctx, r, r.Owners)
	case r.Lifecycle == revision.DeletionProposed && to == revision.Published:
		moved, err = h.keep(ctx, r)
	default:
		moved, err = h.move(ctx, r, to)
	}
	return moved, Classify(err)
}

// Own implements packages.Home.
func (h *Home) Own(ctx context.Context, r *revision.Revision, owners []metav1.OwnerReference,
	m packages.Metadata) error {
	return Classify(h.setMeta(ctx, r, owners, m.Labels, m.Annotations))
}

// Delete implements packages.Home.
func (h *Home) Delete(ctx context.Context, r *revision.Revision) error {
	if r.Published() {
		return &packages.Error{Kind: packages.ErrRefused,
			Err: fmt.Errorf("the package revision %s is published: propose its deletion", r.Name)}
	}
	return Classify(h.remove(ctx, r))
}

// Cache implements packages.Known by a cache that has the indexes of AddIndexes.
type Cache struct{ client.Reader }

var _ packages.Known = Cache{}

// Find implements packages.Known.
func (c Cache) Find(ctx context.Context, namespace string, by packages.Index, value string) ([]revision.Revision,
	error) {
	options := []client.ListOption{client.InNamespace(namespace)}
	if by != packages.All {
		options = append(options, client.MatchingFields{string(by): value})
	}
	found, err := FindRevisions(ctx, c, options...)
	return found, Classify(err)
}

// Named implements packages.Known.
func (c Cache) Named(ctx context.Context, namespace, name string) (revision.Revision, error) {
	r, err := GetRevision(ctx, c, namespace, name)
	return r, Classify(err)
}
