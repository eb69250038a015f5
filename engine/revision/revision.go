// SPDX-License-Identifier: Apache-2.0

// Package revision has what the controllers know about PackageRevisions and Repositories, as plain values.
package revision

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// workspacePrefix begins the workspace names of the drafts that a variant makes; a number follows (a the home
// convention).
const workspacePrefix = "packagevariant-"

// MigrationAnnotation on a Repository, with the value "true", makes the home serve its packages only in version
// v1alpha2 of its API.
const MigrationAnnotation = "porch.kpt.dev/v1alpha2-migration"

// main is the number that the home gives to the content of a repository's main branch.
const main = -1

// Lifecycle is the lifecycle of a package revision, in the words of the home's API.
type Lifecycle string

// The lifecycles.
const (
	Draft            Lifecycle = "Draft"
	Proposed         Lifecycle = "Proposed"
	Published        Lifecycle = "Published"
	DeletionProposed Lifecycle = "DeletionProposed"
)

// Task is how a draft is made, in the words of the home's API.
type Task struct {
	Type TaskType
	// Source is the name of the revision that is cloned or edited, or upgraded to.
	Source string
	// Base is, for an upgrade, the name of the upstream revision that Local was derived from.
	Base, Local string
}

// From returns the name of the revision of the same package that a draft was made from; "" for a clone.
func (t *Task) From() string {
	switch t.Type {
	case Edit:
		return t.Source
	case Upgrade:
		return t.Local
	default:
		return ""
	}
}

// TaskType is the type of a task.
type TaskType string

// The task types that a variant uses.
const (
	Clone   TaskType = "clone"
	Upgrade TaskType = "upgrade"
	Edit    TaskType = "edit"
)

// Label returns the task type as labels of metrics have it: Clone, Upgrade or Edit.
func (t TaskType) Label() string { return strings.ToUpper(string(t[:1])) + string(t[1:]) }

// Package names a package in a repository.
type Package struct {
	Repo, Name string
}

// String returns the repository and the package, as messages name them.
func (p Package) String() string { return p.Repo + "/" + p.Name }

// Names returns packages as messages, and indexes, name them.
func Names(packages []Package) []string {
	names := make([]string, len(packages))
	for i, p := range packages {
		names[i] = p.String()
	}
	return names
}

// NameOf returns the name of a revision of the package. The home builds it from the Repository, the path of the
// package, and the workspace.
func (p Package) NameOf(workspace string) string {
	return strings.Join([]string{p.Repo, strings.ReplaceAll(p.Name, "/", "."), workspace}, ".")
}

// Ancestors returns the packages, or directories that could be packages, that contain the package, the outermost first.
func (p Package) Ancestors() (all []Package) {
	for _, name := range variant.Ancestors(p.Name) {
		all = append(all, Package{Repo: p.Repo, Name: name})
	}
	return all
}

// UpstreamOf returns the package that an upstream names.
func UpstreamOf(u *variant.Upstream) Package { return Package{Repo: u.Repo, Name: u.Package} }

// DownstreamOf returns the package that a variant makes. The spec must have a downstream.
func DownstreamOf(s *variant.Spec) Package {
	return Package{Repo: s.Downstream.Repo, Name: s.Downstream.Package}
}

// Revision is a PackageRevision.
type Revision struct {
	Namespace, Name string
	Package         Package
	Workspace       string
	// Number is the revision's number, from 1; 0 for one that is not published, -1 for the main branch.
	Number    int
	Lifecycle Lifecycle
	// Deleting reports whether the revision is being deleted, and not gone yet.
	Deleting bool
	// Version is the state of the revision: equal versions are the same state. Read nothing else from it (docs/design.md,
	// "Any the home").
	Version string
	// Commit is the git commit with the content; "" if the home does not report it.
	Commit string
	// Tree identifies the content: equal trees are the same files. It is "" if the home does not tell it.
	Tree string
	// InParts says that the home writes the files of the revision one by one: a save may stop half-way, and while one is
	// unfinished, the task may be unknown. Other revisions are saved as a whole or not at all.
	InParts bool
	// Contains is the published revision of the package that is known to be in the draft, which need not be the one it was
	// made from; "" if none is known.
	Contains string
	// LeftToPeople says why only a person may publish the draft; "" if nothing does. It follows "because".
	LeftToPeople string
	// Origin is where git has the content of a published revision; nil if unknown. A package that is cloned from the
	// revision gets it as its lock.
	Origin *Lock
	// Created is when the home first knew the revision, PublishedAt when it was published.
	Created, PublishedAt time.Time
	Labels, Annotations  map[string]string
	Owners               []metav1.OwnerReference
	// Lock says what the package was derived from; nil if the home does not know.
	Lock *Lock
	// Task is how the revision was made; zero if unknown.
	Task Task
}

// Lock is the upstreamLock of a package: the content that it was last cloned from or upgraded to. The commit is "" if
// unknown. Tree, which is not written into the package, is that of the content, or "" if the home does not tell it.
type Lock struct {
	Repo, Directory, Ref, Commit, Tree string
}

// ByName compares revisions for slices.SortFunc: caches and lists have no order.
func ByName(a, b Revision) int { return strings.Compare(a.Name, b.Name) }

// Published reports whether the revision's content is final: whether it is Published or DeletionProposed.
func (r *Revision) Published() bool {
	return r.Lifecycle == Published || r.Lifecycle == DeletionProposed
}

