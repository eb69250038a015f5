// SPDX-License-Identifier: Apache-2.0

package expansion_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

func TestGolden(t *testing.T) {
	t.Parallel()
	fntest.Golden(t, "../testdata", expansion.Run)
}

const (
	repositories = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {name: edge-1, namespace: fleet, labels: {env: prod, n: "1"}}
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {name: edge-2, namespace: fleet, labels: {env: prod}}
`
	revisions = `apiVersion: porch.kpt.dev/v1alpha1
kind: PackageRevision
metadata: {name: up, namespace: fleet}
spec: {packageName: web, repository: blueprints, revision: 3, workspaceName: v3, lifecycle: Published}
`
	example = `no function config: pass one by --fn-config, or by configPath in a Kptfile pipeline, for example ` +
		`{apiVersion: config.porch.kpt.dev/v1alpha2, kind: PackageVariantSet, metadata: {name: web, namespace: ` +
		`fleet}, spec: {upstream: {repo: blueprints, package: web, revision: 3}, targets: [{repositorySelector: ` +
		`{matchLabels: {env: prod}}}]}}`
)

var snapshot = fntest.Files{"repositories.yaml": repositories, "revisions.yaml": revisions}

// set returns a PackageVariantSet with the given targets.
func set(targets string) string {
	return "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata:\n  name: web\n" +
		"  namespace: fleet\n" +
		"spec:\n  upstream: {repo: blueprints, package: web, revision: 3}\n  targets:\n" + targets
}

// templated returns a set with one target, the repository edge-2, and the given template.
func templated(template string) string {
	return set("  - repositories: [{name: edge-2}]\n    template: " + template + "\n")
}

// expr returns a set whose label x has the given expression.
func expr(source string) string {
	return templated("\n      labelExprs:\n      - {key: a, value: b}\n      - key: x\n        valueExpr: " + source)
}

const (
	noPackage = "which Porch takes for no package: use lower-case letters, digits and '-', and a single '/' between the " +
		"parts of a path; each part begins and ends with a letter or digit"
	head   = `PackageVariantSet "web": spec.targets[0].template.`
	steers = "is set by Porch or its controllers, as all of kpt.dev and below is: remove it, or choose a key of a domain of " +
		"yours"
	nestedText = "publishing the outer one would remove the inner one from the branch; give each a directory of its own, by " +
		"packageNames or packageExpr"
	noLabel = "which no label can have as a key: use up to 63 letters, digits, '-', '_' and '.', with a DNS name and a '/' " +
		"before them if need be"
	two   = " (for target edge-2/web"
	noKey = "which no ConfigMap can have as a key: use up to 253 letters, digits, '-', '_' and '.'"
)

const exprField = `PackageVariantSet "web": spec.targets[0].template.labelExprs[1].valueExpr: `

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config, want string
	}{
		"no config":       {"", example},
		"empty ConfigMap": {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: function-input\ndata: {}\n", example},
		"wrong kind": {"apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata:\n  name: pv\n",
			`PackageVariant "pv": cannot configure this function: its config must be one of config.porch.kpt.dev/v1alpha2 ` +
				`PackageVariantSet, fn.kpt.dev/v1alpha1 ExpandVariantSet, not config.porch.kpt.dev/v1alpha1 PackageVariant`},
		"misspelt field": {set("  - repositorySelectr: {}\n"),
			`PackageVariantSet "web": spec.targets[0].repositorySelectr: is not a field of this config: ` +
				`did you mean repositorySelector?`},
		"no targets": {strings.Replace(set(""), "targets:", "targets: []", 1),
			`PackageVariantSet "web": spec.targets: is empty: say where the variants are to be, by repositories, ` +
				`repositorySelector or objectSelector`},
		"a target of no kind": {set("  - template: {}\n"),
			`PackageVariantSet "web": spec.targets[0]: has 0 of repositories, repositorySelector and objectSelector, but must ` +
				`have exactly one`},
		"a target of two kinds": {set("  - repositories: [{name: edge-1}]\n    repositorySelector: {}\n"),
			`PackageVariantSet "web": spec.targets[0]: has 2 of repositories, repositorySelector and objectSelector, but must ` +
				`have exactly one`},
		"all that is wrong": {set("  - objectSelector: {}\n  - repositories: []\n" +
			"  - repositories: [{packageNames: [\"\"]}]\n"),
			"PackageVariantSet \"web\": spec.targets[0].objectSelector.apiVersion: is missing: set it\n" +
				"PackageVariantSet \"web\": spec.targets[0].objectSelector.kind: is missing: set it\n" +
				"PackageVariantSet \"web\": spec.targets[1].repositories: is empty: name the repositories, or use a selector\n" +
				"PackageVariantSet \"web\": spec.targets[2].repositories[0].name: is missing: set it\n" +
				"PackageVariantSet \"web\": spec.targets[2].repositories[0].packageNames[0]: is missing: set it"},
		"no upstream": {strings.Replace(set("  - repositorySelector: {}\n"), "{repo: blueprints, package: web, revision: 3}",
			"{}", 1),
			"PackageVariantSet \"web\": spec.upstream.repo: is missing: set it\n" +
				"PackageVariantSet \"web\": spec.upstream.package: is missing: set it\n" +
				"PackageVariantSet \"web\": spec.upstream: has neither revision nor workspaceName: set one"},
		"bad revision": {strings.Replace(set("  - repositorySelector: {}\n"), "revision: 3", "revision: a b", 1),
			"PackageVariantSet \"web\": spec.upstream.revision: is not valid: " +
				"revision \"a b\" is not a number, v and a number, main, or a tag of at most 63 letters, digits, '-', '_' and " +
				"'.' that begins and ends with a letter or digit"},
		"upstream that is not there": {strings.Replace(set("  - repositorySelector: {}\n"), "revision: 3", "revision: 4", 1),
			`PackageVariantSet "web": spec.upstream: there is no PackageRevision of blueprints/web with revision 4 in ` +
				`namespace "fleet": correct the upstream, or add the PackageRevision to the snapshot`},
		"workspace that is not there": {strings.Replace(set("  - repositorySelector: {}\n"), "revision: 3",
			"workspaceName: v4", 1),
			`PackageVariantSet "web": spec.upstream: there is no PackageRevision of blueprints/web with workspace v4 in ` +
				`namespace "fleet": correct the upstream, or add the PackageRevision to the snapshot`},
		"neither workspace nor revision": {strings.Replace(set("  - repositorySelector: {}\n"), "revision: 3",
			"revision: 4, workspaceName: v4", 1),
			`PackageVariantSet "web": spec.upstream: there is no PackageRevision of blueprints/web with workspace v4, nor one ` +
				`with revision 4 in namespace "fleet": correct the upstream, or add the PackageRevision to the snapshot`},
		"repository that is not there": {set("  - repositories: [{name: edge-9}]\n"),
			`PackageVariantSet "web": spec.targets[0]: wants a package in repository "edge-9" for target edge-9/web, but ` +
				`there is no such Repository in namespace "fleet": register it, or correct the target`},
		"pair claimed twice": {set("  - repositories: [{name: edge-1}]\n  - repositorySelector: {matchLabels: {env: " +
			"prod}}\n"),
			`PackageVariantSet "web": spec.targets[1]: wants package "web" in repository "edge-1" for target edge-1/web, ` +
				`which spec.targets[0] (for edge-1/web) wants already: ` +
				`give each target a package of its own, by packageNames or packageExpr`},
		"a package inside another": {set("  - repositories: [{name: edge-1, packageNames: [a/b]}, {name: edge-2, " +
			"packageNames: [a]}]\n  - repositories: [{name: edge-1, packageNames: [a-b, a/c, a/b/c/d]}]\n"),
			`PackageVariantSet "web": spec.targets[1]: wants package "a/b/c/d" in repository "edge-1" for target ` +
				`edge-1/a/b/c/d, which lies inside the package that spec.targets[0] (for edge-1/a/b) wants: ` + nestedText},
		"a package around others": {set("  - repositories: [{name: edge-1, packageNames: [a/b/c, a/b/d, a]}]\n"),
			`PackageVariantSet "web": spec.targets[0]: wants package "a" in repository "edge-1" for target edge-1/a, ` +
				`which lies around the package that spec.targets[0] (for edge-1/a/b/c) wants: ` + nestedText},
		"bad selector": {set("  - repositorySelector: {matchExpressions: [{key: a, operator: Near}]}\n"),
			`PackageVariantSet "web": spec.targets[0].repositorySelector: is no label selector: ` +
				`"Near" is not a valid label selector operator`},
		"plain and expression": {templated("{downstream: {repo: a, repoExpr: b, package: c, packageExpr: d}, labelExprs: " +
			"[{key: a, keyExpr: b, value: c, valueExpr: d}, {}], injectors: [{}, {name: a, nameExpr: b}]}"),
			"PackageVariantSet \"web\": spec.targets[0].template.downstream: has both repo and repoExpr: decide for one\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.downstream: has both package and packageExpr: " +
				"decide for one\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.labelExprs[0]: has both key and keyExpr: decide for one\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.labelExprs[0]: has both value and valueExpr: " +
				"decide for one\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.labelExprs[1]: has neither key nor keyExpr: set one\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.injectors[0]: has neither name nor nameExpr: set one\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.injectors[1]: has both name and nameExpr: decide for one"},
		"bad rollout": {set("  - repositories: [{name: edge-2}]\n  errorPolicy: Ignore\n  rollout: {maxFailures: 101%, " +
			"waves: [{name: rest, selector: {}}]}\n"),
			"PackageVariantSet \"web\": spec.rollout.maxFailures: is 101%, but must be at most 100%\n" +
				"PackageVariantSet \"web\": spec.rollout.waves[0].name: is \"rest\", which is the last wave, of all targets that " +
				"no other selects: choose another name\n" +
				"PackageVariantSet \"web\": spec.errorPolicy: is \"Ignore\", but must be Stop or Continue"},
		"bad policies": {templated("{adoptionPolicy: adopt, deletionPolicy: keep}"),
			"PackageVariantSet \"web\": spec.targets[0].template.adoptionPolicy: " +
				"is \"adopt\", but must be one of [\"adoptNone\" \"adoptExisting\"]\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.deletionPolicy: " +
				"is \"keep\", but must be one of [\"delete\" \"orphan\"]"},
		"bad functions": {templated("{pipeline: {mutators: [{name: a.b}], validators: [{image: a, exec: b, configMapExprs: " +
			"[{}]}]}}"),
			"PackageVariantSet \"web\": spec.targets[0].template.pipeline.mutators[0]: has neither image nor exec: " +
				"say which function to run\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.pipeline.mutators[0].name: " +
				"is \"a.b\", but must have no dot: its name in the Kptfile is read by the dots\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.pipeline.validators[0]: has both image and exec: " +
				"decide for one\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.pipeline.validators[0].configMapExprs[0]: " +
				"has neither key nor keyExpr: set one"},
		"names that Porch does not take": {set("  - repositories: [{name: UP, packageNames: [a//b, ok]}]\n" +
			"  - repositorySelector: {packageNames: [x.y]}\n  - objectSelector: {apiVersion: v1, kind: A, packageNames: " +
			"[-lead]}\n    template: {downstream: {repo: with space}}\n"),
			"PackageVariantSet \"web\": spec.targets[0].repositories[0].name: is \"UP\", which no Repository can have as a " +
				"name: use at most 63 lower-case letters, digits and '-', of which the first and the last are no '-'\n" +
				"PackageVariantSet \"web\": spec.targets[0].repositories[0].packageNames[0]: is \"a//b\", " + noPackage + "\n" +
				"PackageVariantSet \"web\": spec.targets[1].repositorySelector.packageNames[0]: is \"x.y\", " + noPackage + "\n" +
				"PackageVariantSet \"web\": spec.targets[2].objectSelector.packageNames[0]: is \"-lead\", " + noPackage + "\n" +
				"PackageVariantSet \"web\": spec.targets[2].template.downstream.repo: " +
				"is \"with space\", which no Repository can have as a name: use at most 63 lower-case letters, digits and '-', " +
				"of which the first and the last are no '-'"},
		"upstream that Porch does not know": {strings.Replace(set("  - repositorySelector: {}\n"),
			"package: web, revision: 3", "package: Web, workspaceName: a b", 1),
			"PackageVariantSet \"web\": spec.upstream.package: is \"Web\", " + noPackage + "\n" +
				"PackageVariantSet \"web\": spec.upstream.workspaceName: is \"a b\", which no package revision can have as its " +
				"workspace: use at most 63 lower-case letters, digits and '-', of which the first and the last are no '-', or a " +
				"version like v1.2.3"},
		"keys that steer Porch": {templated("{labels: {kpt.dev/latest-revision: 'true', mine: x}, labelExprs: " +
			"[{key: tag.config.porch.kpt.dev/stable, valueExpr: \"'true'\"}], annotations: {approval.nephio.org/policy: initial, " +
			"config.porch.kpt.dev/x: y}, annotationExprs: [{key: a, valueExpr: \"'b'\"}, {key: internal.porch.kpt.dev/x}]}"),
			head + "labels.kpt.dev/latest-revision: " + steers + "\n" + head + "annotations.config.porch.kpt.dev/x: " + steers +
				"\n" + head + "labelExprs[0].key: " + steers + "\n" +
				head + "annotationExprs[1].key: " + steers},
		"keys of expressions that steer Porch": {templated("{labelExprs: [{keyExpr: \"'kpt.dev/' + packageDefault\", value: x}]}"),
			head + "labelExprs[0].keyExpr: " + steers + ` (for target edge-2/web, by "'kpt.dev/' + packageDefault")`},
		"keys that cannot be": {templated("{labels: {a b: x}, annotations: {'': x}, packageContext: {data: {a/b: x, name: " +
			"y}, removeKeys: ['a b'], removeKeyExprs: ['']}, injectors: [{name: ''}, {name: a, injectionPoint: " +
			"b, injectionPointExpr: c}]}"),
			"PackageVariantSet \"web\": spec.targets[0].template.labels.a b: is \"a b\", which no label can have as a key: " +
				"use up to 63 letters, digits, '-', '_' and '.', with a DNS name and a '/' before them if need be\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.annotations.: " +
				"is \"\", which no annotation can have as a key: use up to 63 letters, digits, '-', '_' and '.', with a DNS " +
				"name and a '/' before them if need be\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.packageContext.data.a/b: is \"a/b\", " + noKey + "\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.packageContext.data.name: " +
				"is set by kpt itself and cannot be changed: remove the key \"name\"\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.packageContext.removeKeys[0]: is \"a b\", " + noKey + "\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.packageContext.removeKeyExprs[0]: is missing: set it\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.injectors[0].name: is missing: set it\n" +
				"PackageVariantSet \"web\": spec.targets[0].template.injectors[1]: " +
				"has both injectionPoint and injectionPointExpr: decide for one"},
		"keys that expressions make": {templated("{labelExprs: [{keyExpr: \"'a b'\", value: x}, {key: v, valueExpr: " +
			"\"'a b'\"}, {keyExpr: \"''\", valueExpr: \"'x'\"}], annotationExprs: [{keyExpr: \"''\"}], packageContext: " +
			"{dataExprs: [{keyExpr: \"'a b'\"}], removeKeyExprs: [\"''\"]}, injectors: [{nameExpr: \"''\"}], pipeline: " +
			"{mutators: [{image: a, configMapExprs: [{keyExpr: \"''\"}]}]}}"),
			head + "labelExprs[2]: is \"\", " + noLabel + two + `, by "''" and "'x'")` + "\n" +
				head + "labelExprs[0].keyExpr: is \"a b\", " + noLabel + two + `, by "'a b'")` + "\n" +
				head + "labelExprs[1].valueExpr: is \"a b\", which no label can have as its value: use up to 63 letters, " +
				"digits, '-', '_' and '.', beginning and ending with a letter or digit" + two + `, by "'a b'")` + "\n" +
				head + "annotationExprs[0].keyExpr: is \"\", " + strings.Replace(noLabel, "label", "annotation", 1) + two +
				`, by "''")` + "\n" +
				head + "packageContext.dataExprs[0].keyExpr: is \"a b\", " + noKey + two + `, by "'a b'")` + "\n" +
				head + "packageContext.removeKeyExprs[0]: is \"\", " + noKey + two + `, by "''")` + "\n" +
				head + "pipeline.mutators[0].configMapExprs[0].keyExpr: has an empty key: name it, or remove it" + two +
				`, by "''")` + "\n" +
				head + "injectors[0].nameExpr: is missing: set it" + two + `, by "''")`},
		"keys and values of expressions that are plain": {templated("{labelExprs: [{key: '', value: x}, {key: a, value: " +
			"'b c'}], annotationExprs: [{key: 'a b'}], packageContext: {dataExprs: [{key: name}]}, pipeline: {validators: " +
			"[{image: a, configMap: {'': a}, configMapExprs: [{key: ''}]}]}}"),
			head + "labelExprs[0].key: is \"\", " + noLabel + "\n" +
				head + "labelExprs[1].value: is \"b c\", which no label can have as its value: use up to 63 letters, digits, " +
				"'-', '_' and '.', beginning and ending with a letter or digit\n" +
				head + "annotationExprs[0].key: is \"a b\", " + strings.Replace(noLabel, "label", "annotation", 1) + "\n" +
				head + "packageContext.dataExprs[0].key: is set by kpt itself and cannot be changed: remove the key \"name\"\n" +
				head + "pipeline.validators[0].configMap.: has an empty key: name it, or remove it\n" +
				head + "pipeline.validators[0].configMapExprs[0].key: is empty: name the key"},
		"a condition, and a when with an expression": {templated("{pipeline: {mutators: [{image: a, condition: x}], " +
			"validators: [{image: a, when: x, whenExpr: y}]}}"),
			head + "pipeline.mutators[0].condition: was in no release of kpt, which has when: call it that\n" +
				head + "pipeline.validators[0]: has both when and whenExpr: decide for one"},
		"name that no label can have": {strings.Replace(set("  - repositorySelector: {}\n"), "name: web", "name: team/web", 1),
			`PackageVariantSet "team/web": metadata.name: is "team/web", which the label ` +
				`config.porch.kpt.dev/packagevariantset of the variants cannot have as its value: use letters, digits, '-', '_' ` +
				`and '.', beginning and ending with a letter or digit`},
		"package with a part that is too long": {set("  - repositories: [{name: edge-1, packageNames: [" +
			strings.Repeat("q", 64) + "]}]\n"), `PackageVariantSet "web": spec.targets[0].repositories[0].packageNames[0]: is "` +
			strings.Repeat("q", 64) + `", which is too long for Porch: a part of the path has 64 characters, and may have 63: ` +
			`shorten it`},
		"name too long for a label": {strings.Replace(set("  - repositorySelector: {}\n"), "name: web",
			"name: "+strings.Repeat("a", 64), 1),
			`PackageVariantSet "` + strings.Repeat("a", 64) +
				`": metadata.name: has 64 characters, but as the value of the label config.porch.kpt.dev/packagevariantset it ` +
				`may have 63 at most: shorten it`},
		"package out of the repository": {templated("{downstream: {package: ../up}}"),
			`PackageVariantSet "web": spec.targets[0].template.downstream.package: is "../up", ` + noPackage},
		"absolute package": {templated("{downstream: {packageExpr: \"'/' + target.package\"}}"),
			`PackageVariantSet "web": spec.targets[0].template.downstream.packageExpr: is "/web", ` + noPackage +
				` (for target edge-2/web, by "'/' + target.package")`},
		"empty package": {templated("{downstream: {packageExpr: \"''\"}}"),
			`PackageVariantSet "web": spec.targets[0].template.downstream.packageExpr: ` +
				`gives an empty name for target edge-2/web, by "''": name the package by packageNames, package or packageExpr`},
		"reserved context key": {templated("{packageContext: {dataExprs: [{keyExpr: \"'na' + 'me'\", value: x}]}}"),
			`PackageVariantSet "web": spec.targets[0].template.packageContext.dataExprs[0].keyExpr: ` +
				`is set by kpt itself and cannot be changed: remove the key "name" (for target edge-2/web, by "'na' + 'me'")`},
		"context key set and removed": {templated("{packageContext: {data: {a: x}, removeKeyExprs: [\"'a'\"]}}"),
			`PackageVariantSet "web": spec.targets[0].template.packageContext.removeKeyExprs[0]: ` +
				`asks to remove the key "a", which data sets: decide for one (for target edge-2/web, by "'a'")`},
		"pair claimed twice in explicit lists": {set("  - repositories: [{name: nowhere, packageNames: [a, b]}]\n" +
			"  - repositories: [{name: elsewhere, packageNames: [c]}]\n    template: {downstream: {repo: nowhere, package: " +
			"b}}\n"),
			`PackageVariantSet "web": spec.targets[1]: wants package "b" in repository "nowhere" for target elsewhere/c, ` +
				`which spec.targets[0] (for nowhere/b) wants already: ` +
				`give each target a package of its own, by packageNames or packageExpr`},
		"CEL syntax": {expr("repository.labels["),
			exprField + `cannot compile "repository.labels[": Syntax error: mismatched input '<EOF>' expecting {'[', '{', ` +
				`'(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, ` +
				`IDENTIFIER}, at column 19`},
		"CEL unknown variable": {expr("repositry.name"),
			exprField + `cannot compile "repositry.name": undeclared reference to 'repositry' (in container ''), at column 1`},
		"CEL type": {expr("repoDefault + 1"), exprField +
			`cannot compile "repoDefault + 1": found no matching overload for '_+_' applied to '(string, int)', at column 13`},
		"CEL result type": {expr("size(repoDefault)"), exprField +
			`cannot compile "size(repoDefault)": it gives int, but must give a string: use string(...)`},
		"CEL object": {expr("target"),
			exprField + `cannot compile "target": it gives an object, but must give a string: ` +
				`choose one of its fields, such as its name`},
		"CEL map": {expr("repository.labels"), exprField +
			`cannot compile "repository.labels": it gives a map, but must give a string: choose one of its values by its key`},
		"CEL list": {expr("repoDefault.split('-')"), exprField +
			`cannot compile "repoDefault.split('-')": it gives a list, but must give a string: ` +
			`choose one of its elements, or join them by join(',')`},
		"CEL null": {expr("\"null\""),
			exprField + `cannot compile "null": it gives null_type, but must give a string: use another expression`},
		"CEL dynamic type": {expr("repository['labels']"), exprField +
			`cannot evaluate "repository['labels']" for target edge-2/web: it gives a map, but must give a string`},
		"CEL missing key": {expr("repository.labels.n"), exprField +
			`cannot evaluate "repository.labels.n" for target edge-2/web: no such key: n`},
		"CEL missing field": {expr("repository.labls.n"), exprField +
			`cannot evaluate "repository.labls.n" for target edge-2/web: no such key: labls`},
		"CEL hidden field": {expr("repository.spec"), exprField +
			`cannot evaluate "repository.spec" for target edge-2/web: no such key: spec`},
		"CEL division by zero": {expr("string(1 / (size(repoDefault) - 6))"),
			exprField + `cannot evaluate "string(1 / (size(repoDefault) - 6))" for target edge-2/web: division by zero`},
		"CEL cost": {expr("string(lists.range(1000).map(a, lists.range(1000).map(b, a * b)).size())"),
			exprField + `cannot evaluate "string(lists.range(1000).map(a, lists.range(1000).map(b, a * b)).size())" for ` +
				`target edge-2/web: it is too expensive and was stopped at the cost limit of 100000: make it simpler`},
		"CEL in several lines": {expr("|\n          repository.name +\n            repositry.name\n"),
			exprField + `cannot compile "repository.name +\n  repositry.name\n": ` +
				`undeclared reference to 'repositry' (in container ''), at line 2, column 3`},
		"CEL too long": {expr("\"'" + strings.Repeat("a", 10_001) + "'\""),
			exprField + `cannot compile "'` + strings.Repeat("a", 199) +
				`...": it has 10003 characters, and 10000 are allowed: shorten it`},
		"repository in repoExpr": {templated("{downstream: {repoExpr: repository.name}}"),
			`PackageVariantSet "web": spec.targets[0].template.downstream.repoExpr: cannot compile "repository.name": ` +
				`undeclared reference to 'repository' (in container ''), at column 1; repository depends on the result and is ` +
				`not known here: use target, repoDefault or upstream`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fntest.Fails(t, expansion.Run, c.config, snapshot, c.want)
		})
	}
}

