// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
)

// Dependency is a variant that another one waits for.
type Dependency struct {
	Name string
	// AtLeast is the least revision of its downstream package that must be published.
	AtLeast int
	// Found reports whether the variant exists, Ready whether it is what its spec asks for now, and Message says why
	// not, if only a person can help.
	Found, Ready bool
	Message      string
	// Published is the latest published revision of its downstream package; 0 if there is none.
	Published int
}

// dependencyCycle stops a variant that waits for itself.
func dependencyCycle(in *Input) *v1alpha1.Condition {
	if len(in.Cycle) == 0 {
		return nil
	}
	return stalled(v1alpha1.ReasonDependencyCycle,
		"spec.dependsOn makes a cycle, in which each waits for the next: %s; take one of them out of spec.dependsOn",
		strings.Join(in.Cycle, " -> "))
}

func dependencyNotFound(in *Input) *v1alpha1.Condition {
	for i, d := range in.Dependencies {
		if !d.Found {
			return stalled(v1alpha1.ReasonDependencyNotFound,
				"there is no PackageVariant %q in this namespace: make it, or correct spec.dependsOn[%d].name", d.Name, i)
		}
	}
	return nil
}

// dependencyNotReady holds until each dependency is ready and published.
func dependencyNotReady(in *Input, _ *Decision) *v1alpha1.Condition {
	if in.Deleting {
		return nil
	}
	for _, d := range in.Dependencies {
		var why string
		switch {
		case !d.Ready && d.Message == "":
			why = "which is not ready"
		case !d.Ready:
			why = "which is not ready: " + d.Message
		case d.Published < d.AtLeast:
			why = fmt.Sprintf("of which revision %d is to be published, and %s is", d.AtLeast, ordinal(d.Published))
		default:
			continue
		}
		return new(v1alpha1.Reconciling(v1alpha1.ReasonDependencyNotReady, fmt.Sprintf("waits for %s, %s", d.Name, why)))
	}
	return nil
}

func ordinal(published int) string {
	if published == 0 {
		return "none"
	}
	return fmt.Sprintf("revision %d", published)
}

// dependentsExist holds the deletion of a variant while others need its package.
func dependentsExist(in *Input, _ *Decision) *v1alpha1.Condition {
	if !in.Deleting || len(in.Dependents) == 0 {
		return nil
	}
	return new(WaitToGo(v1alpha1.Reconciling(v1alpha1.ReasonDependentsExist, fmt.Sprintf(
		"variants with packages depend on it: %s; delete them first, or take it out of their spec.dependsOn",
		strings.Join(in.Dependents, ", ")))))
}
