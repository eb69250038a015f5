// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/node"
)

// lifecycleTemplate are the expressions for the rules of a package's life.
type lifecycleTemplate struct {
	policy       *expression
	dependencies []dependencyTemplate
}

// dependencyTemplate are the expressions of a dependency.
type dependencyTemplate struct {
	name, revision *expression
}

func (c *compiler) lifecycle(path string, source *v1alpha2.PackageVariantTemplate) lifecycleTemplate {
	t := lifecycleTemplate{
		policy: c.compile(c.env.all, node.Join(path, "approvalPolicyExpr"), source.ApprovalPolicyExpr),
	}
	for i := range source.DependsOn {
		at, d := node.Index(node.Join(path, "dependsOn"), i), &source.DependsOn[i]
		t.dependencies = append(t.dependencies, dependencyTemplate{
			name:     c.compile(c.env.all, node.Join(at, "nameExpr"), d.NameExpr),
			revision: c.compileInt(c.env.all, node.Join(at, "minRevisionExpr"), d.MinRevisionExpr),
		})
	}
	return t
}

// renderLifecycle sets the rules of a package's life in the variant's spec.
func (t *template) renderLifecycle(spec *variant.Spec, vars *variables) error {
	policy, err := t.lifecycle.policy.eval(vars, (*string)(t.source.ApprovalPolicy))
	if err != nil {
		return err
	}
	spec.ApprovalPolicy = variant.ApprovalPolicy(policy)
	for i, source := range t.source.DependsOn {
		name, err := t.lifecycle.dependencies[i].name.eval(vars, source.Name)
		if err != nil {
			return err
		}
		least, err := t.lifecycle.dependencies[i].revision.evalInt(vars, source.MinRevision)
		if err != nil {
			return err
		}
		d := variant.Dependency{Name: name}
		if least != nil {
			d.MinRevision = *least
		}
		if least != nil && *least == 0 { // a plain one is refused before
			return t.lifecycle.dependencies[i].revision.failed(vars, "it gives 0: give 1 or more")
		}
		spec.DependsOn = append(spec.DependsOn, d)
	}
	return nil
}

// lifecycle refuses plain values that no variant may have, and values together with expressions for them. Which names
// expressions give is known once they are evaluated.
func (v *validator) lifecycle(path string, t *v1alpha2.PackageVariantTemplate) {
	atMostOne(v, path, "approvalPolicy", "approvalPolicyExpr", t.ApprovalPolicy, t.ApprovalPolicyExpr)
	plain := variant.Spec{Annotations: t.Annotations}
	if t.ApprovalPolicy != nil {
		plain.ApprovalPolicy = *t.ApprovalPolicy
	}
	for i := range t.DependsOn {
		at, d := node.Index(node.Join(path, "dependsOn"), i), &t.DependsOn[i]
		v.exactlyOne(at, "name", "nameExpr", d.Name, d.NameExpr)
		atMostOne(v, at, "minRevision", "minRevisionExpr", d.MinRevision, d.MinRevisionExpr)
		if d.MinRevision != nil && *d.MinRevision == 0 {
			v.errorf(node.Join(at, "minRevision"), "is 0: set it to 1 or more, or leave it out for any")
		}
	}
	if !slices.ContainsFunc(t.DependsOn, func(d v1alpha2.DependencyTemplate) bool { return d.Name == nil }) {
		for i := range t.DependsOn {
			d := variant.Dependency{Name: *t.DependsOn[i].Name}
			if least := t.DependsOn[i].MinRevision; least != nil {
				d.MinRevision = *least
			}
			plain.DependsOn = append(plain.DependsOn, d)
		}
	}
	v.add(plain.ValidateLifecycle(path))
}
