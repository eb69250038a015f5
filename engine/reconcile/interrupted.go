// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// interruptedError says which files a draft lacks because the home has not written all of them, and since when.
type interruptedError struct {
	draft   string
	missing []string
	since   time.Time
}

func (e *interruptedError) Error() string {
	return fmt.Sprintf("%s lacks files: %s", e.draft, strings.Join(e.missing, ", "))
}

// missing returns an interruptedError if a draft with these files lacks some of those that it is to have.
func missing(draft string, files map[string]string, wanted []string, since time.Time) error {
	missing := slices.DeleteFunc(slices.Clone(wanted), func(path string) bool {
		_, there := files[path]
		return there
	})
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return &interruptedError{draft, missing, since}
}

// interrupted returns an interruptedError if a draft lacks files of a save of which no outcome is known, or if it was
// asked for and has no Kptfile. A home may give a draft its new version before it writes the files.
func (in *inspection) interrupted(target *revision.Revision, content *packages.Content) error {
	op := in.pv.Status.Operation
	switch {
	case target.Lifecycle != revision.Draft:
		return nil
	case op != nil && op.Save != nil && op.Revision == target.Name && op.Save.Version != content.Version:
		return missing(target.Name, content.Files, op.Save.Files, op.Save.Since.Time)
	case decide.Requested(&in.Input, target):
		return missing(target.Name, content.Files, []string{"Kptfile"}, target.Created)
	}
	return nil
}
