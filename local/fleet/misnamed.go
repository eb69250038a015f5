// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

// noteMisnamed notes the tags that would publish something newer of an upstream whose newest revision is asked for, if
// they had its name: nothing else shows that they do not.
func (s *syncer) noteMisnamed(ctx context.Context) {
	asked := map[string]map[revision.Package]bool{}
	ask := func(namespace string, u *variant.Upstream) {
		if tag, floating := u.Revision.Tag(); floating && tag == variant.TagLatest {
			if asked[namespace] == nil {
				asked[namespace] = map[revision.Package]bool{}
			}
			asked[namespace][revision.UpstreamOf(u)] = true
		}
	}
	for _, set := range s.store.AllSets() {
		for _, u := range expansion.NamedUpstreams(&set, "spec") {
			ask(set.Namespace, u.Upstream)
		}
	}
	for _, pv := range s.store.AllVariants() {
		if pv.Spec.Upstream != nil {
			ask(pv.Namespace, pv.Spec.Upstream)
		}
	}
	for _, namespace := range sortedNames(asked) {
		for _, text := range s.home.Misnamed(ctx, namespace, asked[namespace]) {
			s.report.note("%s", text)
		}
	}
}
