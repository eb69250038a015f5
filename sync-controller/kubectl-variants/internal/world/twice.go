// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// checkTwice returns an error for an object that is there twice with different content: the order of files does not say
// which one is meant. where and remedy are parts of the error.
func checkTwice(objects []snapshot.Object, where, remedy string) error {
	type identity struct {
		kind schema.GroupVersionKind
		key  types.NamespacedName
	}
	seen := make(map[identity]snapshot.Object, len(objects))
	for _, o := range objects {
		id := identity{o.GetObjectKind().GroupVersionKind(), client.ObjectKeyFromObject(o)}
		first, twice := seen[id]
		if !twice {
			seen[id] = o
			continue
		}
		if o.GetName() == "" || equality.Semantic.DeepEqual(first.Object, o.Object) {
			continue
		}
		return fmt.Errorf("%s %s is twice in %s, with different content, in %s, line %d, and %s, line %d: %s", id.kind.Kind,
			o.GetName(), where, first.Path, first.Line, o.Path, o.Line, remedy)
	}
	return nil
}
