// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"errors"

	"github.com/package-variants/package-variants/functions/krm"
)

// tooLargeError says that the content of a revision is beyond the bounds of a package (package bounds).
type tooLargeError struct {
	revision string
	err      error
}

func (e *tooLargeError) Error() string {
	return krm.Visible(e.revision + " is not worked on: " + e.err.Error())
}

func (e *tooLargeError) Unwrap() error { return e.err }

// checkSize returns a tooLargeError if the files of a revision are beyond the bounds of a package. It is asked before
// they are parsed, and so before Porch is asked to clone or to upgrade them.
func checkSize(revision string, files map[string]string) error {
	if err := krm.CheckPackage(files); err != nil {
		return &tooLargeError{revision, err}
	}
	return nil
}

// noteSize notes that a revision cannot be worked on for the size of what it has, or would be merged with, and returns
// every other error.
func (in *inspection) noteSize(name string, err error) error {
	large, is := errors.AsType[*tooLargeError](err)
	if !is {
		return err
	}
	in.TooLarge[name] = large.Error()
	return nil
}
