// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"path/filepath"
	"testing"
)

const setUpstream = "upstream: {repo: blueprints, package: billing, revision: 3}\n"

// validSet is the least that a PackageVariantSet needs.
const validSet = setUpstream + "targets: [{repositories: [{name: edge-01}]}]"

const packagePattern = `^(\b([-a-z0-9](\b/\b)?){1,63}\b)?$`

func TestPackageVariantSetRules(t *testing.T) {
	t.Parallel()
	s := newServer(t, filepath.Join(crdDir, variantSetCRD))
	targets := func(list string) string { return setUpstream + "targets: " + list }
	upstream := func(fields string) string {
		return "upstream: {repo: r, package: p" + fields + "}\ntargets: [{repositories: [{name: r}]}]"
	}
	testRules(t, s, map[string]ruleCase{
		"NamesThatPorchDoesNotTake": {
			spec: setUpstream + "targets: [{repositories: [{name: UP, packageNames: [ok, a//b]}], template: {downstream: " +
				"{repo: with space, package: ../evil}}}]",
			want: []string{
				`spec.targets[0].repositories[0].name: Invalid value: "UP": spec.targets[0].repositories[0].name in body should ` +
					`match '^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$'`,
				`spec.targets[0].repositories[0].packageNames[1]: Invalid value: "a//b": ` +
					`spec.targets[0].repositories[0].packageNames[1] in body should match '` + packagePattern + `'`,
				`spec.targets[0].template.downstream.package: Invalid value: "../evil": ` +
					`spec.targets[0].template.downstream.package in body should match '` + packagePattern + `'`,
				`spec.targets[0].template.downstream.repo: Invalid value: "with space": ` +
					`spec.targets[0].template.downstream.repo in body should match '^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$'`,
			},
		},
		"InjectionPoint": {spec: setUpstream +
			"targets: [{repositorySelector: {}, template: {injectors: [{name: a, injectionPoint: b}, {name: " +
			"a, injectionPointExpr: target.name}]}}]"},
		"InjectionPointTwice": {
			spec: setUpstream + "targets: [{repositorySelector: {}, template: {injectors: [{name: a, injectionPoint: " +
				"b, injectionPointExpr: target.name}]}}]",
			want: []string{`spec.targets[0].template.injectors[0]: Invalid value: ` +
				`at most one of injectionPoint and injectionPointExpr may be set`},
		},
		"Valid": {spec: validSet},

		"UpstreamAbsent": {
			spec: "targets: [{repositories: [{name: r}]}]",
			want: []string{`spec: Invalid value: exactly one of upstream, upstreams and upstreamSelector must be set`},
		},
		"UpstreamEmpty": {
			spec: "upstream: {}\ntargets: [{repositories: [{name: r}]}]",
			want: []string{
				`spec.upstream.package: Required value`,
				`spec.upstream.repo: Required value`,
			},
		},
		"UpstreamNamesEmpty": {
			spec: "upstream: {repo: '', package: '', revision: 1}\ntargets: [{repositories: [{name: r}]}]",
			want: []string{
				`spec.upstream.package: Invalid value: "": spec.upstream.package in body should be at least 1 chars long`,
				`spec.upstream.repo: Invalid value: "": spec.upstream.repo in body should be at least 1 chars long`,
			},
		},
		"RevisionMain":            {spec: upstream(", revision: -1")},
		"RevisionLatest":          {spec: upstream(", revision: latest")},
		"Workspace":               {spec: upstream(", workspaceName: v3")},
		"RevisionZeroOfWorkspace": {spec: upstream(", revision: 0, workspaceName: v3")},
		"RevisionAndWorkspace":    {spec: upstream(", revision: 3, workspaceName: v3")},
		"RevisionAbsent": {
			spec: upstream(""),
			want: []string{`spec.upstream: Invalid value: one of revision and workspaceName must be set`},
		},
		"RevisionZero": {
			spec: upstream(", revision: 0, workspaceName: ''"),
			want: []string{`spec.upstream: Invalid value: one of revision and workspaceName must be set`},
		},
		"RevisionNoTag": {
			spec: upstream(", revision: a/b"),
			want: []string{`spec.upstream.revision: Invalid value: "a/b": must be a number, v and a number, main, or a tag of ` +
				`letters, digits, '-', '_' and '.' that begins and ends with a letter or digit`},
		},
		"RevisionVZero": {
			spec: upstream(", revision: v0"),
			want: []string{`spec.upstream.revision: Invalid value: "v0": must not be 0: revisions are numbered from 1`},
		},

		"TargetsAbsent": {
			spec: setUpstream,
			want: []string{`spec.targets: Required value`},
		},
		"TargetsEmpty": {
			spec: targets("[]"),
			want: []string{`spec.targets: Invalid value: 0: spec.targets in body should have at least 1 items`},
		},
		"Selectors": {spec: targets(`
- repositorySelector: {}
- repositorySelector: {matchLabels: {a: b}, packageNames: [p, q]}
- objectSelector: {apiVersion: v1, kind: ConfigMap}
- objectSelector: {apiVersion: v1, kind: ConfigMap, name: c, matchExpressions: [{key: a, operator: Exists}], packageNames: [p]}`)},
		"TargetWithoutSelection": {
			spec: targets("[{repositories: [{name: r}]}, {template: {}}]"),
			want: []string{`spec.targets[1]: Invalid value: exactly one of repositories, repositorySelector and ` +
				`objectSelector must be set`},
		},
		"TargetWithTwoSelections": {
			spec: targets("[{repositories: [{name: r}], repositorySelector: {}}]"),
			want: []string{`spec.targets[0]: Invalid value: exactly one of repositories, repositorySelector and ` +
				`objectSelector must be set`},
		},
		"TargetWithThreeSelections": {
			spec: targets("[{repositories: [{name: r}], repositorySelector: {}, objectSelector: {apiVersion: v1, kind: K}}]"),
			want: []string{`spec.targets[0]: Invalid value: exactly one of repositories, repositorySelector and ` +
				`objectSelector must be set`},
		},
		"RepositoriesEmpty": {
			spec: targets("[{repositories: []}]"),
			want: []string{`spec.targets[0].repositories: Invalid value: 0: spec.targets[0].repositories in body should have ` +
				`at least 1 items`},
		},
		"RepositoryNames": {
			spec: targets("[{repositories: [{name: ''}, {name: r, packageNames: [p, '']}, {packageNames: [p]}]}]"),
			want: []string{
				`spec.targets[0].repositories[0].name: Invalid value: "": spec.targets[0].repositories[0].name in body should be ` +
					`at least 1 chars long`,
				`spec.targets[0].repositories[1].packageNames[1]: Invalid value: "": ` +
					`spec.targets[0].repositories[1].packageNames[1] in body should be at least 1 chars long`,
				`spec.targets[0].repositories[2].name: Required value`,
			},
		},
		"RepositoryWithoutPackages": {spec: targets("[{repositories: [{name: r, packageNames: []}]}]")},
		"SelectorPackageNameEmpty": {
			spec: targets("[{repositorySelector: {packageNames: ['']}}, {objectSelector: {apiVersion: v1, kind: " +
				"K, packageNames: ['']}}]"),
			want: []string{
				`spec.targets[0].repositorySelector.packageNames[0]: Invalid value: "": ` +
					`spec.targets[0].repositorySelector.packageNames[0] in body should be at least 1 chars long`,
				`spec.targets[1].objectSelector.packageNames[0]: Invalid value: "": ` +
					`spec.targets[1].objectSelector.packageNames[0] in body should be at least 1 chars long`,
			},
		},
		"ObjectSelectorKindAbsent": {
			spec: targets("[{objectSelector: {matchLabels: {a: b}}}]"),
			want: []string{
				`spec.targets[0].objectSelector.apiVersion: Required value`,
				`spec.targets[0].objectSelector.kind: Required value`,
			},
		},
		"ObjectSelectorKindEmpty": {
			spec: targets("[{objectSelector: {apiVersion: '', kind: ''}}]"),
			want: []string{
				`spec.targets[0].objectSelector.apiVersion: Invalid value: "": spec.targets[0].objectSelector.apiVersion in body ` +
					`should be at least 1 chars long`,
				`spec.targets[0].objectSelector.kind: Invalid value: "": spec.targets[0].objectSelector.kind in body should be ` +
					`at least 1 chars long`,
			},
		},
	})
}

