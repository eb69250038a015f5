// SPDX-License-Identifier: Apache-2.0

package variant

// ApprovalPolicy says which drafts of a variant are published without a person.
type ApprovalPolicy string

const (
	// ApprovalPolicyManual publishes none. It is what an absent value means.
	ApprovalPolicyManual ApprovalPolicy = "Manual"

	// ApprovalPolicyInitial publishes the draft of a downstream package of which no revision is published yet.
	ApprovalPolicyInitial ApprovalPolicy = "Initial"

	// ApprovalPolicyAutomatic publishes all.
	ApprovalPolicyAutomatic ApprovalPolicy = "Automatic"
)

// ApproverAnnotation on a package revision asks another approver, that of Nephio, to publish it. A variant that sets it
// must leave its own approvalPolicy Manual.
const ApproverAnnotation = "approval.nephio.org/policy"

// Dependency names a variant that another one waits for.
type Dependency struct {
	// Name is the name of the PackageVariant, in the same namespace.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name"`

	// MinRevision is the least revision of its downstream package that must be published. Absent is 1: any.
	// +kubebuilder:validation:Minimum=1
	// +optional
	MinRevision int32 `json:"minRevision,omitempty"`
}

// AtLeast returns the least revision that must be published.
func (d *Dependency) AtLeast() int { return max(int(d.MinRevision), 1) }