func TestObjectTwice(t *testing.T) {
	t.Parallel()
	files := fntest.Files{"a.yaml": repositories, "b.yaml": repositories, "revisions.yaml": revisions}
	fntest.Fails(t, expansion.Run, set("  - repositorySelector: {}\n"), files,
		`b.yaml: Repository "edge-1": stands twice in the snapshot, the first is in a.yaml: remove one of the two`)
}

// TestObjectTwiceWithConfig checks that an object of the config's that stands among the items too is an error.
func TestObjectTwiceWithConfig(t *testing.T) {
	t.Parallel()
	config := "apiVersion: fn.kpt.dev/v1alpha1\nkind: ExpandVariantSet\nmetadata: {name: web, namespace: fleet}\n" +
		"upstream: {repo: blueprints, package: web, revision: 3}\ntargets: [{repositorySelector: {}}]\n" +
		"resources: [{apiVersion: config.porch.kpt.dev/v1alpha1, kind: Repository, metadata: {name: edge-2, namespace: " +
		"fleet}}]\n"
	fntest.Fails(t, expansion.Run, config, snapshot,
		`repositories.yaml: Repository "edge-2": stands twice in the snapshot, the first is Repository "edge-2" of `+
			`namespace "fleet": remove one of the two`)
	fntest.Fails(t, expansion.Run, strings.Replace(config, "name: edge-2, ", "", 1), snapshot,
		`ExpandVariantSet "web": resources[0].metadata.name: is missing: each entry must be a whole object, as kubectl get `+
			`-o yaml shows it`)
}

