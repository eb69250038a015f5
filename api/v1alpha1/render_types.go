// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// RenderStatus is the outcome of rendering a package revision. This type and the ones below encode to the same JSON
// as those of Porch's API porch.kpt.dev/v1alpha1, where the values come from.
type RenderStatus struct {
	// Result holds what the functions of the render reported.
	// +optional
	Result ResultList `json:"result,omitempty"`

	// Err is the error that ended the render; empty after a render that succeeded.
	Err string `json:"error"`
}

// ResultList holds the results of all functions of a render. It looks like an object but is none that a cluster stores.
type ResultList struct {
	// APIVersion is empty or kpt's name for the version of the list.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`

	// Kind is empty or kpt's name for the kind of the list.
	// +optional
	Kind string `json:"kind,omitempty"`

	// Metadata carries nothing that is used here; Porch always writes it.
	// +optional
	Metadata metav1.ObjectMeta `json:"metadata,omitempty"`

	// ExitCode is the exit code of the render as a whole.
	ExitCode int `json:"exitCode"`

	// Items are the results of the functions, in the order in which they ran.
	// +optional
	Items []Result `json:"items,omitempty"`
}

// Result is what one run of a function reported.
type Result struct {
	// Image is the image of the function, for one that runs from an image.
	// +optional
	Image string `json:"image,omitempty"`

	// ExecPath is the command line of the function, for one that runs as an executable.
	// +optional
	ExecPath string `json:"exec,omitempty"`

	// Stderr is what the function wrote to stderr.
	// +optional
	Stderr string `json:"stderr,omitempty"`

	// ExitCode is the exit code of the function.
	ExitCode int `json:"exitCode"`

	// Results are the structured results of the function.
	// +optional
	Results []ResultItem `json:"results,omitempty"`
}

// ResultItem is one structured result of a function.
type ResultItem struct {
	// Message says what was found.
	// +optional
	Message string `json:"message,omitempty"`

	// Severity is error, warning or info.
	// +optional
	Severity string `json:"severity,omitempty"`

	// ResourceRef is the resource that the result is about.
	// +optional
	ResourceRef *ResourceIdentifier `json:"resourceRef,omitempty"`

	// Field is the field of the resource that the result is about.
	// +optional
	Field *Field `json:"field,omitempty"`

	// File is where the resource stands.
	// +optional
	File *File `json:"file,omitempty"`

	// Tags are further facts, in whatever form the function likes.
	// +optional
	Tags map[string]string `json:"tags,omitempty"`
}

// ResourceIdentifier names a resource.
type ResourceIdentifier struct {
	// APIVersion is the group and version of the resource.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`

	// Kind is the kind of the resource.
	// +optional
	Kind string `json:"kind,omitempty"`

	// Name is the name of the resource.
	// +optional
	Name string `json:"name,omitempty"`

	// Namespace is the namespace of the resource.
	// +optional
	Namespace string `json:"namespace,omitempty"`
}

// Field names a field of a resource, with its value and what it should be.
type Field struct {
	// Path is the path of the field in the resource.
	// +optional
	Path string `json:"path,omitempty"`

	// CurrentValue is the value as it is.
	// +optional
	CurrentValue string `json:"currentValue,omitempty"`

	// ProposedValue is the value that would settle the matter.
	// +optional
	ProposedValue string `json:"proposedValue,omitempty"`
}

// File names a place in a file of a package.
type File struct {
	// Path is the slash-separated path of the file, relative to the package.
	// +optional
	Path string `json:"path,omitempty"`

	// Index is the position of the resource among those of the file.
	// +optional
	Index int `json:"index,omitempty"`
}
