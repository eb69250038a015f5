// SPDX-License-Identifier: Apache-2.0

package base

import (
	"cmp"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// identity identifies an object: the version of its API and its file do not count.
type identity struct {
	kind            schema.GroupKind
	namespace, name string
}

// identityOf returns the identity of an object. An object without a namespace gets the given one.
func identityOf(o snapshot.Object, namespace string) identity {
	return identity{o.GetObjectKind().GroupVersionKind().GroupKind(), cmp.Or(o.GetNamespace(), namespace), o.GetName()}
}

// Gone returns the objects of the base that the manifests do not have, each once, in the order of the base. Objects
// without a namespace are taken to be in the given one.
func (b *Base) Gone(manifests []snapshot.Object, namespace string) []snapshot.Object {
	seen := map[identity]bool{}
	for _, m := range manifests {
		seen[identityOf(m, namespace)] = true
	}
	var gone []snapshot.Object
	for _, o := range b.Objects {
		if id := identityOf(o, namespace); !seen[id] && id.name != "" {
			seen[id] = true
			gone = append(gone, o)
		}
	}
	return gone
}
