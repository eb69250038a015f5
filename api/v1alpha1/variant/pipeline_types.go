// SPDX-License-Identifier: Apache-2.0

package variant

// Pipeline lists functions as a Kptfile does. Field names and their order are those of kpt's Kptfile v1, here and in
// the types below, so that what is encoded from them reads like what kpt writes.
type Pipeline struct {
	// Mutators are functions that change resources.
	// +kubebuilder:validation:MaxItems=256
	// +optional
	Mutators []Function `json:"mutators,omitempty"`

	// Validators are functions that check resources; kpt runs them after the mutators and discards their changes.
	// +kubebuilder:validation:MaxItems=256
	// +optional
	Validators []Function `json:"validators,omitempty"`
}

// Function is one entry of a pipeline: what to run, with which config, on which resources. It runs an image or an
// executable; kpt refuses a Kptfile with neither or both.
//
// +kubebuilder:validation:XValidation:rule="!has(self.condition)",message="condition was in no release of kpt: write when"
// +kubebuilder:validation:XValidation:rule="(has(self.image) && self.image.size() > 0) != (has(self.exec) && self.exec.size() > 0)",message="exactly one of image and exec must be set"
type Function struct {
	// Image is the container image of the function.
	// +optional
	Image string `json:"image,omitempty"`

	// Exec is the command line of the function.
	// +optional
	Exec string `json:"exec,omitempty"`

	// ConfigPath is the slash-separated path, relative to the package, of the file with the function's config.
	// +optional
	ConfigPath string `json:"configPath,omitempty"`

	// ConfigMap is the data of a ConfigMap that becomes the function's config.
	// +optional
	ConfigMap map[string]string `json:"configMap,omitempty"`

	// ConfigRef names the resource of the package that becomes the function's config. Only kpt v1.0 and newer know it; an
	// older kpt, and Porch v1.5, refuse a Kptfile that has it.
	// +optional
	ConfigRef *ResourceReference `json:"configRef,omitempty"`

	// Name tells this function from others of the pipeline. In a variant it becomes a part of a name whose parts are
	// separated by dots, and so has none itself.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!self.contains('.')",message="must not contain '.'"
	// +optional
	Name string `json:"name,omitempty"`

	// Tag replaces the tag of the image; it may be a semantic version constraint. Only newer versions of kpt know it,
	// Porch v1.5 does not.
	// +optional
	Tag string `json:"tag,omitempty"`

	// Selectors choose the resources that the function sees; without any it sees all.
	// +optional
	Selectors []Selector `json:"selectors,omitempty"`

	// Exclusions take resources out of the selection again.
	// +optional
	Exclusions []Selector `json:"exclude,omitempty"`

	// When is a CEL expression about the resources that the function sees. If it gives false, kpt skips the function. Only
	// kpt v1.0 and newer know it; an older kpt, and Porch v1.5, refuse a Kptfile that has it.
	// +optional
	When string `json:"when,omitempty"`

	// Condition is refused: it was a name for when, and in no release of kpt.
	// +optional
	Condition string `json:"condition,omitempty"`
}

// ResourceReference names a resource of a package.
type ResourceReference struct {
	// APIVersion is the group and version of the resource; absent, it may be any.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`

	// Kind is the kind of the resource.
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`

	// Name is the name of the resource.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// Namespace is the namespace of the resource; absent, it may be any.
	// +optional
	Namespace string `json:"namespace,omitempty"`
}

// Selector chooses resources. A resource must match every field that is set.
type Selector struct {
	// APIVersion is the group and version of the resources.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`

	// Kind is the kind of the resources.
	// +optional
	Kind string `json:"kind,omitempty"`

	// Name is the name of the resources.
	// +optional
	Name string `json:"name,omitempty"`

	// Namespace is the namespace of the resources.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Labels are labels that the resources have.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`

	// Annotations are annotations that the resources have.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
}
