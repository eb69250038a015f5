// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var us = Owner{Name: "web-eu", UID: "uid"}

const group = "config.porch.kpt.dev"

// ref returns an owner reference, of a future version of the API.
func ref(group, kind, name, uid string) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: group + "/v1beta9", Kind: kind, Name: name, UID: types.UID(uid)}
}

// controller makes a reference that of the controller.
func controller(r metav1.OwnerReference) metav1.OwnerReference {
	r.Controller = ptr(true)
	return r
}

func ptr[T any](v T) *T { return &v }

func TestPublishedAndMain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in              Revision
		published, main bool
	}{
		"draft":             {Revision{Lifecycle: "Draft"}, false, false},
		"proposed":          {Revision{Lifecycle: "Proposed"}, false, false},
		"published":         {Revision{Lifecycle: "Published", Number: 1}, true, false},
		"deletion proposed": {Revision{Lifecycle: "DeletionProposed", Number: 1}, true, false},
		"main branch":       {Revision{Lifecycle: "Published", Number: -1}, true, true},
	} {
		if got := c.in.Published(); got != c.published {
			t.Errorf("%s: published is %v", name, got)
		}
		if got := c.in.Open(); got == c.published {
			t.Errorf("%s: open is %v", name, got)
		}
		if got := c.in.Main(); got != c.main {
			t.Errorf("%s: main is %v", name, got)
		}
	}
}

