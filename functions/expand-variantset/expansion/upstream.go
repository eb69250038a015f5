// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/node"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// PackageName names a package in a Repository.
type PackageName struct {
	Repo, Package string
}

// String returns the repository and the package, as messages name them.
func (p PackageName) String() string { return p.Repo + "/" + p.Package }

// NamedUpstream is an upstream that a set names, and the path of the field.
type NamedUpstream struct {
	Path string
	*variant.Upstream
}

// NamedUpstreams returns the upstreams that a set, whose spec stands at path, names. A set that selects its upstreams
// names none.
func NamedUpstreams(set *v1alpha2.PackageVariantSet, path string) []NamedUpstream {
	if u := set.Spec.Upstream; u != nil {
		return []NamedUpstream{{Path: node.Join(path, "upstream"), Upstream: u}}
	}
	out := make([]NamedUpstream, len(set.Spec.Upstreams))
	for i := range set.Spec.Upstreams {
		out[i] = NamedUpstream{Path: node.Index(node.Join(path, "upstreams"), i), Upstream: &set.Spec.Upstreams[i]}
	}
	return out
}

// Candidates returns a function that reports whether a package revision, by itself, can be an upstream of the set. An
// invalid selector selects none.
func Candidates(set *v1alpha2.PackageVariantSet) func(r *PackageRevision) bool {
	if s := set.Spec.UpstreamSelector; s != nil {
		selects, err := selection(s)
		if err != nil {
			return func(*PackageRevision) bool { return false }
		}
		return selects
	}
	named := NamedUpstreams(set, "")
	return func(r *PackageRevision) bool {
		return slices.ContainsFunc(named, func(u NamedUpstream) bool {
			return FindUpstream(u.Upstream, []PackageRevision{*r}) != nil
		})
	}
}

// selection returns what a selector selects: published revisions, of its Repository if it names one, by their labels.
// Revisions on a branch are left out.
func selection(s *v1alpha2.UpstreamSelector) (func(r *PackageRevision) bool, error) {
	selector, err := metav1.LabelSelectorAsSelector(&s.LabelSelector)
	if err != nil {
		return nil, err
	}
	return func(r *PackageRevision) bool {
		return r.IsNumbered() && (s.Repo == "" || s.Repo == r.Repo) && selector.Matches(labels.Set(r.Labels))
	}, nil
}

// origin is an upstream that variants of a set are made from.
type origin struct {
	// spec is the upstream as the variants name it. They share it.
	spec *variant.Upstream
	// path is the field that it comes from; of names it after a target in messages, if the set has several.
	path, of string
	variable map[string]any
}

// origins returns the upstreams of a set whose spec stands at path, and its upstreamSelector if that selects none.
func (s *Snapshot) origins(set *v1alpha2.PackageVariantSet, path string) ([]origin, *Empty, error) {
	if set.Spec.UpstreamSelector != nil {
		return s.selectedOrigins(set.Spec.UpstreamSelector, node.Join(path, "upstreamSelector"))
	}
	named := NamedUpstreams(set, path)
	revisions := map[PackageName][]PackageRevision{}
	for _, r := range s.PackageRevisions {
		name := PackageName{r.Repo, r.Package}
		revisions[name] = append(revisions[name], r)
	}
	out := make([]origin, len(named))
	for i, u := range named {
		found := FindUpstream(u.Upstream, revisions[PackageName{u.Repo, u.Package}])
		if found == nil {
			return nil, nil, fieldErrorf(u.Path,
				"there is no %s in namespace %q: correct the upstream, or add the PackageRevision to the snapshot",
				u.Describe(), set.Namespace)
		}
		out[i] = namedOrigin(set, u)
		out[i].see(found)
	}
	return out, nil, nil
}

// namedOrigin returns the origin for an upstream that a set names, without what expressions see of it.
func namedOrigin(set *v1alpha2.PackageVariantSet, u NamedUpstream) origin {
	o := origin{spec: u.DeepCopy(), path: u.Path}
	if set.Spec.Upstream == nil {
		o.of = " of " + u.Path
	}
	return o
}

