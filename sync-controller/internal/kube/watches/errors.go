// SPDX-License-Identifier: Apache-2.0

package watches

import (
	"fmt"

	"github.com/package-variants/package-variants/engine/objects"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// aggregationLabel on a ClusterRole, with the value "true", makes its rules the controllers'.
const aggregationLabel = "config.porch.kpt.dev/aggregate-to-package-variants"

// DeniedError says that the controllers may not read a kind of objects.
type DeniedError struct {
	// Resource is the plural name of the kind with its group.
	Resource schema.GroupResource
	// Namespace is where they may not read it; empty for a cluster-scoped kind.
	Namespace string
}

// Error names the rule that is missing, and where it goes.
func (e *DeniedError) Error() string {
	return fmt.Sprintf(`the controller may not read %s%s: label a ClusterRole %s: "true" that has the rule {apiGroups: `+
		`[%q], resources: [%q], verbs: [get, list, watch]}`,
		e.Resource, in(e.Namespace), aggregationLabel, e.Resource.Group, e.Resource.Resource)
}

// Unwrap returns the kind of the error.
func (e *DeniedError) Unwrap() error { return objects.ErrDenied }

// in returns the part of a message that says where; nothing for a cluster-scoped kind.
func in(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// UnknownKindError says that the cluster does not know a kind.
type UnknownKindError struct{ Kind objects.Kind }

// Error names the kind.
func (e *UnknownKindError) Error() string {
	return fmt.Sprintf("the cluster does not know the kind %s of %s: install its CRD, or correct apiVersion and kind",
		e.Kind.Kind, e.Kind.APIVersion)
}

// Unwrap returns the kind of the error.
func (e *UnknownKindError) Unwrap() error { return objects.ErrUnknownKind }
