// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"path/filepath"
	"strings"
	"testing"
)

// validVariant is the least that a PackageVariant needs; the cases add to it.
const validVariant = `
upstream: {repo: blueprints, package: billing, revision: 3}
downstream: {repo: edge-01, package: billing}`

const (
	repositoryRule = `must be made of lower-case letters, digits and '-', of which the first and the last are no '-'`
	packageRule    = `must be made of lower-case letters, digits and '-', with a single '/' between the parts of a ` +
		`path; each part begins and ends with a letter or digit`
)

func TestPackageVariantRules(t *testing.T) {
	t.Parallel()
	s := newServer(t, filepath.Join(crdDir, variantCRD))
	upstream := func(fields string) string {
		return "upstream: {repo: r, package: p, " + fields + "}\ndownstream: {repo: r, package: p}"
	}
	testRules(t, s, map[string]ruleCase{
		"Valid": {spec: validVariant},

		"UpstreamAbsent": {
			spec: `downstream: {repo: r, package: p}`,
			want: []string{`spec.upstream: Required value`},
		},
		"UpstreamEmpty": {
			spec: "upstream: {}\ndownstream: {repo: r, package: p}",
			want: []string{
				`spec.upstream.package: Required value`,
				`spec.upstream.repo: Required value`,
			},
		},
		"UpstreamNamesEmpty": {
			spec: "upstream: {repo: '', package: ''}\ndownstream: {repo: r, package: p}",
			want: []string{
				`spec.upstream.package: Invalid value: "": spec.upstream.package in body should be at least 1 chars long`,
				`spec.upstream.repo: Invalid value: "": spec.upstream.repo in body should be at least 1 chars long`,
			},
		},
		"DownstreamAbsent": {
			spec: `upstream: {repo: r, package: p}`,
			want: []string{`spec.downstream: Required value`},
		},
		"DownstreamEmpty": {
			spec: "upstream: {repo: r, package: p}\ndownstream: {}",
			want: []string{
				`spec.downstream.package: Required value`,
				`spec.downstream.repo: Required value`,
			},
		},
		"DownstreamNamesEmpty": {
			spec: "upstream: {repo: r, package: p}\ndownstream: {repo: '', package: ''}",
			want: []string{
				`spec.downstream.package: Invalid value: "": spec.downstream.package in body should be at least 1 chars long`,
				`spec.downstream.repo: Invalid value: "": spec.downstream.repo in body should be at least 1 chars long`,
			},
		},

		"NamesThatPorchDoesNotTake": {
			spec: "upstream: {repo: UP, package: x.y, workspaceName: ../evil}\ndownstream: {repo: -lead, package: a//b}",
			want: []string{
				`spec.downstream.package: Invalid value: "a//b": ` + packageRule,
				`spec.downstream.repo: Invalid value: "-lead": ` + repositoryRule,
				`spec.upstream.package: Invalid value: "x.y": ` + packageRule,
				`spec.upstream.repo: Invalid value: "UP": ` + repositoryRule,
				`spec.upstream.workspaceName: Invalid value: "../evil": ` + repositoryRule + `, or be a version like v1.2.3`,
			},
		},
		"PackagePathOfMaxLength": {spec: "upstream: {repo: r, package: p}\ndownstream: {repo: r, package: a/" +
			strings.Repeat("x", 62) + "}"},
		"PackagePathTooLong": {
			spec: "upstream: {repo: r, package: p}\ndownstream: {repo: r, package: a/" + strings.Repeat("x", 63) + "}",
			want: []string{`spec.downstream.package: Invalid value: "a/` + strings.Repeat("x", 63) +
				`": must have at most 63 characters beside the slashes`},
		},

		// Porch takes the main branch then.
		"RevisionAbsent":        {spec: "upstream: {repo: r, package: p}\ndownstream: {repo: r, package: p}"},
		"RevisionZero":          {spec: upstream(`revision: 0`)},
		"RevisionBranch":        {spec: upstream(`revision: -1`)},
		"RevisionMain":          {spec: upstream(`revision: main`)},
		"RevisionV":             {spec: upstream(`revision: v3`)},
		"RevisionQuoted":        {spec: upstream(`revision: "3"`)},
		"RevisionLatest":        {spec: upstream(`revision: latest`)},
		"RevisionTag":           {spec: upstream(`revision: stable_1.2-x`)},
		"RevisionAndWorkspace":  {spec: upstream(`revision: 3, workspaceName: v3`)},
		"RevisionTagOfMaxWidth": {spec: upstream(`revision: ` + strings.Repeat("x", 63))},
		"RevisionTagTooLong": {
			spec: upstream(`revision: ` + strings.Repeat("x", 64)),
			want: []string{`spec.upstream.revision: Too long: may not be more than 63 bytes`},
		},
		"RevisionNoTag": {
			spec: upstream(`revision: a/b`),
			want: []string{`spec.upstream.revision: Invalid value: "a/b": must be a number, v and a number, main, or a tag of ` +
				`letters, digits, '-', '_' and '.' that begins and ends with a letter or digit`},
		},
		"RevisionEmpty": {
			spec: upstream(`revision: ""`),
			want: []string{`spec.upstream.revision: Invalid value: "": must be a number, v and a number, main, or a tag of ` +
				`letters, digits, '-', '_' and '.' that begins and ends with a letter or digit`},
		},
		"RevisionQuotedMinus": {
			spec: upstream(`revision: "-1"`),
			want: []string{`spec.upstream.revision: Invalid value: "-1": must be a number, v and a number, main, or a tag of ` +
				`letters, digits, '-', '_' and '.' that begins and ends with a letter or digit`},
		},
		"RevisionVZero": {
			spec: upstream(`revision: v0`),
			want: []string{`spec.upstream.revision: Invalid value: "v0": must not be 0: revisions are numbered from 1`},
		},
		"RevisionFraction": {
			spec: upstream(`revision: 1.5`),
			want: []string{`spec.upstream.revision: Invalid value: "number": spec.upstream.revision in body must be of type ` +
				`integer,string: "number"`},
		},

		"PoliciesEmpty":         {spec: validVariant + "\nadoptionPolicy: ''\ndeletionPolicy: ''"},
		"PoliciesAdoptNone":     {spec: validVariant + "\nadoptionPolicy: adoptNone\ndeletionPolicy: delete"},
		"PoliciesAdoptExisting": {spec: validVariant + "\nadoptionPolicy: adoptExisting\ndeletionPolicy: orphan"},
		"PoliciesUnknown": {
			spec: validVariant + "\nadoptionPolicy: adoptAll\ndeletionPolicy: keep",
			want: []string{
				`spec.adoptionPolicy: Unsupported value: "adoptAll": supported values: "", "adoptNone", "adoptExisting"`,
				`spec.deletionPolicy: Unsupported value: "keep": supported values: "", "delete", "orphan"`,
			},
		},

		"Context": {spec: validVariant + "\npackageContext: {data: {a: x, names: z}, removeKeys: [b, path]}"},
		"ContextReservedName": {
			spec: validVariant + "\npackageContext: {data: {name: x}}",
			want: []string{`spec.packageContext.data: Invalid value: must not contain the reserved key name`},
		},
		"ContextReservedPath": {
			spec: validVariant + "\npackageContext: {data: {package-path: x}}",
			want: []string{`spec.packageContext.data: Invalid value: must not contain the reserved key package-path`},
		},
		"ContextRemovesReserved": {
			spec: validVariant + "\npackageContext: {removeKeys: [a, name, package-path]}",
			want: []string{
				`spec.packageContext.removeKeys[1]: Invalid value: "name": must not be the reserved key name`,
				`spec.packageContext.removeKeys[2]: Invalid value: "package-path": must not be the reserved key package-path`,
			},
		},
		"ContextSetsAndRemoves": {
			spec: validVariant + "\npackageContext: {data: {a: x, b: z}, removeKeys: [c, b]}",
			want: []string{`spec.packageContext: Invalid value: the same key must not be in both data and removeKeys`},
		},

		"Pipeline": {spec: validVariant + `
pipeline:
  mutators: [{image: set-labels, exec: "", name: labels}, {exec: ./annotate}]
  validators: [{image: kubeconform}]`},
		"FunctionWithoutImage": {
			spec: validVariant + "\npipeline: {mutators: [{name: a}], validators: [{image: ''}]}",
			want: []string{
				`spec.pipeline.mutators[0]: Invalid value: exactly one of image and exec must be set`,
				`spec.pipeline.validators[0]: Invalid value: exactly one of image and exec must be set`,
			},
		},
		"FunctionWithImageAndExec": {
			spec: validVariant + "\npipeline: {mutators: [{image: a, exec: b}]}",
			want: []string{`spec.pipeline.mutators[0]: Invalid value: exactly one of image and exec must be set`},
		},
		"FunctionNameWithDot": {
			spec: validVariant + "\npipeline: {mutators: [{image: a, name: .}], validators: [{image: a, name: b.c}]}",
			want: []string{
				`spec.pipeline.mutators[0].name: Invalid value: ".": must not contain '.'`,
				`spec.pipeline.validators[0].name: Invalid value: "b.c": must not contain '.'`,
			},
		},

		"Lifecycle": {spec: validVariant + "\napprovalPolicy: Automatic\ndependsOn: [{name: a}, {name: b}]"},
		"TwoApprovers": {
			spec: validVariant + "\napprovalPolicy: Initial\nannotations: {approval.nephio.org/policy: initial}",
			want: []string{`spec: Invalid value: approvalPolicy and the annotation approval.nephio.org/policy name two ` +
				`approvers: leave out one of them`},
		},
		"DependencyNameEmpty": {
			spec: validVariant + "\ndependsOn: [{name: ''}]",
			want: []string{`spec.dependsOn[0].name: Invalid value: "": spec.dependsOn[0].name in body should be at least 1 ` +
				`chars long`},
		},
		"DependencyTwice": {
			spec: validVariant + "\ndependsOn: [{name: a}, {name: a}]",
			want: []string{`spec.dependsOn[1]: Duplicate value: {"name":"a"}`},
		},

		"Injectors": {spec: validVariant + "\ninjectors: [{name: a}, {group: '', version: v1, kind: ConfigMap, name: b}]"},
		"InjectorNameAbsent": {
			spec: validVariant + "\ninjectors: [{kind: ConfigMap}]",
			want: []string{`spec.injectors[0].name: Required value`},
		},
		"InjectorNameEmpty": {
			spec: validVariant + "\ninjectors: [{name: ''}]",
			want: []string{`spec.injectors[0].name: Invalid value: "": spec.injectors[0].name in body should be at ` +
				`least 1 chars long`},
		},
	})
}
