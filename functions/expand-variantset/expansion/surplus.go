// SPDX-License-Identifier: Apache-2.0

package expansion

import (
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
// which stay because any of them may belong to a target that fails.
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

// kept says why the set's variants are kept as they are; "" if they are not. made is how many variants the set makes,
// and the doomed ones would be removed.
func (c *content) kept(r request, doomed []*existing, made int) string {
	there := len(c.made())
	if made == 0 && there > 0 && len(doomed) == there && !r.set.Spec.AllowEmpty {
		return EmptySelection(&r.set.Spec, r.path, there)
	}
	return TooManyDeletions(&r.set.Spec, r.path, there, names(doomed))
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