// selectedOrigins returns the newest revision that the selector selects of each package, in the order of their names.
func (s *Snapshot) selectedOrigins(sel *v1alpha2.UpstreamSelector, path string) ([]origin, *Empty, error) {
	selects, err := selection(sel)
	if err != nil {
		return nil, nil, fieldErrorf(path, "is no label selector: %s", err)
	}
	newest := map[PackageName]int{}
	var out []origin
	for i := range s.PackageRevisions {
		r := &s.PackageRevisions[i]
		if !selects(r) {
			continue
		}
		name := PackageName{r.Repo, r.Package}
		number := r.number()
		at, known := newest[name]
		if !known {
			at = len(out)
			newest[name] = at
			out = append(out, origin{path: path, of: " of upstream " + name.String(),
				spec: &variant.Upstream{Repo: r.Repo, Package: r.Package}})
		}
		if before, _ := out[at].spec.Revision.Number(); number > before {
			out[at].spec.Revision = variant.RevisionNumber(number)
			out[at].see(r)
		}
	}
	if len(out) == 0 {
		in := ""
		if sel.Repo != "" {
			in = fmt.Sprintf(" of Repository %q", sel.Repo)
		}
		return nil, &Empty{Path: path, Message: fmt.Sprintf("%s selects no published PackageRevision%s", path, in),
			NoObjects: len(s.PackageRevisions) == 0}, nil
	}
	slices.SortFunc(out, func(a, b origin) int {
		return cmp.Or(cmp.Compare(a.spec.Repo, b.spec.Repo), cmp.Compare(a.spec.Package, b.spec.Package))
	})
	return out, nil, nil
}

// see sets what expressions see of the revision. If a set has several upstreams, they also see its repository and
// package; Porch's own controller, which supports only one upstream, shows neither.
func (o *origin) see(r *PackageRevision) {
	o.variable = r.variable(nil)
	if o.of != "" {
		o.variable["repo"], o.variable["package"] = r.Repo, r.Package
	}
}

// Made is a variant that a set has made, and the package that it was made from, as MadeFrom returns it.
type Made struct {
	Name     string
	Upstream PackageName
}

// MadeFrom returns the package that a variant was made from. It returns a zero one unless the upstream is a revision
// with a number, as for selected upstreams.
func MadeFrom(u *variant.Upstream) PackageName {
	if n, _ := u.Revision.Number(); n <= 0 {
		return PackageName{}
	}
	return PackageName{u.Repo, u.Package}
}

// LostUpstream returns an error, and the package, if a package that variants of the set were made from no longer has a
// published revision, whatever its labels. A set that selects its upstreams would assume that the package lost its
// labels, and delete the variants. But if a Repository was unregistered, or Porch has not read it yet, that looks the
// same. Sets that name their upstreams do not find them in this case, and also leave everything as it is. The set's
// spec stands at path; there reports whether a package has a revision that IsNumbered.
func LostUpstream(set *v1alpha2.PackageVariantSet, path string, made []Made,
	there func(PackageName) bool) (PackageName, error) {
	sel := set.Spec.UpstreamSelector
	if sel == nil {
		return PackageName{}, nil
	}
	var lost PackageName
	var names []string
	for _, m := range made {
		if m.Upstream == (PackageName{}) || sel.Repo != "" && sel.Repo != m.Upstream.Repo || there(m.Upstream) {
			continue
		}
		if len(names) == 0 {
			lost = m.Upstream
		}
		if m.Upstream == lost {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return PackageName{}, nil
	}
	return lost, fieldErrorf(node.Join(path, "upstreamSelector"),
		"there is no published PackageRevision of %s any more, which %d variants of this set are made from: "+
			"bring it back, or delete these variants: %s", lost, len(names), firstOf(names))
}
