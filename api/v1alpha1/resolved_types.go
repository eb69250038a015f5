// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// ResolvedUpstream is the package revision that an upstream stands for.
type ResolvedUpstream struct {
	// Name is the name of the PackageRevision.
	Name string `json:"name"`

	// Revision is its number; -1 for the branch of a package that has no published revision.
	// +optional
	Revision int `json:"revision,omitempty"`

	// Commit is the git commit that holds its content. Absent where Porch does not tell it.
	// +optional
	Commit string `json:"commit,omitempty"`

	// Version is the resource version in which the content was read last. Absent where the resource version is a git
	// commit.
	// +optional
	Version string `json:"version,omitempty"`

	// Content is a digest of the content: a revision that was deleted, and published again under its old name, is known
	// by another. Absent where the resource version is a git commit.
	// +optional
	Content string `json:"content,omitempty"`

	// Replaced is the git commit of the revision of this name before, which was deleted, and in whose place this one was
	// published. Absent where there was none.
	// +optional
	Replaced string `json:"replaced,omitempty"`
}

// PublishedRevision is a published package revision.
type PublishedRevision struct {
	// Name is the name of the PackageRevision.
	Name string `json:"name"`

	// Revision is its number.
	// +optional
	Revision int `json:"revision,omitempty"`
}