// TestVariantKeyTwice checks that a variant with a key that stands twice is not edited: an edit would reach only one.
func TestVariantKeyTwice(t *testing.T) {
	t.Parallel()
	name := expansion.Name("web", "edge-1", "web")
	fntest.Fails(t, expansion.Run, set("  - repositories: [{name: edge-1}]\n"), fntest.Files{
		"repositories.yaml": repositories, "revisions.yaml": revisions,
		"pv.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: " + name +
			", namespace: fleet, labels: {config.porch.kpt.dev/packagevariantset: web}}\n" +
			"spec: {downstream: {repo: edge-1, package: web}, labels: {a: x, a: z}}\n"},
		`pv.yaml: PackageVariant "`+name+`": spec.labels.a: stands twice: remove one of the two`)
}

func TestNameTaken(t *testing.T) {
	t.Parallel()
	const named = "name: is the name that the variant of this set for edge-1/web is to have, but this PackageVariant is for "
	const unmarked = "labels: do not mark this PackageVariant as the set's, although it has the name and the downstream of " +
		`the variant of this set for edge-1/web: set the label config.porch.kpt.dev/packagevariantset: "web", or rename it`
	name := expansion.Name("web", "edge-1", "web")
	for test, c := range map[string]struct{ labels, downstream, want string }{
		"by another's": {"{}", "{repo: x, package: y}", named + "x/y: rename it"},
		"by one for another target": {"{config.porch.kpt.dev/packagevariantset: web}", "{repo: edge-2, package: web}",
			named + "edge-2/web: rename it"},
		"by its own, without the label":    {"{}", "{repo: edge-1, package: web}", unmarked},
		"by its own, with another's label": {"{config.porch.kpt.dev/packagevariantset: x}", "{repo: edge-1, package: web}", unmarked},
	} {
		t.Run(test, func(t *testing.T) {
			t.Parallel()
			files := fntest.Files{"repositories.yaml": repositories, "revisions.yaml": revisions,
				"pv.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: " + name +
					", namespace: fleet, labels: " + c.labels + "}\nspec: {downstream: " + c.downstream + "}\n"}
			fntest.Fails(t, expansion.Run, set("  - repositories: [{name: edge-1}, {name: edge-2}]\n"), files,
				`pv.yaml: PackageVariant "`+name+`": metadata.`+c.want)
		})
	}
}

