// SPDX-License-Identifier: Apache-2.0

// Package trace is the tree from a blueprint to the sets, variants and package revisions that are derived from it, with
// the state of each, in all its formats. The tree is a pure function of what was read.
package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Node is an object of the tree, and what is derived from it.
type Node struct {
	// Kind is Package, PackageVariantSet, Wave, PackageVariant or PackageRevision.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Revision is the number of a package revision; for a package its latest revision, for a variant that of its upstream.
	Revision string `json:"revision,omitempty"`
	// State is the state of the object: Ready, Stalled, Reconciling, Suspended or Pending, the lifecycle of a package
	// revision, or the state of a wave. Reason and Message explain it, Since is when it began.
	State   string       `json:"state"`
	Reason  string       `json:"reason,omitempty"`
	Message string       `json:"message,omitempty"`
	Since   *metav1.Time `json:"since,omitempty"`
	// Children are what is derived from the object, by name.
	Children []*Node `json:"children,omitempty"`
}

// Input is all that a tree depends on.
type Input struct {
	words.Home
	Sets      []v1alpha2.PackageVariantSet
	Variants  []v1alpha1.PackageVariant
	Revisions []revision.Revision
	// Waves are the waves of sets with a rollout, by the name of the set, where they are known.
	Waves map[string]Waves
}

// Build returns the trees through an object: from the packages that a set, a variant or a package is made from down to
// everything derived from it. If the object does not exist, the error suggests a similar name.
func Build(in *Input, of naming.Object, namespace string) ([]*Node, error) {
	b := &builder{Input: in, on: map[revision.Package]bool{}}
	switch of.Kind.Name {
	case naming.Set.Name:
		return b.fromSet(of.Name, namespace)
	case naming.Variant.Name:
		return b.fromVariant(of.Name, namespace)
	default:
		return b.fromPackage(of, namespace)
	}
}

type builder struct {
	*Input
	// on are the packages on the path from the root; meeting one again ends a cycle.
	on map[revision.Package]bool
}

// fromSet returns a tree for each package that the variants of a set are made from.
func (b *builder) fromSet(name, namespace string) ([]*Node, error) {
	var names []string
	for i := range b.Sets {
		if names = append(names, b.Sets[i].Name); b.Sets[i].Name == name {
			return b.setTrees(&b.Sets[i]), nil
		}
	}
	return nil, naming.NotFound(naming.Set, name, namespace, names)
}

func (b *builder) setTrees(set *v1alpha2.PackageVariantSet) []*Node {
	byPackage := map[revision.Package][]*v1alpha1.PackageVariant{}
	for i := range b.Variants {
		if pv := &b.Variants[i]; naming.SetOf(pv) == set.Name && pv.Spec.Upstream != nil {
			pkg := revision.UpstreamOf(pv.Spec.Upstream)
			byPackage[pkg] = append(byPackage[pkg], pv)
		}
	}
	if u := set.Spec.Upstream; u != nil && len(byPackage) == 0 {
		byPackage[revision.UpstreamOf(u)] = nil
	}
	if len(byPackage) == 0 {
		return []*Node{b.set(set, nil)}
	}
	var trees []*Node
	for _, pkg := range sortedPackages(byPackage) {
		n := b.pkg(pkg)
		b.within(pkg, func() { n.Children = []*Node{b.set(set, byPackage[pkg])} })
		trees = append(trees, n)
	}
	return trees
}

// fromVariant returns the tree of one variant, below its package and its set.
func (b *builder) fromVariant(name, namespace string) ([]*Node, error) {
	var names []string
	for i := range b.Variants {
		if names = append(names, b.Variants[i].Name); b.Variants[i].Name == name {
			return []*Node{b.variantTree(&b.Variants[i])}, nil
		}
	}
	return nil, naming.NotFound(naming.Variant, name, namespace, names)
}

func (b *builder) variantTree(pv *v1alpha1.PackageVariant) *Node {
	if pv.Spec.Upstream == nil {
		return b.variant(pv)
	}
	pkg := revision.UpstreamOf(pv.Spec.Upstream)
	n := b.pkg(pkg)
	b.within(pkg, func() {
		n.Children = []*Node{b.variant(pv)}
		for i := range b.Sets {
			if b.Sets[i].Name == naming.SetOf(pv) {
				n.Children = []*Node{b.set(&b.Sets[i], []*v1alpha1.PackageVariant{pv})}
			}
		}
	})
	return n
}

