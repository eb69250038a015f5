// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// ResolvedUpstream is the package revision that an upstream stands for.
type ResolvedUpstream struct {
	// Name is the name of the PackageRevision.
	Name string `json:"name"`

	// Revision is its number; -1 for the branch of a package that has no published revision.
	// +optional
	Revision int `json:"revision,omitempty"`

	// Commit is the git commit that holds its content. Absent where it is not known.
	// +optional
	Commit string `json:"commit,omitempty"`
}

// PublishedRevision is a published package revision.
type PublishedRevision struct {
	// Name is the name of the PackageRevision.
	Name string `json:"name"`

	// Revision is its number.
	// +optional
	Revision int `json:"revision,omitempty"`

	// OnBranch says that the package was seen on the branch of its Repository: if it is not there any more, somebody has
	// removed it from there.
	// +optional
	OnBranch bool `json:"onBranch,omitempty"`
}
