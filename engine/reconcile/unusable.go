// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/kpt"
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

// checkTaken returns an unusableError if kpt and Porch cannot read the Kptfile of an upstream that is to be cloned or
// upgraded to. Of one that a package leaves, only its files are needed.
func checkTaken(upstream string, files map[string]string) error {
	if err := kpt.CheckKptfile(files); err != nil {
		return &unusableError{upstream, v1alpha1.ReasonPackageRefused,
			fmt.Errorf("%w: correct it, and publish that as another version", err)}
	}
	return nil
}
