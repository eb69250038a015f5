// SPDX-License-Identifier: Apache-2.0

// Package home is the port packages of the engine over Porch's API.
package home

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Home implements packages.Home by calls to Porch, without a cache.
type Home struct {
	porch   porch.Client
	watcher watcher
}

var _ packages.Home = (*Home)(nil)

// API is what calls Porch: a client of an API server that does not read from a cache, and knows Porch's types.
type API interface {
	porch.API
	watcher
}

// watcher is the part of client.WithWatch that a Home needs.
type watcher interface {
	Watch(ctx context.Context, list client.ObjectList, options ...client.ListOption) (watch.Interface, error)
}

// New returns the home that an API server with Porch is.
func New(api API) *Home { return &Home{porch.Client{Reader: api, Writer: api}, api} }

// List implements packages.Home.
func (h *Home) List(ctx context.Context, namespace string, of revision.Package) ([]revision.Revision, error) {
	var found []revision.Revision
	err := porch.EachRevision(ctx, h.porch.Reader, func(_ metav1.Object, r revision.Revision) {
		if r.Package == of {
			found = append(found, r)
		}
	}, client.InNamespace(namespace), client.MatchingFields{"spec.repository": of.Repo})
	slices.SortFunc(found, revision.ByName)
	return found, classified(err)
}

// Get implements packages.Home.
func (h *Home) Get(ctx context.Context, namespace, name string) (revision.Revision, error) {
	r, err := h.porch.Revision(ctx, namespace, name)
	return r, classified(err)
}

// Read implements packages.Home.
func (h *Home) Read(ctx context.Context, namespace, name string) (packages.Content, error) {
	content, err := h.porch.Content(ctx, namespace, name)
	return packages.Content{Namespace: namespace, Name: name, Files: content.Files, Version: content.Version},
		classified(err)
}

// Ask implements packages.Home.
func (h *Home) Ask(ctx context.Context, d packages.Draft) (revision.Revision, error) {
	r, err := h.porch.Create(ctx, porch.Draft{Namespace: d.Namespace, Package: d.Package, Workspace: d.Workspace,
		Labels: d.Labels, Annotations: d.Annotations, Owner: d.Owner, Task: d.Task})
	return r, classified(err)
}

// Save implements packages.Home.
func (h *Home) Save(ctx context.Context, read packages.Content, files map[string]string) (packages.Content, error) {
	r, err := h.porch.Revision(ctx, read.Namespace, read.Name)
	if err != nil {
		return packages.Content{}, classified(err)
	}
	r.Version = read.Version
	saved, err := h.porch.Save(ctx, porch.Unread(&r), files)
	return packages.Content{Namespace: read.Namespace, Name: read.Name, Files: saved.Files, Version: saved.Version},
		classified(err)
}

// Move implements packages.Home.
func (h *Home) Move(ctx context.Context, r *revision.Revision, to revision.Lifecycle) (revision.Revision, error) {
	var err error
	switch {
	case to == revision.DeletionProposed:
		err = h.porch.ProposeDeletion(ctx, r, r.Owners)
	case r.Lifecycle == revision.DeletionProposed && to == revision.Published:
		err = h.porch.Keep(ctx, r)
	default:
		moved, err := h.porch.Move(ctx, r, to)
		return moved, classified(err)
	}
	if err != nil {
		return revision.Revision{}, classified(err)
	}
	return h.Get(ctx, r.Namespace, r.Name)
}

// Own implements packages.Home.
func (h *Home) Own(ctx context.Context, r *revision.Revision, owners []metav1.OwnerReference,
	m packages.Metadata) error {
	return classified(h.porch.SetMeta(ctx, r, owners, m.Labels, m.Annotations))
}

// Watch implements packages.Home.
func (h *Home) Watch(ctx context.Context, namespace string) (<-chan packages.Event, error) {
	from, err := h.watcher.Watch(ctx, porch.NewRevisionList(), client.InNamespace(namespace))
	if err != nil {
		return nil, classified(err)
	}
	events := make(chan packages.Event)
	go func() {
		defer close(events)
		defer from.Stop()
		for e := range from.ResultChan() {
			o, _ := e.Object.(client.Object) // an error has no object
			r, is := porch.RevisionOf(o)
			if !is {
				continue
			}
			select {
			case events <- packages.Event{Revision: r, Gone: e.Type == watch.Deleted}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return events, nil
}

// Delete implements packages.Home.
func (h *Home) Delete(ctx context.Context, r *revision.Revision) error {
	if r.Published() {
		return fmt.Errorf("%w: the package revision %s is published: propose its deletion", packages.ErrRefused, r.Name)
	}
	return classified(h.porch.Delete(ctx, r))
}

// classified returns an error of Porch as one of the kinds of the port.
func classified(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", kindOf(err), err)
}

func kindOf(err error) error {
	switch {
	case apierrors.IsNotFound(err), porch.SourceMissing(err):
		return packages.ErrAbsent
	case porch.Busy(err), apierrors.IsAlreadyExists(err):
		return packages.ErrStale
	case errors.Is(err, porch.ErrNoFiles), porch.TimedOut(err), isBroken(err):
		return packages.ErrUnsure
	case porch.Unavailable(err), porch.RunnerUnavailable(err):
		return packages.ErrUnavailable
	case porch.RefusesFiles(err), porch.Placeholder(err), porch.SourceUnpublished(err), !porch.Unsure(err):
		return packages.ErrRefused
	}
	return packages.ErrUnsure
}

// isBroken reports whether a connection ended before the answer came, so that what was asked may have been done.
func isBroken(err error) bool {
	var network net.Error
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &network) && (!errors.As(err, &op) || op.Op != "dial")
}
