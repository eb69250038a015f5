// SPDX-License-Identifier: Apache-2.0

package watches

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/objects"
)

// TestUsers checks which users an object has, and that what is no longer referred to takes no memory.
func TestUsers(t *testing.T) {
	t.Parallel()
	u := users{}
	named := func(name string) objects.Reference { return objects.Reference{Kind: configMaps, Name: name} }
	expect := func(why, object string, want ...string) {
		t.Helper()
		var got []string
		for _, user := range u.of(configMaps, object) {
			got = append(got, user.Name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, users of %s (-want +got):\n%s", why, object, diff)
		}
	}
	expect("without users", "a")
	u.add(eu, named("a"))
	u.add(eu, named("b"))
	u.add(us, named("b"))
	expect("by name", "a", "web-eu")
	expect("by name", "b", "web-eu", "web-us")
	expect("by another name", "c")
	u.add(us, named(""))
	expect("by kind", "a", "web-eu", "web-us")
	expect("by kind and by name: once", "b", "web-eu", "web-us")
	u.drop(us, named("b"))
	u.drop(eu, named("a"))
	u.drop(eu, named("b"))
	expect("by kind alone", "b", "web-us")
	u.add(eu, named("c"))
	var all []string
	for _, user := range u.all(configMaps) {
		all = append(all, user.Name)
	}
	slices.Sort(all)
	if diff := cmp.Diff([]string{"web-eu", "web-us"}, all); diff != "" {
		t.Errorf("all users, -want +got:\n%s", diff)
	}
	u.drop(eu, named("c"))
	u.drop(us, named(""))
	u.drop(us, named(""))
	if len(u) > 0 {
		t.Errorf("%v is kept", u)
	}
}
