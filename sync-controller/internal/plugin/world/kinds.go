// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/sync-controller/internal/snapshot"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// repository is the kind of Porch's Repositories. Other APIs have kinds of this name, too.
var repository = configapi.GroupVersion.WithKind("Repository")

// kinds returns the kinds that a plan is about.
func kinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{
		v1alpha1.GroupVersion.WithKind("PackageVariant"),
		v1alpha2.GroupVersion.WithKind(v1alpha2.PackageVariantSetKind),
		repository,
	}
}

// mistyped returns an error for an object that was not read as one of the known kinds, but is of one in another
// version, or almost of one: it would be taken for an object that sets select, and left out.
func mistyped(m snapshot.Object) error {
	if _, unknown := m.Object.(*unstructured.Unstructured); !unknown {
		return nil
	}
	gvk := m.GetObjectKind().GroupVersionKind()
	meant, far := nearest(gvk)
	switch {
	case meant.Empty():
		return nil
	case far == 0 && meant.Group == gvk.Group:
		return fmt.Errorf("%s, line %d: %s %s is of %s, which is another API: write it as %s", m.Path, m.Line, gvk.Kind,
			m.GetName(), gvk.GroupVersion(), meant.GroupVersion())
	}
	return fmt.Errorf("%s, line %d: there is no kind %s of %s: did you mean %s of %s?", m.Path, m.Line, gvk.Kind,
		gvk.GroupVersion(), meant.Kind, meant.GroupVersion())
}

// nearest returns the known kind that is nearest to a kind, and how many letters differ; none if more than two differ.
func nearest(gvk schema.GroupVersionKind) (schema.GroupVersionKind, int) {
	var best schema.GroupVersionKind
	least := 3
	for _, k := range kinds() {
		if k == repository && gvk.Group != k.Group {
			continue
		}
		distance := levenshtein.ComputeDistance(gvk.Kind, k.Kind)
		if strings.EqualFold(gvk.Kind, k.Kind) {
			distance = min(distance, 1)
		}
		if distance < least {
			best, least = k, distance
		}
	}
	return best, least
}
