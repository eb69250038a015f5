// SPDX-License-Identifier: Apache-2.0

package variant

import (
	"errors"
	"fmt"
)

// FieldError says what is wrong with a field.
//
// +kubebuilder:object:generate=false
type FieldError struct {
	// Path is the field's, for example "spec.injectors[0].name".
	Path string
	// Reason says what is wrong and what to do, as the rest of a sentence that begins with the path.
	Reason string
}

// Error returns the sentence.
func (e *FieldError) Error() string { return e.Path + " " + e.Reason }

// FieldErrors are all that is wrong with a part of a spec; none if it is valid.
//
// +kubebuilder:object:generate=false
type FieldErrors []FieldError

// Err returns the errors joined, each a *FieldError, and nil if there are none.
func (e FieldErrors) Err() error {
	all := make([]error, len(e))
	for i := range e {
		all[i] = &e[i]
	}
	return errors.Join(all...)
}

// Addf adds what is wrong with the field at a path, in words that go on from it.
func (e *FieldErrors) Addf(path, format string, args ...any) {
	*e = append(*e, FieldError{Path: path, Reason: fmt.Sprintf(format, args...)})
}

func (e *FieldErrors) add(more FieldErrors) { *e = append(*e, more...) }
