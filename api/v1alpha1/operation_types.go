// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// What an operation does, beside clone, upgrade and edit, which make a draft.
const (
	// OperationSave replaces the files of a draft.
	OperationSave = "save"
	// OperationPropose proposes a draft for publication.
	OperationPropose = "propose"
)

// Operation is something that the controller does to a package revision.
type Operation struct {
	// Do says what: clone, upgrade or edit makes a draft, save replaces its files, and propose proposes it.
	// +kubebuilder:validation:Enum=clone;upgrade;edit;save;propose
	Do string `json:"do"`

	// Revision is the name of the PackageRevision, also of one that is to be made.
	Revision string `json:"revision"`

	// Since is when it was announced.
	Since metav1.Time `json:"since"`

	// Source is the name of the PackageRevision that is cloned or edited, or upgraded to.
	// +optional
	Source string `json:"source,omitempty"`

	// Version is the resource version of the draft as Porch made it, if the controller could not save the draft then. Any
	// other version means that someone has edited it.
	// +optional
	Version string `json:"version,omitempty"`

	// Digest identifies the files of a draft that is to be proposed, whatever way its Kptfile is written.
	// +optional
	Digest string `json:"digest,omitempty"`

	// Save is the save of the draft, where Porch writes files one by one: if Porch is stopped meanwhile, the draft may
	// lack some.
	// +optional
	Save *Save `json:"save,omitempty"`

	// Attempts is how often Porch failed to do it in time, although it answered other requests.
	// +optional
	Attempts int32 `json:"attempts,omitempty"`
}

// Save is the save of a draft.
type Save struct {
	// Version is the resource version of the draft before.
	Version string `json:"version"`

	// Since is when it began.
	Since metav1.Time `json:"since"`

	// Files are the paths of the files that the draft is to have.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=2000
	Files []string `json:"files"`
}