// Main reports whether the revision is the main branch of its repository.
func (r *Revision) Main() bool { return r.Number == main }

// Owner identifies the PackageVariant that owns revisions.
type Owner struct {
	Name string
	UID  types.UID
}

// Of reports whether the revision belongs to the owner, and whether its owner reference has the owner's UID. An object
// that was restored from a backup has a new UID and owns what it owned (docs/design.md, "The controller").
func (r *Revision) Of(o Owner) (owned, current bool) {
	for _, ref := range r.owners() {
		if ref.Name == o.Name {
			owned = true
			current = current || ref.UID == o.UID
		}
	}
	return owned, current
}

// OtherOwner returns the name of another PackageVariant that owns the revision, or "" if none does.
func (r *Revision) OtherOwner(o Owner) string {
	for _, ref := range r.owners() {
		if ref.Name != o.Name {
			return ref.Name
		}
	}
	return ""
}

// owners returns the references to the PackageVariants that own the revision: to the one that controls it, if any does,
// because anyone who may change the revision's metadata can add others.
func (r *Revision) owners() []metav1.OwnerReference {
	variants := slices.DeleteFunc(slices.Clone(r.Owners), func(ref metav1.OwnerReference) bool { return !isVariant(ref) })
	if slices.ContainsFunc(variants, Controls) {
		variants = slices.DeleteFunc(variants, func(ref metav1.OwnerReference) bool { return !Controls(ref) })
	}
	return variants
}

// Controls reports whether an owner reference is to the object's controller, of which there is one at most.
func Controls(ref metav1.OwnerReference) bool { return ref.Controller != nil && *ref.Controller }

// OwnedBy returns the revision's owner references with one to the owner, replacing any with another UID.
func (r *Revision) OwnedBy(o Owner) []metav1.OwnerReference {
	refs := r.OrphanedBy(o)
	ref := o.Reference()
	*ref.Controller = !slices.ContainsFunc(refs, Controls)
	return append(refs, ref)
}

// OrphanedBy returns the revision's owner references without those of the owner.
func (r *Revision) OrphanedBy(o Owner) []metav1.OwnerReference {
	return slices.DeleteFunc(slices.Clone(r.Owners),
		func(ref metav1.OwnerReference) bool { return isVariant(ref) && ref.Name == o.Name })
}

// Open reports whether the revision may still be published: whether it is a Draft or Proposed.
func (r *Revision) Open() bool { return !r.Published() }

// Reference returns the owner reference that marks a revision as the owner's.
func (o Owner) Reference() metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: variant.APIVersion, Kind: variant.Kind, Name: o.Name, UID: o.UID,
		Controller: new(true)}
}

// Variants returns the names of the PackageVariants among the owners of an object.
func Variants(owners []metav1.OwnerReference) []string {
	var names []string
	for _, ref := range owners {
		if isVariant(ref) {
			names = append(names, ref.Name)
		}
	}
	return names
}

func isVariant(ref metav1.OwnerReference) bool { return RefersTo(ref, variant.Kind) }

// RefersTo reports whether an owner reference is to an object of a kind of this API, in any version.
func RefersTo(ref metav1.OwnerReference, kind string) bool {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	return err == nil && gv.Group == variant.GroupName && ref.Kind == kind
}

// LatestPublished returns the published revision with the highest number, or nil. The main branch does not count.
func LatestPublished(revisions []Revision) *Revision {
	var latest *Revision
	for i := range revisions {
		if r := &revisions[i]; r.Published() && !r.Main() && (latest == nil || r.Number > latest.Number) {
			latest = r
		}
	}
	return latest
}

// Candidates returns the revisions in the form that the search for an upstream needs.
func Candidates(revisions []Revision) []variant.Candidate {
	out := make([]variant.Candidate, len(revisions))
	for i, r := range revisions {
		out[i] = variant.Candidate{
			Repo: r.Package.Repo, Package: r.Package.Name, Workspace: r.Workspace, Number: r.Number, Published: r.Published(),
			Labels: r.Labels,
		}
	}
	return out
}

// Upstream returns the revision that an upstream stands for now, chosen from all of a namespace; nil if there is none.
func Upstream(u *variant.Upstream, revisions []Revision) *Revision {
	if u == nil {
		return nil
	}
	if i := u.Resolve(Candidates(revisions)); i >= 0 {
		return &revisions[i]
	}
	return nil
}

// LastWorkspace returns the workspace with the highest number among those that a variant names; "" if there is none.
func LastWorkspace(workspaces []string) string {
	last, highest := "", 0
	for _, w := range workspaces {
		if n := WorkspaceNumber(w); n > highest {
			last, highest = w, n
		}
	}
	return last
}

// NextWorkspace returns the workspace name for a new draft of a package that has had these workspaces.
func NextWorkspace(workspaces []string) string {
	return fmt.Sprintf("%s%d", workspacePrefix, WorkspaceNumber(LastWorkspace(workspaces))+1)
}

// WorkspaceNumber returns the number in a workspace name that a variant made; 0 for any other.
func WorkspaceNumber(workspace string) int {
	suffix, made := strings.CutPrefix(workspace, workspacePrefix)
	n, err := strconv.Atoi(suffix)
	if !made || err != nil {
		return 0
	}
	return n
}
