// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/manifestfile"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// mistyped returns an error for an object of unknown kind that is of a known kind in another version, or has almost the
// name of one. Otherwise it would be taken for an object that sets select, and ignored.
func mistyped(m manifestfile.Object) error {
	if _, unknown := m.Object.(*unstructured.Unstructured); !unknown {
		return nil
	}
	gvk := m.GetObjectKind().GroupVersionKind()
	meant, far := nearest(gvk)
	switch {
	case meant.Name == "":
		return nil
	case far == 0 && meant.Group() == gvk.Group:
		return fmt.Errorf("%s, line %d: %s %s is of %s, which is another API: write it as %s", m.Path, m.Line, gvk.Kind,
			m.GetName(), gvk.GroupVersion(), meant.APIVersion)
	}
	return fmt.Errorf("%s, line %d: there is no kind %s of %s: did you mean %s of %s?", m.Path, m.Line, gvk.Kind,
		gvk.GroupVersion(), meant.Name, meant.APIVersion)
}

// nearest returns the planned kind whose name is nearest to that of a kind, and the number of letters that differ; no
// kind if more than two differ.
func nearest(gvk schema.GroupVersionKind) (live.Kind, int) {
	var best live.Kind
	least := 3
	for _, k := range []live.Kind{live.Variant, live.Set, live.Repository} {
		if k.Name == live.Repository.Name && gvk.Group != k.Group() { // other APIs have kinds of this name, too
			continue
		}
		distance := levenshtein.ComputeDistance(gvk.Kind, k.Name)
		if strings.EqualFold(gvk.Kind, k.Name) {
			distance = min(distance, 1)
		}
		if distance < least {
			best, least = k, distance
		}
	}
	return best, least
}