// TestFileTaken checks that a file in which something else stands is no place for a variant, and that a file of the
// same path in a subpackage does not matter.
func TestFileTaken(t *testing.T) {
	t.Parallel()
	name := expansion.Name("web", "edge-1", "web")
	other := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\n"
	config := set("  - repositories: [{name: edge-1}]\n")
	files := fntest.Files{"repositories.yaml": repositories, "revisions.yaml": revisions,
		"packagevariants/fleet/" + name + ".yaml": other}
	fntest.Fails(t, expansion.Run, config, files,
		`packagevariants/fleet/`+name+`.yaml: ConfigMap "other": stands where the variant of this set for edge-1/web is to `+
			`be written: move it to another file`)
	const inPackage = "apiVersion: %s\nkind: %s\nmetadata:\n  name: %s\n  annotations:\n" +
		"    internal.config.kubernetes.io/package-path: %s\n"
	files = fntest.Files{
		"repositories.yaml": fmt.Sprintf(inPackage, "config.porch.kpt.dev/v1alpha1", "Repository", "edge-1", "/pkg"),
		"revisions.yaml": fmt.Sprintf(inPackage, "porch.kpt.dev/v1alpha1", "PackageRevision", "up", "/pkg") +
			"spec: {packageName: web, repository: blueprints, revision: 3, workspaceName: v3, lifecycle: Published}\n",
		"packagevariants/fleet/" + name + ".yaml": fmt.Sprintf(inPackage, "v1", "ConfigMap", "other", "/pkg/sub"),
	}
	if stdout, stderr, code := fntest.Run(expansion.Run, fntest.List(t, config, files)); code != 0 {
		t.Errorf("exit code %d: %s\n%s", code, stderr, stdout)
	}
}

