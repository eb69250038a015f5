// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRefuse checks that a refused object fails, and no other object of that name.
func TestRefuse(t *testing.T) {
	t.Parallel()
	plan := &Plan{
		Sets: []Set{{Namespace: "a", Name: "web"}, {Namespace: "b", Name: "web"}},
		Variants: []Variant{{Namespace: "a", Name: "web", Action: Create}, {Namespace: "b", Name: "web", Action: Create},
			{Namespace: "a", Name: "shop", Action: Fail, Error: "boom"}},
	}
	plan.Refuse([]Refusal{
		{Kind: "PackageVariant", Namespace: "a", Name: "web", Message: "a right is missing"},
		{Kind: "PackageVariant", Namespace: "a", Name: "shop", Message: "a right is missing"},
		{Kind: "PackageVariantSet", Namespace: "b", Name: "web", Message: "another is missing"},
	})
	const refused = "the API server does not take this from you: "
	want := &Plan{
		Counts: map[Action]int{Fail: 3, Create: 1},
		Sets:   []Set{{Namespace: "a", Name: "web"}, {Namespace: "b", Name: "web", Error: refused + "another is missing"}},
		Variants: []Variant{{Namespace: "a", Name: "web", Action: Fail, Error: refused + "a right is missing"},
			{Namespace: "b", Name: "web", Action: Create}, {Namespace: "a", Name: "shop", Action: Fail, Error: "boom"}},
	}
	if diff := cmp.Diff(want, plan); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
