// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"context"
	"fmt"
	"time"

	"github.com/package-variants/package-variants/sync-controller/internal/kube/ttlcache"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// One object is often wanted for many packages at once, and for each package when its draft is made and when it is
// published. So those read last are kept: as many as a wave of a rollout may have on its way, for they may be large,
// and not for long, for they may be secret.
const (
	keptObjects = 256
	keptFor     = 30 * time.Second
)

// Contents reads whole objects whose metadata Watches hold.
type Contents struct {
	watches Source
	live    client.Reader
	recent  *ttlcache.Values[map[string]any]
}

// NewContents returns Contents that reads from the API what the watches know of.
func NewContents(watches Source, live client.Reader) *Contents {
	return &Contents{watches: watches, live: live, recent: ttlcache.New[map[string]any](keptObjects, keptFor)}
}

// Read returns an object of a kind that is in use, as it is now or a little later than the metadata say, to be read
// only; nil if there is none. The error is the Problem of the kind, or passes.
func (c *Contents) Read(ctx context.Context, r Reference) (map[string]any, error) {
	if err := c.watches.Problem(r.Kind); err != nil {
		return nil, err
	}
	known := c.watches.Object(r.Kind, r.Name)
	if known == nil {
		return nil, nil
	}
	object, err := c.recent.Get(r.APIVersion+"/"+Version(known), func() (map[string]any, error) {
		u := &unstructured.Unstructured{}
		u.SetAPIVersion(r.APIVersion)
		u.SetKind(r.Kind.Kind)
		err := c.live.Get(ctx, client.ObjectKeyFromObject(known), u)
		return u.Object, err
	})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil // the watch will tell
	case apierrors.IsForbidden(err):
		return nil, c.watches.denied(r.Kind, known.Namespace)
	case err != nil:
		return nil, fmt.Errorf("cannot read the %s %q: %w", r.Kind.Kind, r.Name, err)
	}
	return object, nil
}