// TestFolded checks that text in a variant which no emitter writes as a block keeps its value.
func TestFolded(t *testing.T) {
	t.Parallel()
	files := fntest.Files{"repositories.yaml": repositories, "revisions.yaml": revisions,
		"pv.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata:\n  name: mine\n" +
			"  namespace: fleet\n" +
			"  labels: {config.porch.kpt.dev/packagevariantset: web}\n  annotations:\n    note: >-\n      one\n\n        two\n" +
			"spec: {downstream: {repo: edge-1, package: web}}\n"}
	list := fntest.List(t, set("  - repositories: [{name: edge-1}]\n"), files)
	stdout, stderr, code := fntest.Run(expansion.Run, list)
	if code != 0 {
		t.Fatal(stderr)
	}
	note := func(list []byte) (text string, revision int) {
		for _, item := range fntest.Parse(t, list).Items {
			if item.GetKind() == "PackageVariant" {
				text = item.GetAnnotation("note")
				revision, _, _ = item.NestedInt("spec", "upstream", "revision")
			}
		}
		return text, revision
	}
	want, _ := note(list)
	got, revision := note(stdout)
	if diff := cmp.Diff(want, got); diff != "" || want == "" || revision != 3 {
		t.Errorf("of revision %d, -want +got:\n%s", revision, diff)
	}
}

