// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"fmt"

	"github.com/package-variants/package-variants/functions/internal/node"
)

// FieldError is an error about a field of the PackageVariantSet. Its Path is the field's, for example
// "spec.targets[0].template.labelExprs[1].valueExpr"; its Reason says what is wrong and what to do.
type FieldError = node.Error

func fieldErrorf(field, format string, args ...any) *FieldError {
	return &FieldError{Path: field, Reason: fmt.Sprintf(format, args...)}
}
