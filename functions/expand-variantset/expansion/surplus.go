// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"fmt"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// made returns the downstreams of the set's variants.
func (c *content) made() []variant.Downstream {
	var out []variant.Downstream
	for i := range c.variants {
		if e := &c.variants[i]; e.owned {
			out = append(out, e.downstream)
		}
	}
	return out
}

// unwanted returns the variants of the set that no target makes: doomed ones, which are removed, and undecided ones,
// which stay because any of them may belong to a target that fails or selects nothing.
func (c *content) unwanted(become []*existing, spared Spared) (doomed, undecided []*existing) {
	wanted := make(map[*existing]bool, len(become))
	for _, e := range become {
		wanted[e] = true
	}
	for i := range c.variants {
		switch e := &c.variants[i]; {
		case !e.owned || wanted[e] || spared.Of(e.downstream):
		case spared.All:
			undecided = append(undecided, e)
		default:
			doomed = append(doomed, e)
		}
	}
	return doomed, undecided
}

// SelectorTag is the tag of the result for a selector that selects nothing: the path of its field.
const SelectorTag = variant.GroupName + "/selector"

// empty returns a result for each selector that selects nothing: a warning if the snapshot has no object of the kind.
func (c *content) empty(selectors []Empty, set *v1alpha2.PackageVariantSet) (all fn.Results) {
	for _, e := range selectors {
		severity := fn.Info
		if e.NoObjects {
			severity = fn.Warning
		}
		all = append(all, &fn.Result{Message: e.Message, Severity: severity, Tags: map[string]string{SelectorTag: e.Path}})
	}
	if len(selectors) > 0 && c.elsewhere > 0 {
		all.Infof("%d objects of the selected kinds are in other namespaces than the set's, which is %q, and do not count",
			c.elsewhere, set.Namespace)
	}
	return all
}

// whyKept says why the set keeps variants that no target wants: because selectors select nothing, or targets fail.
func (r request) whyKept(kept []string, empty []Empty) string {
	if len(empty) == 0 || r.set.Spec.AllowEmpty {
		return fmt.Sprintf("%d variants that no other target wants are kept (%s), for those of targets that are left out "+
			"may be among them", len(kept), firstOf(kept))
	}
	selectors := make([]string, len(empty))
	for i := range empty {
		selectors[i] = empty[i].Path
	}
	return EmptySelection(r.path, selectors, kept)
}

// removed returns a result for each variant that is removed.
func removed(items []*yaml.RNode, doomed []*existing) (all fn.Results) {
	for _, e := range doomed {
		all = append(all, krm.Errorf(items[e.item], "", "is removed, because no target of the set wants it").Result(fn.Info))
	}
	return all
}

func names(list []*existing) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.name
	}
	return out
}

// rivals returns a warning for each PackageVariant that does not belong to the set but has the same downstream as one
// that it makes.
func (c *content) rivals(items []*yaml.RNode, set *v1alpha2.PackageVariantSet,
	made []v1alpha1.PackageVariant) (all fn.Results) {
	wanted := make(map[variant.Downstream]bool, len(made))
	for i := range made {
		wanted[*made[i].Spec.Downstream] = true
	}
	for i := range c.variants {
		e := &c.variants[i]
		if e.owned || !wanted[e.downstream] {
			continue
		}
		all = append(all, krm.Errorf(items[e.item], "spec.downstream",
			"is %s/%s, the package of the variant that PackageVariantSet %q makes, and only one of the two can have it: delete "+
				"this one or the target, or hand this one over to the set by the label %s: %q",
			e.downstream.Repo, e.downstream.Package, set.Name, v1alpha2.OwnerLabel, OwnerOf(set)).Result(fn.Warning))
	}
	return all
}
