// SPDX-License-Identifier: Apache-2.0

package watches

import (
	"context"
	"fmt"
	"time"

	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/ttlcache"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// One object is often needed for many packages at once, and again when the draft of a package is made and when it is
// published. So the last objects are kept: only as many as a wave of a rollout may need, because they may be large, and
// not for long, because they may be secret.
const (
	keptObjects = 256
	keptFor     = 30 * time.Second
)

// Source implements objects.Source: the watches, and the whole objects, which it reads from the API.
type Source struct {
	*Watches
	live   client.Reader
	recent *ttlcache.Values[map[string]any]
}

var _ objects.Source = (*Source)(nil)

// NewSource returns a Source over watches and an API server.
func NewSource(watches *Watches, live client.Reader) *Source {
	return &Source{Watches: watches, live: live, recent: ttlcache.New[map[string]any](keptObjects, keptFor)}
}

// Read returns an object of a kind in use, at the version of the metadata or a little later; nil if there is none.
// Callers must not change it. The error is the Problem of the kind, or temporary.
func (c *Source) Read(ctx context.Context, r objects.Reference) (map[string]any, error) {
	if err := c.Problem(r.Kind); err != nil {
		return nil, err
	}
	known := c.Object(r.Kind, r.Name)
	if known == nil {
		return nil, nil
	}
	object, err := c.recent.Get(r.APIVersion+"/"+objects.Version(known), func() (map[string]any, error) {
		u := &unstructured.Unstructured{}
		u.SetAPIVersion(r.APIVersion)
		u.SetKind(r.Kind.Kind)
		err := c.live.Get(ctx, client.ObjectKeyFromObject(known), u)
		return u.Object, err
	})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil // the watch will report it
	case apierrors.IsForbidden(err):
		return nil, c.denied(r.Kind, known.Namespace)
	case err != nil:
		return nil, fmt.Errorf("cannot read the %s %q: %w", r.Kind.Kind, r.Name, err)
	}
	return object, nil
}
