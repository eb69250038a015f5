// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/singleflight"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// One object is often wanted for many packages at once, so those read last are kept: few, for they may be large, and not
// for long, for they may be secret.
const (
	keptObjects = 64
	keptFor     = 30 * time.Second
)

// Contents reads whole objects of which Watches hold the metadata.
type Contents struct {
	live   client.Reader
	recent *cache.LRUExpireCache // by contentKey
	reads  singleflight.Group    // likewise
}

// NewContents returns Contents that reads from the API.
func NewContents(live client.Reader) *Contents {
	return &Contents{live: live, recent: cache.NewLRUExpireCache(keptObjects)}
}

// contentKey is what a content is known by: an object has another one in each version of its API.
func contentKey(kind Kind, o metav1.Object) string { return kind.APIVersion + "/" + Version(o) }

// Read returns the object that the metadata are of, as it is now or a little later than they say, to be read only. Of one
// that is gone the error is NotFound.
func (c *Contents) Read(ctx context.Context, kind Kind, known *metav1.PartialObjectMetadata) (map[string]any, error) {
	if object, kept := c.recent.Get(contentKey(kind, known)); kept {
		return asContent(object)
	}
	object, err, _ := c.reads.Do(contentKey(kind, known), func() (any, error) {
		u := &unstructured.Unstructured{}
		u.SetAPIVersion(kind.APIVersion)
		u.SetKind(kind.Kind)
		if err := c.live.Get(ctx, client.ObjectKeyFromObject(known), u); err != nil {
			return nil, err
		}
		c.recent.Add(contentKey(kind, u), u.Object, keptFor)
		return u.Object, nil
	})
	if err != nil {
		return nil, err
	}
	return asContent(object)
}

func asContent(object any) (map[string]any, error) {
	content, ok := object.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("kept %T as a content", object)
	}
	return content, nil
}
