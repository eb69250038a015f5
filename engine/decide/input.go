// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

// Input is everything that a decision depends on: three values, each of which is made in one place and written nowhere
// else.
type Input struct {
	Observed
	Memory
	Read
}

// Observed is what is known of a variant and its surroundings before anything of it is read. A change of any of it has
// the variant decided again, but for what only delays, which json:"-" leaves out where a type declares it.
type Observed struct {
	Variant
	// Upstream is the revision asked for; nil if there is none. Missing is then what is known of its place.
	Upstream *revision.Revision
	Missing  revision.Missing
	// Bases are the revisions that the downstream may have been derived from: the revisions of the upstream package,
	// and of earlier upstreams of the variant.
	Bases []revision.Revision
	// Revisions are all revisions of the downstream package.
	Revisions []revision.Revision
	// OwnedInOtherPackages are the revisions of other packages that the variant owns, or is known to have owned.
	OwnedInOtherPackages []revision.Revision
	// Dependencies are the variants of spec.dependsOn, in its order. Cycle is the path on which they lead back to the
	// variant, with its name first and last; nil if there is no cycle.
	Dependencies []Dependency
	Cycle        []string
	// Dependents are the names of variants with packages that depend on this one; known where it is being deleted.
	Dependents []string
	// Conflicting is the name of another variant that has the better claim to the downstream package, or "".
	Conflicting string
	// Overlaps are the Repositories that overlap one of the variant's, as far as that matters.
	Overlaps []Overlap
	// Neighbors are the packages inside the downstream package, and around it.
	Neighbors []Neighbor
	// Repositories are the Repositories by name, as far as they are registered.
	Repositories map[string]revision.Repository
}

// Variant is what a variant says of itself.
type Variant struct {
	// Spec is not hashed, as the generation says more.
	Spec  *variant.Spec `json:"-"`
	Owner revision.Owner
	// SuspendReason says why spec.suspend is set; "" if no reason is given.
	SuspendReason string
	// Deleting reports whether the variant is being deleted, Finalizer whether it has its finalizer.
	Deleting, Finalizer bool
	// Cascade reports whether the deletion asks that dependents stay, which the object says only for a while.
	Cascade bool
}

// Memory is what the variant's status says of earlier steps, with what the writes since were answered.
type Memory struct {
	// OwnedNames are the names of the revisions that the variant made or adopted, whoever owns them: a home may lose the
	// owners of a revision when it reads a repository while a branch of it is being written.
	OwnedNames map[string]bool
	// LastDraft is the name of the draft with the highest number that the status knows, in any package; "" for none.
	LastDraft string
	// Published is the name of the downstream revision that was published last, as far as the status knows; "" for none.
	Published string
	// WasOnBranch reports whether the status knows that what was published was on the branch of the Repository.
	WasOnBranch bool
	// KeepPackages reports whether the status says that the deletion asked that dependents stay.
	KeepPackages bool
	// Requested is the draft that was asked for and that was not yet seen complete; zero if there is none.
	Requested Request
	// Remembered is the open draft that only the controller had edited when it was seen last.
	Remembered Saved
	// Conflicts are the conflicts that the status names, of the draft Conflicted; "" for whichever is open.
	Conflicts  []v1alpha1.Conflict
	Conflicted string
}

// Read is what was read of packages, and what the functions made of it.
type Read struct {
	// Mutations are the outcomes of the functions over the files of revisions, by name; see Inspections. A revision
	// without one is decided as if the functions changed nothing.
	Mutations map[string]Mutation
	// Unusable are the conditions of revisions, by name, on which the functions do not run: the content, or what would be
	// merged into it, exceeds the bounds of a package, or its home would not accept it again.
	Unusable map[string]v1alpha1.Condition
	// Merges are the outcomes of merging the upstream asked for into targets that are on another, by name; see Merging.
	Merges map[string]Merge
	// Saved is the open draft that only the controller has edited.
	Saved Saved
	// Pushed is the digest of the files of the ForeignBranch (package kpt); known where a target is Proposed.
	Pushed string
	// MayApprove reports whether the controller may approve package revisions; known where Approving.
	MayApprove bool
}

// Merge is the result of merging the upstream into a revision.
type Merge struct {
	// Conflicts are the values that both sides changed.
	Conflicts []v1alpha1.Conflict
	// Err is why the merge failed; nil if it did not.
	Err error
}