func FuzzInput(f *testing.F) {
	fntest.FuzzInput(f, "../testdata", expansion.Run)
}

// TestSelectedVariant checks that a PackageVariant without a spec is an object to select from, and is not edited, even
// if it has the name of a variant of the set.
func TestSelectedVariant(t *testing.T) {
	t.Parallel()
	name := expansion.Name("web", "edge-1", "site")
	files := fntest.Files{
		"repositories.yaml": repositories, "revisions.yaml": revisions,
		"selected.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: " + name +
			", namespace: fleet, labels: {site: on}}\n",
	}
	config := set("  - objectSelector: {apiVersion: config.porch.kpt.dev/v1alpha1, kind: PackageVariant, matchLabels: " +
		"{site: on}}\n" +
		"    template: {downstream: {repo: edge-1, package: site}}\n")
	items := fntest.Nodes(t, files)
	out, err := expansion.Run(yaml.MustParse(config), items)
	if err != nil || len(out.Items) != len(items)+1 {
		t.Fatalf("got %d items of %d, %v", len(out.Items), len(items), err)
	}
	for i := range items {
		if out.Items[i] != items[i] {
			t.Errorf("item %d is another:\n%s", i, out.Items[i].MustString())
		}
	}
	if made := out.Items[len(items)]; made.GetName() != name || made.Field("spec") == nil {
		t.Errorf("made\n%s", made.MustString())
	}
}

// TestKeyTwice checks that the last one of two entries for a key counts, and that a warning names both, once.
func TestKeyTwice(t *testing.T) {
	t.Parallel()
	config := templated("{packageContext: {data: {a: zero}, dataExprs: [{key: a, value: one}, {key: b, value: two}, " +
		"{keyExpr: \"'a'\", valueExpr: \"'three'\"}]}}")
	out, err := expansion.Run(yaml.MustParse(config), fntest.Nodes(t, snapshot))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range out.Items {
		if item.GetKind() == "PackageVariant" {
			value, _ := item.GetString("spec.packageContext.data.a")
			got = append(got, value)
		}
	}
	for _, r := range out.Results {
		got = append(got, string(r.Severity)+": "+r.Message)
	}
	const data = "spec.targets[0].template.packageContext.dataExprs"
	want := []string{"three", "warning: " + data + `[2] gives the key "a", which dataExprs[0] gives too, for target ` +
		"edge-2/web: the last one counts, remove the other"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
