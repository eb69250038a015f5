// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"

	"github.com/package-variants/package-variants/functions/apply-package-context/packagecontext"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/functions/prepend-pipeline/pipeline"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// together is Apply in this process, with one check of what all functions made. It costs less than one after each
// function, which says which of them is to blame: that has to follow if the outcome is not sure.
func together(ctx context.Context, before []*yaml.RNode, r Request) (outcome Outcome, sure bool, err error) {
	after, err := run(ctx, unchecked{}, before, r)
	if err != nil {
		return Outcome{}, false, err
	}
	if !quoteBlocks(before, after) {
		return Outcome{}, false, nil
	}
	changed, same, err := difference(before, after)
	if err != nil || !same {
		return Outcome{}, false, nil // each function for itself has a better error
	}
	return Outcome{Files: changed, Points: points(after)}, true, nil
}

// unchecked is Builtin without a check after each function whether the items that it edited can be read again.
type unchecked struct{}

var uncheckedFunctions = map[string]krm.Function{
	ApplyPackageContext: packagecontext.Unchecked,
	PrependPipeline:     pipeline.Unchecked,
	InjectConfig:        injection.Unchecked,
}

// Run implements Runtime.
func (unchecked) Run(_ context.Context, function string, config *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	return krm.Bounded(uncheckedFunctions[function])(config, items)
}

// quoteBlocks does for all functions what each does at its end, krm.QuoteBlocks. Items without blocks are left to
// difference, which reads them again anyway.
func quoteBlocks(before, after []*yaml.RNode) bool {
	for i, item := range after {
		if item != before[i] && krm.HasBlock(item) && !krm.QuoteBlocks(item) {
			return false
		}
	}
	return true
}
