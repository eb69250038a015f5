// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

// untagged returns what is to be told, by namespace, of upstreams whose newest revision is asked for, and of which
// people have something newer without the tag that publishes it: nothing else shows that the tag is not there.
func (f *Fleet) untagged(ctx context.Context) map[string][]string {
	asked := map[string]map[revision.Package]bool{}
	ask := func(namespace string, u *variant.Upstream) {
		if tag, floating := u.Revision.Tag(); floating && tag == variant.TagLatest {
			if asked[namespace] == nil {
				asked[namespace] = map[revision.Package]bool{}
			}
			asked[namespace][revision.UpstreamOf(u)] = true
		}
	}
	for _, set := range f.store.AllSets() {
		for _, u := range expansion.NamedUpstreams(&set, "spec") {
			ask(set.Namespace, u.Upstream)
		}
	}
	for _, pv := range f.store.AllVariants() {
		if pv.Spec.Upstream != nil {
			ask(pv.Namespace, pv.Spec.Upstream)
		}
	}
	told := map[string][]string{}
	for namespace, of := range asked {
		told[namespace] = f.home.Untagged(ctx, namespace, of)
	}
	return told
}
