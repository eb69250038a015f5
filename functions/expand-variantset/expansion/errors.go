// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// FieldError is an error about a field of the PackageVariantSet.
type FieldError struct {
	// Field is the field's path, for example "spec.targets[0].template.labelExprs[1].valueExpr".
	Field string
	// Reason says what is wrong and what to do.
	Reason string
}

// Error returns the field and the reason.
func (e *FieldError) Error() string { return e.Field + ": " + e.Reason }

func fieldErrorf(field, format string, args ...any) *FieldError {
	return &FieldError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// asErrors returns err, one FieldError or several joined, as errors about the config.
func asErrors(config *yaml.RNode, err error) error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var errs []error
		for _, e := range joined.Unwrap() {
			errs = append(errs, asErrors(config, e))
		}
		return errors.Join(errs...)
	}
	var fe *FieldError
	if errors.As(err, &fe) {
		return krm.Errorf(config, fe.Field, "%s", fe.Reason)
	}
	return krm.Wrap(config, err)
}
