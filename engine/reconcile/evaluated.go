// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"maps"
	"slices"

	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
)

// evaluated is the content of a revision, with the result of the functions.
type evaluated struct {
	content packages.Content
	// files are the files that the functions ran over: those of the content, after the merge with the upstream if there
	// was one.
	files   map[string]string
	outcome mutate.Outcome
	// merge is the outcome of the merge that a requested upgrade was made by, until it is saved.
	merge *decide.Merge
	// edits are what people changed in a requested draft; none if that is not known.
	edits []string
	// asMade reports whether the content of a requested draft is as the home made it, or as the controller saved it then.
	asMade bool
	// final reports whether the content was saved, for the variant of a generation, as the functions want it.
	final      bool
	generation int64
	// references are the objects that injectors name for the injection points in the content, versions their versions
	// before they were read.
	references []objects.Reference
	versions   []string
}

// wanted returns the files that the content should have.
func (e *evaluated) wanted() map[string]string {
	wanted := maps.Clone(e.files)
	maps.Copy(wanted, e.outcome.Files)
	return wanted
}

// changed returns the paths of the files that have to change, in order.
func (e *evaluated) changed() []string {
	wanted := e.wanted()
	var paths []string
	for path, text := range wanted {
		if before, there := e.content.Files[path]; !there || before != text {
			paths = append(paths, path)
		}
	}
	for path := range e.content.Files {
		if _, stays := wanted[path]; !stays {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// mutation returns what decisions need from the evaluation.
func (e *evaluated) mutation() decide.Mutation {
	return decide.Mutation{Changed: e.changed(), Unrendered: e.content.Unrendered, Points: e.outcome.Points,
		RenderError: e.content.RenderStatus.Err}
}

// addApproval adds what approvals need. It parses the Kptfile, so it is only called for them.
func (e *evaluated) addApproval(m *decide.Mutation) {
	m.Content = kpt.Digest(e.content.Files)
	var err error
	if m.Gates, err = kpt.UnmetGates(e.content.Files); err != nil {
		m.Gates = []string{err.Error()}
	}
}
