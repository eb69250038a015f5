// SPDX-License-Identifier: Apache-2.0

// Package merging brings a package to another version of its upstream: a three-way merge, resource by resource and
// field by field, that names what both sides changed.
//
// The walk edits a copy of the package's own resource. For each field it decides by the three versions what becomes of
// the value, and of the comments and quotes at it. e2e/merge compares the outcomes with those of Porch and kpt.
package merging

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
	"github.com/package-variants/package-variants/functions/krm"
)

// OnConflict says how to resolve a value that both sides changed.
type OnConflict string

// The values of OnConflict. An empty value means KeepLocal.
const (
	// KeepLocal keeps the package's value. Everything else is merged.
	KeepLocal OnConflict = "KeepLocal"
	// TakeUpstream takes the upstream's value, as kpt and Porch do.
	TakeUpstream OnConflict = "TakeUpstream"
	// Stop makes a conflict an error, and merges nothing.
	Stop OnConflict = "Stop"
)

// Options are what a merge depends on in addition to the three versions.
type Options struct {
	// OnConflict says how to resolve conflicts.
	OnConflict OnConflict
	// Upstream is where the updated version comes from; it is written to the root Kptfile, which stays as it is if this
	// is nil.
	Upstream *Upstream
	// UpstreamLock is which version that is; it is written to the root Kptfile, which stays as it is if this is nil.
	UpstreamLock *UpstreamLock
}

// Conflict is a value that the upstream and the package both changed, to different values.
type Conflict struct {
	// File is the path of the file in the package.
	File string
	// Resource is the kind and the name of the resource; empty for a file that holds none.
	Resource string
	// Field is the path of the field, with the merge keys of list elements
	// (spec.template.spec.containers[name=web].image); empty if it is about the whole resource or file.
	Field string
	// Original, Local and Updated are the values, shortened. A side that has none is said to have Removed it; Original is
	// empty if both sides added it. Values of Secrets are not shown, and of whole resources and files only a digest.
	Original, Local, Updated string
	// Taken is the side whose value is in the result, SideUpstream or SideLocal.
	Taken string
}

// The sides of a merge, as Conflict.Taken has them.
const (
	// SideUpstream is the updated upstream.
	SideUpstream = "upstream"
	// SideLocal is the package.
	SideLocal = "local"
)

// Removed is the value, in a Conflict, of a side that has none.
const Removed = "(removed)"

// ErrConflicts is the error of a merge that Stop stopped; errors.Is finds it.
var ErrConflicts = errors.New("both sides changed the same values: " +
	"decide for one, or set onConflict to TakeUpstream or KeepLocal")

// Merge merges into the local package what changed from the original to the updated upstream. All three are the texts
// of a package's files by path. It returns the files of the merged package, and the conflicts in the order of the
// files.
//
// An unchanged file is returned as it is, byte by byte; so are the unchanged documents of a changed file. Merging the
// result again with the same upstreams changes nothing. With Stop, conflicts are returned together with ErrConflicts,
// and no files. Other errors mean that a version is not a package: versions without files, a local one without a
// Kptfile, an original that has nothing in common with the local package.
func Merge(original, updated, local map[string]string, options Options) (map[string]string, []Conflict, error) {
	if err := check(original, updated, local, options); err != nil {
		return nil, nil, err
	}
	v := versions{original: read(original, nil)}
	v.updated, v.local = read(updated, v.original), read(local, v.original)
	v.settleWholeFiles()
	m, err := v.merge(options)
	if err != nil {
		return nil, nil, err
	}
	conflicts := make([]Conflict, len(m.conflicts))
	for i, c := range m.conflicts {
		conflicts[i] = c.Conflict
	}
	if options.OnConflict == Stop && len(conflicts) > 0 {
		return nil, conflicts, ErrConflicts
	}
	return m.files(v), conflicts, nil
}

func check(original, updated, local map[string]string, options Options) error {
	if err := options.OnConflict.validate(); err != nil {
		return err
	}
	switch {
	case len(original) == 0:
		return errors.New("the original upstream has no files: pass those of the revision that the package was made from")
	case len(updated) == 0:
		return errors.New("the updated upstream has no files: pass those of the revision that the package is to follow")
	}
	if u, l := options.Upstream, options.UpstreamLock; u != nil && u.Git == nil || l != nil && l.Git == nil {
		return errors.New("the upstream, or its lock, has no git: give it the repository and directory of the revision")
	}
	if _, ok := local[pkgtree.KptfileName]; !ok {
		return errors.New("the package has no Kptfile: only a kpt package has an upstream")
	}
	return errors.Join(inPackage("the original upstream", original), inPackage("the updated upstream", updated),
		inPackage("the package", local))
}