// Draft is a draft to make.
type Draft struct {
	Package   revision.Package
	Workspace string
	Task      revision.Task
}

// Name returns the name of the revision that it becomes.
func (d *Draft) Name() string { return d.Package.NameOf(d.Workspace) }

// Request is a draft that the home was asked to make.
type Request struct {
	// Name is the name of the revision.
	Name string
	Task revision.Task
	// Version is the version of what the home made; "" if that is not known.
	Version string
	// TimedOut is how often the home did not make it in time, although it answered other requests.
	TimedOut int32
}

// Is reports whether it is the request for a revision with a name, by a task.
func (r *Request) Is(name string, task revision.Task) bool {
	return r.Name == name && r.Task.Type == task.Type && r.Task.Source == task.Source
}

// Saved is a draft as the controller saved it last.
type Saved struct {
	// Name is the name of the revision, Content the digest of its files (package kpt).
	Name, Content string
	// Proposed is the version of the revision once the controller had proposed it; "" before.
	Proposed string
	// Proposing identifies the files that the controller was about to propose, if it is not known whether it has.
	Proposing string
}

// Mutation is the result of running the functions over a revision's files.
type Mutation struct {
	// Changed are the paths of the files that they change.
	Changed []string
	// Unrendered says that the package's pipeline has not run since a draft was made: a save runs it.
	Unrendered bool
	// Reverted are the paths of the files that the package's own pipeline changed back when they were saved.
	Reverted []string
	// AsMade reports whether a draft that is Requested has the files that the home made, without edits.
	AsMade bool
	// Edits are what people changed in a draft that is Requested, by file, if it has not these files.
	Edits []string
	// Missing are the paths of files that the revision is to have and lacks: the home is writing them, or was stopped
	// before. Overdue reports whether that would have taken too long by now.
	Missing []string
	Overdue bool
	// Points are the injection points, in the order of the conditions in the Kptfile.
	Points []Point
	// Settled are those of the conflicts that the status names of the draft which people have settled: it has something
	// else there than the merge left.
	Settled []v1alpha1.Conflict
	// Content is the digest of the files as they are (package kpt), where Approving.
	Content string
	// Gates are the readiness gates in the Kptfile that are not True, where Approving.
	Gates []string
	// RenderError is why the package's own pipeline failed when the files were saved; "" if it did not.
	RenderError string
	// Err is the error of the function that failed; nil if none did.
	Err error
}

// Point is an injection point.
type Point struct {
	// Condition is the type of its condition in the Kptfile.
	Condition string
	// Required reports whether a readiness gate asks for it.
	Required bool
	// Filled reports whether it is filled, Message says why not.
	Filled  bool
	Message string
}

// Owned returns the variant's revisions in all packages: those that it owns, and those whose owner the home lost.
func Owned(in *Input) []revision.Revision {
	return slices.DeleteFunc(slices.Concat(in.Revisions, in.OwnedInOtherPackages), func(r revision.Revision) bool {
		owned, _ := r.Of(in.Owner)
		return r.Main() || !owned && !lost(in, &r)
	})
}

// Obsolete returns the revisions that the variant left behind in other packages than its downstream.
func Obsolete(in *Input) []revision.Revision {
	downstream := revision.DownstreamOf(in.Spec)
	return slices.DeleteFunc(Owned(in), func(r revision.Revision) bool { return r.Package == downstream })
}

// lost reports whether a revision is the variant's and has no owner, because the home lost the owner or never wrote it.
func lost(in *Input, r *revision.Revision) bool {
	return len(r.Owners) == 0 && (in.OwnedNames[r.Name] || isRequested(in, r))
}

// Requested reports whether a revision is the draft that the home was asked to make, and that was not yet seen
// complete.
func Requested(in *Input, r *revision.Revision) bool {
	return r.Lifecycle == revision.Draft && isRequested(in, r)
}

// isRequested reports whether a revision is the draft that the home was asked to make, even if it has been proposed or
// published since. A draft that is saved in parts and has no task is one that was not finished.
func isRequested(in *Input, r *revision.Revision) bool {
	task := r.Task
	if task.Type == "" && r.Lifecycle == revision.Draft && r.InParts {
		task = in.Requested.Task
	}
	return in.Requested.Is(r.Name, task)
}