func TestPackageVariantTemplateRules(t *testing.T) {
	t.Parallel()
	s := newServer(t, filepath.Join(crdDir, variantSetCRD))
	template := func(fields string) string {
		return setUpstream + "targets: [{repositories: [{name: edge-01}], template: {" + fields + "}}]"
	}
	testRules(t, s, map[string]ruleCase{
		"Empty": {spec: template("")},

		"Downstream": {spec: template("downstream: {repo: r, packageExpr: target.name}")},
		// Porch takes an empty string for an absent field.
		"DownstreamEmpty": {spec: template("downstream: {repo: '', packageExpr: ''}")},
		"DownstreamRepoTwice": {
			spec: template("downstream: {repo: r, repoExpr: e}"),
			want: []string{`spec.targets[0].template.downstream: Invalid value: at most one of repo and repoExpr may be set`},
		},
		"DownstreamPackageTwice": {
			spec: template("downstream: {package: p, packageExpr: e}"),
			want: []string{`spec.targets[0].template.downstream: Invalid value: ` +
				`at most one of package and packageExpr may be set`},
		},

		"Policies": {spec: template("adoptionPolicy: adoptExisting, deletionPolicy: orphan")},
		"PoliciesUnknown": {
			spec: template("adoptionPolicy: '', deletionPolicy: keep"),
			want: []string{
				`spec.targets[0].template.adoptionPolicy: Unsupported value: "": supported values: "adoptNone", "adoptExisting"`,
				`spec.targets[0].template.deletionPolicy: Unsupported value: "keep": supported values: "delete", "orphan"`,
			},
		},

		"MapExprs": {spec: template("labelExprs: [{key: k, value: v}, {key: k, valueExpr: v}, {keyExpr: k, value: " +
			"''}, {keyExpr: k}]")},
		"MapExprKeys": {
			spec: template("labelExprs: [{key: k, keyExpr: e, value: v}, {value: v}]"),
			want: []string{
				`spec.targets[0].template.labelExprs[0]: Invalid value: at most one of key and keyExpr may be set`,
				`spec.targets[0].template.labelExprs[1]: Invalid value: one of key and keyExpr must be set`,
			},
		},
		"MapExprValues": {
			spec: template("labelExprs: [{key: k, value: v, valueExpr: e}]"),
			want: []string{`spec.targets[0].template.labelExprs[0]: Invalid value: ` +
				`at most one of value and valueExpr may be set`},
		},
		"MapExprEmptyExpressions": {
			spec: template("labelExprs: [{keyExpr: '', valueExpr: ''}]"),
			want: []string{
				`spec.targets[0].template.labelExprs[0].keyExpr: Invalid value: "": ` +
					`spec.targets[0].template.labelExprs[0].keyExpr in body should be at least 1 chars long`,
				`spec.targets[0].template.labelExprs[0].valueExpr: Invalid value: "": ` +
					`spec.targets[0].template.labelExprs[0].valueExpr in body should be at least 1 chars long`,
			},
		},
		"AnnotationExprs": {
			spec: template("annotationExprs: [{key: k, keyExpr: e, value: v, valueExpr: e}, {value: v}]"),
			want: []string{
				`spec.targets[0].template.annotationExprs[0]: Invalid value: at most one of key and keyExpr may be set`,
				`spec.targets[0].template.annotationExprs[0]: Invalid value: at most one of value and valueExpr may be set`,
				`spec.targets[0].template.annotationExprs[1]: Invalid value: one of key and keyExpr must be set`,
			},
		},

		"Context": {spec: template("packageContext: {data: {a: x}, removeKeys: [b], dataExprs: [{key: a, valueExpr: " +
			"e}], removeKeyExprs: [e]}")},
		"ContextReserved": {
			spec: template("packageContext: {data: {name: x, package-path: z}}"),
			want: []string{
				`spec.targets[0].template.packageContext.data: Invalid value: must not contain the reserved key name`,
				`spec.targets[0].template.packageContext.data: Invalid value: must not contain the reserved key package-path`,
			},
		},
		"ContextRemovesReserved": {
			spec: template("packageContext: {removeKeys: [name, package-path]}"),
			want: []string{
				`spec.targets[0].template.packageContext.removeKeys[0]: Invalid value: "name": must not be the reserved key name`,
				`spec.targets[0].template.packageContext.removeKeys[1]: Invalid value: "package-path": ` +
					`must not be the reserved key package-path`,
			},
		},
		"ContextReservedByExpr": {
			spec: template("packageContext: {dataExprs: [{key: a}, {key: name, value: x}, {key: package-path, valueExpr: e}]}"),
			want: []string{
				`spec.targets[0].template.packageContext.dataExprs[1].key: Invalid value: must not set the reserved key name`,
				`spec.targets[0].template.packageContext.dataExprs[2].key: Invalid value: ` +
					`must not set the reserved key package-path`,
			},
		},
		"ContextSetsAndRemoves": {
			spec: template("packageContext: {data: {a: x}, removeKeys: [a]}"),
			want: []string{`spec.targets[0].template.packageContext: Invalid value: ` +
				`the same key must not be in both data and removeKeys`},
		},
		"ContextDataExprs": {
			spec: template("packageContext: {dataExprs: [{key: k, keyExpr: e, value: v, valueExpr: e}, {value: v}]}"),
			want: []string{
				`spec.targets[0].template.packageContext.dataExprs[0]: Invalid value: at most one of key and keyExpr may be set`,
				`spec.targets[0].template.packageContext.dataExprs[0]: Invalid value: ` +
					`at most one of value and valueExpr may be set`,
				`spec.targets[0].template.packageContext.dataExprs[1]: Invalid value: one of key and keyExpr must be set`,
			},
		},
		"ContextEmptyRemoveKeyExpr": {
			spec: template("packageContext: {removeKeyExprs: ['']}"),
			want: []string{`spec.targets[0].template.packageContext.removeKeyExprs[0]: Invalid value: "": ` +
				`spec.targets[0].template.packageContext.removeKeyExprs[0] in body should be at least 1 chars long`},
		},

		"Injectors": {spec: template("injectors: [{name: a}, {kind: K, nameExpr: e}]")},
		"InjectorNameTwice": {
			spec: template("injectors: [{name: a, nameExpr: e}]"),
			want: []string{`spec.targets[0].template.injectors[0]: Invalid value: exactly one of name and nameExpr must be set`},
		},
		"InjectorNameAbsent": {
			spec: template("injectors: [{kind: K}]"),
			want: []string{`spec.targets[0].template.injectors[0]: Invalid value: exactly one of name and nameExpr must be set`},
		},
		"InjectorNameEmpty": {
			spec: template("injectors: [{name: ''}, {nameExpr: ''}]"),
			want: []string{
				`spec.targets[0].template.injectors[0].name: Invalid value: "": spec.targets[0].template.injectors[0].name in ` +
					`body should be at least 1 chars long`,
				`spec.targets[0].template.injectors[1].nameExpr: Invalid value: "": ` +
					`spec.targets[0].template.injectors[1].nameExpr in body should be at least 1 chars long`,
			},
		},

		"Pipeline": {spec: template("pipeline: {mutators: [{image: i, configMapExprs: [{key: k, valueExpr: " +
			"e}]}], validators: [{exec: e}]}")},
		"FunctionWithoutImage": {
			spec: template("pipeline: {validators: [{name: a}]}"),
			want: []string{`spec.targets[0].template.pipeline.validators[0]: Invalid value: ` +
				`exactly one of image and exec must be set`},
		},
		"FunctionWithImageAndExec": {
			spec: template("pipeline: {mutators: [{image: a, exec: b}]}"),
			want: []string{`spec.targets[0].template.pipeline.mutators[0]: Invalid value: ` +
				`exactly one of image and exec must be set`},
		},
		"FunctionNameWithDot": {
			spec: template("pipeline: {mutators: [{image: a, name: b.c}], validators: [{image: a}, {image: a, name: .}]}"),
			want: []string{
				`spec.targets[0].template.pipeline.mutators[0].name: Invalid value: "b.c": must not contain '.'`,
				`spec.targets[0].template.pipeline.validators[1].name: Invalid value: ".": must not contain '.'`,
			},
		},
		// Porch does not look for both here, and takes the expression.
		"FunctionConfigMapExprs": {
			spec: template("pipeline: {mutators: [{image: a, configMapExprs: [{key: k, keyExpr: e, value: v, valueExpr: e}]}]}"),
		},
		"FunctionConfigMapExprKeys": {
			spec: template("pipeline: {mutators: [{image: a, configMapExprs: [{}]}], validators: [{image: a, configMapExprs: " +
				"[{value: v}]}]}"),
			want: []string{
				`spec.targets[0].template.pipeline.mutators[0].configMapExprs[0]: Invalid value: ` +
					`one of key and keyExpr must be set`,
				`spec.targets[0].template.pipeline.validators[0].configMapExprs[0]: Invalid value: ` +
					`one of key and keyExpr must be set`,
			},
		},
	})
}
