// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Error is a failure that names the resource, the file and the field that it is about, as far as there are any.
type Error struct {
	// Ref names the resource; zero if the error is about none.
	Ref fn.ResourceRef
	// File is the path of the resource's file in the package, Index its place among the documents of that file.
	File  string
	Index int
	// Field is the field's path in the resource, for example "spec.packageContext.data.name".
	Field string
	// Reason says what is wrong and what to do.
	Reason string
}

// Error returns file, resource, field and reason in one sentence, as it may be shown to people.
func (e *Error) Error() string {
	var parts []string
	if e.File != "" {
		parts = append(parts, e.File)
	}
	if e.Ref.Kind != "" {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %q", e.Ref.Kind, e.Ref.Name)))
	}
	if e.Field != "" {
		parts = append(parts, e.Field)
	}
	return Visible(strings.Join(append(parts, e.Reason), ": "))
}

// Result returns the sentence as a result of a function. Notes that are not failures have another severity than error.
func (e *Error) Result(severity fn.Severity) *fn.Result {
	r := &fn.Result{Severity: severity, Message: e.Error()}
	if e.Ref.Kind != "" {
		ref := e.Ref
		r.ResourceRef = &ref
	}
	if e.File != "" {
		r.File = &fn.File{Path: e.File, Index: e.Index}
	}
	if e.Field != "" {
		r.Field = &fn.Field{Path: e.Field}
	}
	return r
}

// Errorf returns an error about a field of an item. The field may be empty, the item nil.
func Errorf(item *yaml.RNode, field, format string, args ...any) *Error {
	e := &Error{Field: field, Reason: fmt.Sprintf(format, args...)}
	if item.IsNil() {
		return e
	}
	id := Identify(item)
	e.Ref = fn.ResourceRef{APIVersion: id.APIVersion, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}
	e.File, e.Index = id.File, id.Index
	return e
}

// Wrap returns err as an error about the item; several joined, as several. Of errors that name a field of the item, the
// field is kept.
func Wrap(item *yaml.RNode, err error) error {
	if err == nil {
		return nil
	}
	if all := flatten(err); len(all) > 1 {
		for i := range all {
			all[i] = Wrap(item, all[i])
		}
		return errors.Join(all...)
	}
	var ne *node.Error
	if errors.As(err, &ne) {
		return Errorf(item, ne.Path, "%s", ne.Reason)
	}
	return Errorf(item, "", "%s", err)
}
