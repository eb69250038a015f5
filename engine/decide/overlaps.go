// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
)

// Overlap says that a Repository of the variant has its packages in the same directory of git as another Repository, or
// one of the two inside the directory of the other. Neither of them shows the packages of the other one.
type Overlap struct {
	// Repository is the name of the variant's, Directory is its directory.
	Repository, Directory string
	// Other is the name of the other one, with its namespace if that is not the variant's, OtherDirectory its directory.
	Other, OtherDirectory string
	// Stalls reports whether the downstream is in the younger of two Repositories of one namespace.
	Stalls bool
}

// String says which Repositories overlap, and why that matters.
func (o *Overlap) String() string {
	return fmt.Sprintf("the Repository %q (directory %s) overlaps the Repository %q (directory %s) on the same branch of "+
		"a git repository, so publishing a package of one could remove a package of the other",
		o.Repository, o.Directory, o.Other, o.OtherDirectory)
}

// repositoriesOverlap refuses to make packages in the younger of two Repositories that overlap.
func repositoriesOverlap(in *Input) *v1alpha1.Condition {
	for i := range in.Overlaps {
		if o := &in.Overlaps[i]; o.Stalls {
			return stalled(v1alpha1.ReasonRepositoriesOverlap, "%s: delete one of the two, or register %q, which is the "+
				"younger one, with a directory outside of the other's", o, o.Repository)
		}
	}
	return nil
}

// overlapWarning returns what to add to the message of a variant that is ready although Repositories overlap.
func overlapWarning(in *Input) string {
	if len(in.Overlaps) == 0 {
		return ""
	}
	return "; but " + in.Overlaps[0].String()
}
