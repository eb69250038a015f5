// SPDX-License-Identifier: Apache-2.0

package packages

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/functions/krm"
)

// RenderFailed returns what it means that the pipeline of a package failed, by what its functions said.
func RenderFailed(said string) v1alpha1.Condition {
	return v1alpha1.Stalled(v1alpha1.ReasonRenderFailed,
		"nothing was saved, because the pipeline in the package's Kptfile failed; correct the function or its config, in "+
			"the upstream or in this variant: "+said)
}

// RenderError returns the error of a save whose pipeline failed, by what its functions said.
func RenderError(said string) error {
	return &Error{Kind: ErrRefused, Condition: RenderFailed(said), Rendered: said, Err: errors.New(said)}
}

// FileRefused returns what it means that Porch refuses a package because of a file in it, and always will.
func FileRefused(err error) v1alpha1.Condition {
	return v1alpha1.Stalled(v1alpha1.ReasonPackageRefused, krm.Visible("Porch does not take a file of the package: "+
		"rename or correct the file that it names, in the upstream or in this package ("+err.Error()+")"))
}

// TooLarge returns what it means that a package is larger than Porch takes.
func TooLarge(err error) v1alpha1.Condition {
	return v1alpha1.Stalled(v1alpha1.ReasonPackageTooLarge,
		"nothing was saved, because all files of the package are sent in one request, and it is larger than Porch takes: "+
			"make the package smaller, or split it ("+err.Error()+")")
}

// Placeholder returns what it means that Porch derives no package from the branch of another one.
func Placeholder(err error) v1alpha1.Condition {
	return v1alpha1.Stalled(v1alpha1.ReasonUpstreamIsPlaceholder, "this version of Porch derives no package from a "+
		"branch: publish the upstream, and name its revision in spec.upstream ("+err.Error()+")")
}

// Exists returns what it means that Porch clones into no package that exists, be it on the branch only.
func Exists(err error) v1alpha1.Condition {
	return v1alpha1.Stalled(v1alpha1.ReasonDownstreamExists, "the package exists, and this version of Porch clones "+
		"nothing into it: publish what is only on the branch, or remove it there; or name another package in "+
		"spec.downstream ("+err.Error()+")")
}

// Nests returns what it means that Porch makes no package because of another one that lies inside it or around it, or
// that it takes for the same because both have the same last name.
func Nests(err error) v1alpha1.Condition {
	return v1alpha1.Stalled(v1alpha1.ReasonDownstreamExists, "Porch makes no package inside another one or around it, "+
		"nor one at the top with the last name of another: name another in spec.downstream ("+err.Error()+")")
}

// Refused returns what it means that Porch refuses a change of a package, and will as long as the package is as it is.
func Refused(err error) v1alpha1.Condition {
	return v1alpha1.Stalled(v1alpha1.ReasonPackageRefused, "Porch refuses this, and is asked again when the package, its "+
		"upstream or this variant changes: correct what it names ("+err.Error()+")")
}

// Unusable returns the error of a revision whose files are not worked on.
func Unusable(revision, reason string, err error) error {
	return &Error{Kind: ErrRefused, Err: err,
		Condition: v1alpha1.Stalled(reason, krm.Visible(revision+" is not worked on: "+err.Error()))}
}

// replacement is what Porch's API returns for bytes that are not UTF-8.
const replacement = "\uFFFD"

// CheckText returns an error for files that Porch's API does not return byte for byte: saved as they were read, they
// would be damaged.
func CheckText(files map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.Contains(name, replacement) || strings.Contains(files[name], replacement) {
			return fmt.Errorf("%s is not text in UTF-8, or has the character U+FFFD, which Porch's API returns in place of "+
				"other bytes: convert it, or take it out of the package", name)
		}
	}
	return nil
}
