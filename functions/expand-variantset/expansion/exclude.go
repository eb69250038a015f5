// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// The tags of the result for an Excluded. No other result of the function has them.
const (
	// TargetTag is its Target.
	TargetTag = variant.GroupName + "/target"
	// DownstreamTag is its Downstream, as <repo>/<package>. It is not there if that is unknown.
	DownstreamTag = variant.GroupName + "/downstream"
)

// LeftOut separates, in the message of such a result, the error from its consequence.
const LeftOut = "; this target is left out"

// Excluded is a variant that is not made, because of an error, while all others are.
type Excluded struct {
	// Target names the place, and the upstream where there are several, as messages do.
	Target string
	// Downstream is the package that the variant is for; a zero one if that is not known.
	Downstream variant.Downstream
	// Err says what is wrong, as FieldErrors joined.
	Err error
}

// unknown is the downstream that an expression should have given.
var unknown variant.Downstream

// limitError says that all variants of a set together have reached a limit. It excludes no target, because no single
// target is to blame.
type limitError struct{ *FieldError }

// Unwrap returns the FieldError.
func (e limitError) Unwrap() error { return e.FieldError }

// continues reports whether the set continues without targets that fail.
func (e *expander) continues() bool { return e.set.Spec.ErrorPolicy == v1alpha2.ErrorPolicyContinue }

// exclude excludes a variant that cannot be made because of err. It returns err if that stops the set.
func (e *expander) exclude(w want, d variant.Downstream, err error) error {
	if err == nil || !e.continues() {
		return err
	}
	if _, whole := errors.AsType[limitError](err); whole {
		return err
	}
	if e.size += len(err.Error()); e.size > bounds.SetBytes {
		return limitError{fieldErrorf(w.target.path, "fails, with target %s, in more than %d MiB of words: correct its "+
			"expressions", w, bounds.SetBytes>>20)}
	}
	e.excluded = append(e.excluded, Excluded{Target: w.String(), Downstream: d, Err: err})
	return nil
}

// unregistered returns the downstream of a variant in a Repository that does not exist: unknown if an expression gives
// the Repository's name, or another expression needs the Repository.
func (e *expander) unregistered(w want, repo string) variant.Downstream {
	if !e.continues() || w.target.template.repo != nil {
		return unknown
	}
	e.vars.repository = nil
	pkg, err := w.target.template.pkg.eval(&e.vars, orDefault(w.target.template.plainDownstream().Package, w.pkg()))
	if err != nil || variant.PackageProblem(pkg) != "" {
		return unknown
	}
	return variant.Downstream{Repo: repo, Package: pkg}
}

// failing returns the downstreams of excluded targets.
func failing(excluded []Excluded) []variant.Downstream {
	out := make([]variant.Downstream, len(excluded))
	for i := range excluded {
		out[i] = excluded[i].Downstream
	}
	return out
}

// exclusions returns a warning for each excluded target.
func (c *content) exclusions(config *yaml.RNode, set *v1alpha2.PackageVariantSet, excluded []Excluded) fn.Results {
	byDownstream, _ := index(c.variants)
	var all fn.Results
	for i := range excluded {
		x := &excluded[i]
		switch e := byDownstream[x.Downstream]; {
		case x.Downstream == unknown:
			all = append(all, x.result(config, set, "",
				"no variant of the set is removed, for it is not known which one is the target's"))
		case e == nil:
			name := Name(set.Name, x.Downstream.Repo, x.Downstream.Package)
			all = append(all, x.result(config, set, name, fmt.Sprintf("its variant %s is not made", name)))
		default:
			all = append(all, x.result(config, set, e.name,
				fmt.Sprintf("its variant %s is neither changed nor removed", e.name)))
		}
	}
	return all
}

// result returns the warning for an excluded target: what is wrong, and the consequence. The name is that of its
// variant, or "" if it is not known.
func (x *Excluded) result(config *yaml.RNode, set *v1alpha2.PackageVariantSet, name, consequence string) *fn.Result {
	r := krm.Errorf(config, "", "%s%s until that is corrected, and %s", strings.ReplaceAll(x.Err.Error(), "\n", "; "),
		LeftOut, consequence).Result(fn.Warning)
	if first, ok := errors.AsType[*FieldError](x.Err); ok {
		r.Field = &fn.Field{Path: first.Path}
	}
	r.Tags = map[string]string{TargetTag: x.Target}
	if x.Downstream != unknown {
		r.Tags[DownstreamTag] = PackageName{x.Downstream.Repo, x.Downstream.Package}.String()
		r.ResourceRef = &fn.ResourceRef{APIVersion: variant.APIVersion, Kind: variant.Kind, Namespace: set.Namespace,
			Name: name}
	}
	return r
}
