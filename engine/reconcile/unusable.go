// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/functions/krm"
)

// unusableError says that the content of a revision is not worked on, with the reason of a condition: it exceeds the
// bounds of a package, or the home would not accept it in a save.
type unusableError struct {
	revision, reason string
	err              error
}

func (e *unusableError) Error() string {
	return krm.Visible(e.revision + " is not worked on: " + e.err.Error())
}

func (e *unusableError) Unwrap() error { return e.err }

// checkFiles returns an unusableError if the files of a revision exceed the bounds of a package, or if the home would
// not accept them in a save. It runs before the files are parsed, and so before the home is asked to clone them or to
// upgrade to them.
func checkFiles(revision string, files map[string]string) error {
	if err := krm.CheckPackage(files); err != nil {
		return &unusableError{revision, v1alpha1.ReasonPackageTooLarge, err}
	}
	return nil
}