// inPackage returns an error for the files that would not be in the directory of a package.
func inPackage(of string, files map[string]string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if problem := krm.CheckPath(name); problem != "" {
			errs = append(errs, fmt.Errorf("%s has the file %q, %s", of, node.Short(name), problem))
		}
	}
	return errors.Join(errs...)
}

func (o OnConflict) validate() error {
	switch o {
	case "", TakeUpstream, KeepLocal, Stop:
		return nil
	}
	return fmt.Errorf("is %q, but must be %s, %s or %s", o, TakeUpstream, KeepLocal, Stop)
}

// conflict is a Conflict with the other fields of a function's result.
type conflict struct {
	Conflict
	ref   fn.ResourceRef
	index int
	// goneHere and goneUpstream say which side has no value.
	goneHere, goneUpstream bool
	// renamed is the resource that has the name of one that the upstream adds.
	renamed string
	// reason says why the values cannot be merged further; empty where it is plain.
	reason string
	// unwritable says that the upstream's file cannot be written among the items of a ResourceList.
	unwritable bool
}

// setValues sets the values; empty for a missing one.
func (c *conflict) setValues(original, local, updated string) {
	c.goneHere, c.goneUpstream = local == "", updated == ""
	c.Original, c.Local, c.Updated = original, cmp.Or(local, Removed), cmp.Or(updated, Removed)
}

// message says in a sentence what the conflict is and how it was resolved.
func (c conflict) message(stopped bool) string {
	switch {
	case c.unwritable && !stopped:
		return c.happened() + ": the package stays as it is there, copy it from the updated upstream"
	case stopped:
		return c.happened() + ": decide for one, or set onConflict to TakeUpstream or KeepLocal"
	case c.Taken == SideUpstream:
		return c.happened() + ": the upstream's is taken"
	}
	return c.happened() + ": the package stays as it is there"
}

// happened says what both sides did.
func (c conflict) happened() string {
	switch {
	case c.Field == "":
		return c.happenedToAll()
	case c.reason != "":
		field := c
		field.reason = ""
		return field.happened() + " (" + c.reason + ")"
	case c.goneUpstream && c.Original == "":
		return fmt.Sprintf("is %s here, and is removed upstream", c.Local)
	case c.goneUpstream:
		return fmt.Sprintf("is %s here, was %s, and is removed upstream", c.Local, c.Original)
	case c.goneHere:
		return fmt.Sprintf("is removed here, was %s, and is %s upstream", c.Original, c.Updated)
	case c.Original == "":
		return fmt.Sprintf("is added here as %s, and upstream as %s", c.Local, c.Updated)
	}
	return fmt.Sprintf("is %s here, was %s, and is %s upstream", c.Local, c.Original, c.Updated)
}

// happenedToAll says what both sides did to a whole resource or file.
func (c conflict) happenedToAll() string {
	switch {
	case c.renamed != "":
		return fmt.Sprintf("is added upstream, and is the name to which %s was renamed here", c.renamed)
	case c.unwritable:
		return "is changed upstream to what is not YAML of resources, or is too large, which a function cannot write"
	case c.Local == aFile || c.Local == aDirectory:
		return fmt.Sprintf("is %s here, and %s upstream", c.Local, c.Updated)
	case c.Original == "" && c.goneHere:
		return "is added upstream to a subpackage that is removed here"
	case c.Original == "" && c.goneUpstream:
		return "is added here to a subpackage that is removed upstream"
	case c.goneUpstream:
		return "is changed here, and removed upstream"
	case c.goneHere:
		return "is removed here, and changed upstream"
	}
	return "is changed on both sides, and cannot be merged by field, because " + c.reason
}

// result returns the conflict as an error of the function, which can be a result of any severity.
func (c conflict) result(stopped bool) *krm.Error {
	return &krm.Error{Ref: c.ref, File: c.File, Index: c.index, Field: c.Field, Reason: c.message(stopped)}
}
