// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"path/filepath"
	"testing"
)

// TestPackageVariantSetAddedRules holds the rules of the fields of a set that Porch's API does not have.
func TestPackageVariantSetAddedRules(t *testing.T) {
	t.Parallel()
	s := newServer(t, filepath.Join(crdDir, variantSetCRD))
	const to = "targets: [{repositories: [{name: edge-01}]}]\n"
	const one = `spec: Invalid value: exactly one of upstream, upstreams and upstreamSelector must be set`
	const share = `must be a number from 0, or a percentage from 0% to 100%`
	testRules(t, s, map[string]ruleCase{
		"Upstreams": {spec: to + "upstreams: [{repo: r, package: p, revision: latest}, {repo: r, package: q, workspaceName: v1}]"},
		"UpstreamsEmpty": {
			spec: to + "upstreams: []",
			want: []string{`spec.upstreams: Invalid value: 0: spec.upstreams in body should have at least 1 items`},
		},
		"UpstreamsWithoutRevision": {
			spec: to + "upstreams: [{repo: r, package: p, revision: 1}, {repo: r, package: p}]",
			want: []string{`spec.upstreams[1]: Invalid value: one of revision and workspaceName must be set`},
		},
		"UpstreamsNames": {
			spec: to + "upstreams: [{repo: r, revision: a/b}]",
			want: []string{`spec.upstreams[0].package: Required value`},
		},
		"UpstreamSelector":    {spec: to + "upstreamSelector: {repo: r, matchLabels: {a: b}}"},
		"UpstreamSelectorAll": {spec: to + "upstreamSelector: {}"},
		"UpstreamSelectorRepo": {
			spec: to + "upstreamSelector: {repo: Up}",
			want: []string{`spec.upstreamSelector.repo: Invalid value: "Up": spec.upstreamSelector.repo in body should match ` +
				`'^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$'`},
		},
		"UpstreamAndUpstreams": {
			spec: validSet + "\nupstreams: [{repo: r, package: p, revision: 1}]",
			want: []string{one},
		},
		"UpstreamAndSelector":  {spec: validSet + "\nupstreamSelector: {}", want: []string{one}},
		"UpstreamsAndSelector": {spec: to + "upstreamSelector: {}\nupstreams: [{repo: r, package: p, revision: 1}]", want: []string{one}},

		"Suspend":              {spec: validSet + "\nsuspend: true"},
		"MaxDeletions":         {spec: validSet + "\nmaxDeletions: 3"},
		"MaxDeletionsNone":     {spec: validSet + "\nmaxDeletions: 0"},
		"MaxDeletionsShare":    {spec: validSet + "\nmaxDeletions: 20%"},
		"MaxDeletionsAll":      {spec: validSet + "\nmaxDeletions: 100%"},
		"MaxDeletionsNegative": {spec: validSet + "\nmaxDeletions: -1", want: []string{`spec.maxDeletions: Invalid value: -1: ` + share}},
		"MaxDeletionsOver100":  {spec: validSet + "\nmaxDeletions: 101%", want: []string{`spec.maxDeletions: Invalid value: "101%": ` + share}},
		"MaxDeletionsWord":     {spec: validSet + "\nmaxDeletions: abc", want: []string{`spec.maxDeletions: Invalid value: "abc": ` + share}},
		"MaxDeletionsQuoted":   {spec: validSet + "\nmaxDeletions: '3'", want: []string{`spec.maxDeletions: Invalid value: "3": ` + share}},
		"MaxDeletionsHuge": {spec: validSet + "\nmaxDeletions: 2147483648",
			want: []string{`spec.maxDeletions: Invalid value: 2147483648: ` + share}},
	})
}

func TestPackageVariantTemplateLifecycleRules(t *testing.T) {
	t.Parallel()
	s := newServer(t, filepath.Join(crdDir, variantSetCRD))
	template := func(fields string) string {
		return setUpstream + "targets: [{repositories: [{name: edge-01}], template: {" + fields + "}}]"
	}
	const at = `spec.targets[0].template`
	testRules(t, s, map[string]ruleCase{
		"Plain": {spec: template("approvalPolicy: Automatic, dependsOn: [{name: a, minRevision: 2}, " +
			"{name: b}]")},
		"Expressions": {spec: template("approvalPolicyExpr: e, dependsOn: [{nameExpr: e, " +
			"minRevisionExpr: e}]")},
		"When": {spec: template("pipeline: {mutators: [{image: a, when: x}, {image: a, whenExpr: e}]}")},
		"WhenTwice": {
			spec: template("pipeline: {mutators: [{image: a, condition: x}, {image: a, when: x, whenExpr: e}]}"),
			want: []string{
				at + `.pipeline.mutators[0]: Invalid value: condition was in no release of kpt: write when`,
				at + `.pipeline.mutators[1]: Invalid value: at most one of when and whenExpr may be set`,
			},
		},
		"PolicyUnknown": {
			spec: template("approvalPolicy: Sometimes"),
			want: []string{at + `.approvalPolicy: Unsupported value: "Sometimes": supported values: "", "Manual", "Initial", ` +
				`"Automatic"`},
		},
		"PolicyTwice": {
			spec: template("approvalPolicy: Manual, approvalPolicyExpr: e"),
			want: []string{at + `: Invalid value: at most one of approvalPolicy and approvalPolicyExpr may be set`},
		},
		"TwoApprovers": {
			spec: template("approvalPolicy: Initial, annotations: {approval.nephio.org/policy: initial}"),
			want: []string{at + `: Invalid value: approvalPolicy and the annotation approval.nephio.org/policy name two ` +
				`approvers: leave out one of them`},
		},
		"TheOtherApprover": {spec: template("approvalPolicy: Manual, annotations: {approval.nephio.org/policy: initial}")},
		"DependencyNames": {
			spec: template("dependsOn: [{}, {name: a, nameExpr: e}]"),
			want: []string{
				at + `.dependsOn[0]: Invalid value: exactly one of name and nameExpr must be set`,
				at + `.dependsOn[1]: Invalid value: exactly one of name and nameExpr must be set`,
			},
		},
		"DependencyRevisions": {
			spec: template("dependsOn: [{name: a, minRevision: 1, minRevisionExpr: e}]"),
			want: []string{at + `.dependsOn[0]: Invalid value: at most one of minRevision and minRevisionExpr may be set`},
		},
		"DependencyRevisionNone": {
			spec: template("dependsOn: [{name: a, minRevision: 0}]"),
			want: []string{at + `.dependsOn[0].minRevision: Invalid value: 0: ` + at +
				`.dependsOn[0].minRevision in body should be greater than or equal to 1`},
		},
	})
}