func TestOwners(t *testing.T) {
	t.Parallel()
	ours := us.Reference()
	uncontrolled := ours
	uncontrolled.Controller = ptr(false)
	old := ref(group, "PackageVariant", "web-eu", "before")
	rival := controller(ref(group, "PackageVariant", "web-us", "r"))
	foreign := ref("example.com", "PackageVariant", "web-eu", "uid")
	set := ref(group, "PackageVariantSet", "web-eu", "uid")
	malformed := metav1.OwnerReference{APIVersion: "a/b/c", Kind: "PackageVariant", Name: "web-eu", UID: "uid"}
	type refs = []metav1.OwnerReference
	for name, c := range map[string]struct {
		owners         refs
		owned, current bool
		other          string
		variants       []string
		ownedBy        refs
		orphaned       refs
	}{
		"none": {nil, false, false, "", nil, refs{ours}, nil},
		"ours": {refs{ours}, true, true, "", []string{"web-eu"}, refs{ours}, refs{}},
		"ours of another version": {refs{ref(group, "PackageVariant", "web-eu", "uid")}, true, true, "",
			[]string{"web-eu"}, refs{ours}, refs{}},
		"ours before a restore": {refs{old}, true, false, "", []string{"web-eu"}, refs{ours}, refs{}},
		"ours before and after": {refs{old, ours}, true, true, "", []string{"web-eu", "web-eu"}, refs{ours}, refs{}},
		"ours after and before": {refs{ours, old}, true, true, "", []string{"web-eu", "web-eu"}, refs{ours}, refs{}},
		"a rival": {refs{rival}, false, false, "web-us", []string{"web-us"}, refs{rival, uncontrolled},
			refs{rival}},
		"a rival and ours": {refs{rival, ours}, true, true, "web-us", []string{"web-us", "web-eu"},
			refs{rival, uncontrolled}, refs{rival}},
		"a rival, and ours that does not control": {refs{rival, uncontrolled}, false, false, "web-us",
			[]string{"web-us", "web-eu"}, refs{rival, uncontrolled}, refs{rival}},
		"ours, and a rival that does not control": {refs{ref(group, "PackageVariant", "web-us", "r"), ours}, true, true, "",
			[]string{"web-us", "web-eu"}, refs{ref(group, "PackageVariant", "web-us", "r"), ours},
			refs{ref(group, "PackageVariant", "web-us", "r")}},
		"another controller, and ours": {refs{controller(set), uncontrolled}, true, true, "", []string{"web-eu"},
			refs{controller(set), uncontrolled}, refs{controller(set)}},
		"another controller": {refs{controller(set)}, false, false, "", nil, refs{controller(set), uncontrolled},
			refs{controller(set)}},
		"another that does not":        {refs{set}, false, false, "", nil, refs{set, ours}, refs{set}},
		"the same kind of other group": {refs{foreign}, false, false, "", nil, refs{foreign, ours}, refs{foreign}},
		"a version that is none":       {refs{malformed}, false, false, "", nil, refs{malformed, ours}, refs{malformed}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Revision{Owners: c.owners}
			before := append(refs(nil), c.owners...)
			owned, current := r.Of(us)
			if owned != c.owned || current != c.current {
				t.Errorf("Of: got %v, %v, want %v, %v", owned, current, c.owned, c.current)
			}
			if got := r.OtherOwner(us); got != c.other {
				t.Errorf("OtherOwner: got %q, want %q", got, c.other)
			}
			if diff := cmp.Diff(c.variants, Variants(c.owners)); diff != "" {
				t.Errorf("Variants, -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.ownedBy, r.OwnedBy(us)); diff != "" {
				t.Errorf("OwnedBy, -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.orphaned, r.OrphanedBy(us)); diff != "" {
				t.Errorf("OrphanedBy, -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(before, c.owners); diff != "" {
				t.Errorf("the cached owners were changed, -want +got:\n%s", diff)
			}
		})
	}
}

func TestReference(t *testing.T) {
	t.Parallel()
	want := metav1.OwnerReference{APIVersion: "config.porch.kpt.dev/v1alpha1", Kind: "PackageVariant", Name: "web-eu",
		UID: "uid", Controller: ptr(true)}
	if diff := cmp.Diff(want, us.Reference()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLatestPublished(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   []Revision
		want int // -1 for none
	}{
		"none":                       {nil, -1},
		"the highest number":         {[]Revision{rev("web", 2, ""), rev("web", 10, ""), rev("web", 9, "")}, 1},
		"no draft":                   {[]Revision{rev("web", 1, ""), rev("web", 0, "")}, 0},
		"drafts only":                {[]Revision{rev("web", 0, "")}, -1},
		"not the main branch":        {[]Revision{rev("web", -1, "")}, -1},
		"what is to be deleted, too": {[]Revision{rev("web", 1, ""), deletionProposed(rev("web", 2, ""))}, 1},
	} {
		got := -1
		if latest := LatestPublished(c.in); latest != nil {
			for i := range c.in {
				if latest == &c.in[i] {
					got = i
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: got the revision at %d, want %d", name, got, c.want)
		}
	}
}

func TestNextWorkspace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		workspaces []string
		want       string
	}{
		"none":          {nil, "packagevariant-1"},
		"the next":      {[]string{"packagevariant-1", "packagevariant-2"}, "packagevariant-3"},
		"in any order":  {[]string{"packagevariant-10", "packagevariant-9"}, "packagevariant-11"},
		"gaps stay":     {[]string{"packagevariant-1", "packagevariant-4"}, "packagevariant-5"},
		"foreign names": {[]string{"v7", "main", "", "my-packagevariant-8"}, "packagevariant-1"},
		"a suffix, no number": {[]string{"packagevariant-x", "packagevariant-", "packagevariant-2b", "packagevariant-1"},
			"packagevariant-2"},
		"negative":              {[]string{"packagevariant--5"}, "packagevariant-1"},
		"leading zeros":         {[]string{"packagevariant-007"}, "packagevariant-8"},
		"too large a number":    {[]string{"packagevariant-99999999999999999999", "packagevariant-3"}, "packagevariant-4"},
		"of what was published": {[]string{"packagevariant-1"}, "packagevariant-2"},
	} {
		if got := NextWorkspace(c.workspaces); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestPackageString(t *testing.T) {
	t.Parallel()
	if got := (Package{Repo: "edge", Name: "a/web"}).String(); got != "edge/a/web" {
		t.Errorf("got %q", got)
	}
}

// TestOverlaps checks which Repositories have packages of each other's directories.
func TestOverlaps(t *testing.T) {
	t.Parallel()
	one := Repository{Address: "https://git/edge.git", Branch: "main", Directory: "a/b"}
	for name, c := range map[string]struct {
		edit func(*Repository)
		want bool
	}{
		"the same directory":          {func(r *Repository) { r.Directory = "/a/b/" }, true},
		"another form of address":     {func(r *Repository) { r.Address = "https://git/edge" }, true},
		"a directory inside":          {func(r *Repository) { r.Directory = "a/b/c" }, true},
		"a directory around":          {func(r *Repository) { r.Directory = "a" }, true},
		"the whole git repository":    {func(r *Repository) { r.Directory = "" }, true},
		"a directory beside":          {func(r *Repository) { r.Directory = "a/c" }, false},
		"a name that begins the same": {func(r *Repository) { r.Directory = "a/bc" }, false},
		"another branch":              {func(r *Repository) { r.Branch = "next" }, false},
		"another git repository":      {func(r *Repository) { r.Address = "https://git/other" }, false},
		"no git repository":           {func(r *Repository) { r.Address = "" }, false},
	} {
		other := one
		c.edit(&other)
		if one.Overlaps(&other) != c.want || other.Overlaps(&one) != c.want {
			t.Errorf("%s: got %t and %t, want %t", name, one.Overlaps(&other), other.Overlaps(&one), c.want)
		}
	}
}
