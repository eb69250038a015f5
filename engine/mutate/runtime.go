// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/functions/apply-package-context/packagecontext"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/functions/prepend-pipeline/pipeline"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// The functions, by the names of their binaries and images.
const (
	ApplyPackageContext = "apply-package-context"
	PrependPipeline     = "prepend-pipeline"
	InjectConfig        = "inject-config"
	ExpandVariantSet    = "expand-variantset"
)

// Runtime runs KRM functions.
type Runtime interface {
	// Run runs the function on the items, each of which has a Place of its own, with the config. The output has the items
	// given, edited or not, in their order, and then those that the function added; the items given are not changed.
	//
	// The error is a *krm.Error, or several joined, if the function failed over what it was given; it is an
	// *UnavailableError if no function can be run at the time; any other error says why this one could not be run. A
	// Runtime that calls another system does that in largework.Outside.
	Run(ctx context.Context, function string, config *yaml.RNode, items []*yaml.RNode) (krm.Output, error)
}

// UnavailableError says that a Runtime can run no functions, until it comes back by itself.
type UnavailableError struct {
	// Message says what is missing, in the same words as long as it is.
	Message string
	// Err is the cause.
	Err error
}

// Error returns the message and the cause.
func (e *UnavailableError) Error() string { return e.Message + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// Builtin is the Runtime that runs the functions in this process. What they edit is not checked after each of them,
// because it is when it is written.
type Builtin struct{}

var builtin = map[string]krm.Function{
	ApplyPackageContext: packagecontext.Unchecked,
	PrependPipeline:     pipeline.Unchecked,
	InjectConfig:        injection.Unchecked,
	ExpandVariantSet:    expansion.Run,
}

// Run implements Runtime.
func (Builtin) Run(_ context.Context, function string, config *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	f, ok := builtin[function]
	if !ok {
		return krm.Output{}, fmt.Errorf("there is no built-in function %q", function)
	}
	return krm.Bounded(f)(config, items)
}