// fromPackage returns the tree of a package, named by REPOSITORY/PACKAGE or by one of its revisions. A package that a
// variant makes is shown in that variant's tree.
func (b *builder) fromPackage(of naming.Object, namespace string) ([]*Node, error) {
	var known []string
	for i := range b.Revisions {
		r := &b.Revisions[i]
		names := []string{r.Name}
		if of.Kind.Name == naming.Package.Name {
			names = []string{r.Package.String(), naming.Package.Resource + "/" + r.Package.String()}
		}
		if known = append(known, names[0]); !slices.Contains(names, of.Name) {
			continue
		}
		for j := range b.Variants {
			if d := b.Variants[j].Spec.Downstream; d != nil && revision.DownstreamOf(&b.Variants[j].Spec) == r.Package {
				return []*Node{b.variantTree(&b.Variants[j])}, nil
			}
		}
		return []*Node{b.blueprint(r.Package)}, nil
	}
	slices.Sort(known)
	return nil, naming.NotFound(of.Kind, of.Name, namespace, slices.Compact(known))
}

// blueprint returns a package with all that is derived from it.
func (b *builder) blueprint(pkg revision.Package) *Node {
	n := b.pkg(pkg)
	n.Children = b.derived(pkg)
	return n
}

// derived returns the sets and the variants that are made from a package.
func (b *builder) derived(pkg revision.Package) []*Node {
	if b.on[pkg] {
		return nil
	}
	var nodes []*Node
	b.within(pkg, func() {
		of, alone := map[string][]*v1alpha1.PackageVariant{}, []*v1alpha1.PackageVariant(nil)
		for i := range b.Variants {
			pv := &b.Variants[i]
			if pv.Spec.Upstream == nil || revision.UpstreamOf(pv.Spec.Upstream) != pkg {
				continue
			}
			if b.hasSet(naming.SetOf(pv)) {
				of[naming.SetOf(pv)] = append(of[naming.SetOf(pv)], pv)
			} else {
				alone = append(alone, pv)
			}
		}
		for i := range b.Sets {
			set := &b.Sets[i]
			named := set.Spec.Upstream != nil && revision.UpstreamOf(set.Spec.Upstream) == pkg
			if named || len(of[set.Name]) > 0 {
				nodes = append(nodes, b.set(set, of[set.Name]))
			}
		}
		for _, pv := range alone {
			nodes = append(nodes, b.variant(pv))
		}
	})
	return nodes
}

func (b *builder) hasSet(name string) bool {
	return slices.ContainsFunc(b.Sets, func(s v1alpha2.PackageVariantSet) bool { return s.Name == name })
}

// within calls do with a package on the path.
func (b *builder) within(pkg revision.Package, do func()) {
	before := b.on[pkg]
	b.on[pkg] = true
	do()
	b.on[pkg] = before
}

// pkg returns the node of a package, by its latest published revision.
func (b *builder) pkg(pkg revision.Package) *Node {
	var revisions []revision.Revision
	for i := range b.Revisions {
		if b.Revisions[i].Package == pkg {
			revisions = append(revisions, b.Revisions[i])
		}
	}
	n := &Node{Kind: naming.Package.Name, Name: pkg.String()}
	latest := revision.LatestPublished(revisions)
	switch {
	case latest != nil:
		n.Revision, n.State, n.Since = number(latest), string(latest.Lifecycle), since(latest)
	case len(revisions) == 0:
		n.State, n.Message = "NotFound", b.Packages+" has no revision of it"
	case b.hasBranch(revisions):
		n.Revision, n.State, n.Message = "main", stateBranch, "the branch is the upstream; no revision of it is published"
	default:
		n.State, n.Message = "Unpublished", "no revision of it is published"
	}
	return n
}

// hasBranch reports whether a variant is made from the branch among the revisions of a package.
func (b *builder) hasBranch(of []revision.Revision) bool {
	return slices.ContainsFunc(of, func(r revision.Revision) bool {
		return r.Main() && slices.ContainsFunc(b.Variants, func(pv v1alpha1.PackageVariant) bool {
			return pv.Status.Upstream != nil && pv.Status.Upstream.Name == r.Name
		})
	})
}

func number(r *revision.Revision) string {
	if r.Number <= 0 {
		return ""
	}
	return fmt.Sprintf("v%d", r.Number)
}

func since(r *revision.Revision) *metav1.Time {
	at := r.Created
	if r.Published() && !r.PublishedAt.IsZero() {
		at = r.PublishedAt
	}
	if at.IsZero() {
		return nil
	}
	return &metav1.Time{Time: at}
}

func sortedPackages[T any](of map[revision.Package]T) []revision.Package {
	var all []revision.Package
	for pkg := range of {
		all = append(all, pkg)
	}
	slices.SortFunc(all, func(a, b revision.Package) int {
		return cmp.Or(strings.Compare(a.Repo, b.Repo), strings.Compare(a.Name, b.Name))
	})
	return all
}
