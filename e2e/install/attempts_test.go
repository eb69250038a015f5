// SPDX-License-Identifier: Apache-2.0

package install

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
)

// newVariant returns the spec of a PackageVariant with further fields.
func newVariant(fields string) string {
	return "{upstream: {repo: blueprints, package: web, revision: 1}, downstream: {repo: fra, package: new}, " +
		fields + "}"
}

// newSet returns the spec of a PackageVariantSet of one target with a template.
func newSet(template string) string {
	return "{upstream: {repo: blueprints, package: web, revision: 1}, " +
		"targets: [{repositories: [{name: fra}], template: {" + template + "}}]}"
}

// selecting returns the spec of a PackageVariantSet with a selector of objects.
func selecting(apiVersion, kind string) string {
	return fmt.Sprintf("{upstream: {repo: blueprints, package: web, revision: 1}, "+
		"targets: [{objectSelector: {apiVersion: %s, kind: %s}}]}", apiVersion, kind)
}

// selectingWith returns what gives the set of a selector of ConfigMaps another template.
func selectingWith(template string) string {
	return "{targets: [{objectSelector: {apiVersion: v1, kind: ConfigMap}, template: {" + template + "}}]}"
}

// can is the command that shows a right to read: a verb and what is read, in which there may be a "*".
func can(what string) string {
	verb, resource, _ := strings.Cut(what, " ")
	return "kubectl auth can-i " + verb + " '" + resource + "' --namespace=default"
}

// attempts are those of all policies.
func attempts() []attempt {
	return slices.Concat(drafts, publications, readings, removals, updates)
}

var drafts = []attempt{
	{name: "a variant", spec: newVariant("")},
	{name: "a set", kind: sets, spec: newSet("")},
	{name: "a manual one", spec: newVariant("approvalPolicy: Manual, suspend: true")},
	{name: "an adoption that removes nothing", spec: newVariant("adoptionPolicy: adoptExisting, deletionPolicy: orphan")},
}

var publications = []attempt{
	{name: "Automatic", spec: newVariant("approvalPolicy: Automatic"), refused: noOwner, missing: publish},
	{name: "Initial", spec: newVariant("approvalPolicy: Initial"), refused: noOwner, missing: publish},
	{name: "Nephio's approver", spec: newVariant("annotations: {approval.nephio.org/policy: always}"),
		refused: noOwner, missing: publish},
	{name: "Automatic in a set", kind: sets, spec: newSet("approvalPolicy: Automatic"),
		refused: noOwner, missing: publish},
	{name: "an expression", kind: sets, spec: newSet(`approvalPolicyExpr: '"Manual"'`),
		refused: noOwner, missing: publish},
	{name: "Nephio's approver in a set", kind: sets,
		spec: newSet("annotationExprs: [{keyExpr: target.repo, value: always}]"), refused: noOwner, missing: publish},
	{name: "Automatic from now on", on: "plain", spec: "{approvalPolicy: Automatic}", refused: noOwner, missing: publish},
	{name: "another content of what publishes", on: "full", spec: "{packageContext: {data: {a: b}}}",
		refused: noOwner, missing: publish},
	{name: "another upstream of a set that publishes", kind: sets, on: "full", spec: "{upstream: {revision: 2}}",
		refused: noOwner, missing: publish},
}

var readings = []attempt{
	{name: "a ConfigMap", spec: newVariant("injectors: [{kind: ConfigMap, name: secret}]"),
		refused: "writer", missing: can("get configmaps/secret")},
	{name: "the ConfigMap that all may read", spec: newVariant("injectors: [{kind: ConfigMap, name: public}]")},
	{name: "the second of two", spec: newVariant("injectors: [{kind: ConfigMap, name: public}, {group: '', " +
		"kind: ConfigMap, name: secret}]"), refused: "writer", missing: can("get configmaps/secret")},
	{name: "an object of a group", spec: newVariant("injectors: [{group: example.com, kind: NetworkPolicy, name: x}]"),
		refused: noOwner, missing: can("get networkpolicies.example.com/x")},
	{name: "a plural after a vowel", spec: newVariant("injectors: [{group: example.com, kind: Gateway, name: x}]"),
		refused: noOwner, missing: can("get gateways.example.com/x")},
	{name: "a kind of any group", spec: newVariant("injectors: [{kind: Gateway, name: x}]"),
		refused: all, missing: can("get gateways.*/x")},
	{name: "any kind", spec: newVariant("injectors: [{name: x}]"), refused: all, missing: can("get *.*")},
	{name: "a name by an expression", kind: sets, spec: newSet("injectors: [{kind: ConfigMap, nameExpr: target.repo}]"),
		refused: "writer", missing: can("get configmaps")},
	{name: "objects as targets", kind: sets, spec: selecting("v1", "ConfigMap"),
		refused: "writer", missing: can("list configmaps")},
	{name: "objects of a group as targets", kind: sets, spec: selecting("example.com/v1", "Gateway"),
		refused: all, missing: can("list gateways.example.com")},
	{name: "ten ConfigMaps", spec: newVariant("injectors: [" + configMaps(10) + "]"),
		refused: "writer", missing: can("get configmaps/c0")},
	{name: "eleven ConfigMaps", spec: newVariant("injectors: [" + configMaps(11) + "]"),
		refused: all, missing: "--namespace=default"},
	{name: "the same ConfigMap forty times", spec: newVariant("injectors: [" +
		strings.Repeat("{kind: ConfigMap, name: secret}, ", 40) + "]"),
		refused: "writer", missing: can("get configmaps/secret")},
	{name: "another package for what is read", on: "reading", spec: "{downstream: {package: other}}",
		refused: "writer", missing: can("get configmaps/secret")},
	{name: "another repository for what is read", kind: sets, on: "reading", spec: "{targets: [{repositories: " +
		"[{name: fra}, {name: new}], template: {deletionPolicy: orphan, injectors: [{kind: ConfigMap, name: secret}]}}]}",
		refused: "writer", missing: can("get configmaps/secret")},
	{name: "another label of what reads", on: "reading", spec: "{labels: {a: b}}"},
	{name: "an expression over what is selected", kind: sets, on: "selecting", spec: selectingWith(
		"deletionPolicy: orphan, labelExprs: [{key: a, valueExpr: target.labels.a}]"),
		refused: "writer", missing: can("list configmaps")},
	{name: "one more ConfigMap", on: "full", spec: "{injectors: [{name: anything}, {kind: ConfigMap, name: more}], " +
		"approvalPolicy: Manual}", refused: "writer", missing: can("get configmaps/more")},
}

// configMaps returns injectors of several ConfigMaps.
func configMaps(n int) string {
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, "{kind: ConfigMap, name: c%d}, ", i)
	}
	return list.String()
}

// owned and wanted are metadata: of what goes with a ConfigMap, and of what a set made.
const (
	owned = "ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: 6c1dbd19-9f42-4a4e-8c5f-a1d0a1d3d1f5}]"

	wanted = "labels: {config.porch.kpt.dev/packagevariantset: x}"
)

var removals = []attempt{
	{name: "an adoption", spec: newVariant("adoptionPolicy: adoptExisting"), refused: noOwner, missing: remove},
	{name: "an adoption by a set", kind: sets, spec: newSet("adoptionPolicy: adoptExisting"),
		refused: noOwner, missing: remove},
	{name: "an adoption from now on", on: "plain", spec: "{adoptionPolicy: adoptExisting}",
		refused: noOwner, missing: remove},
	{name: "a deletion", on: "plain", refused: noOwner, missing: remove},
	{name: "a deletion of a set", kind: sets, on: "plain", refused: noOwner, missing: remove},
	{name: "a deletion that removes nothing", on: "orphan"},
	{name: "a deletion in the background", on: "orphan", cascade: metav1.DeletePropagationBackground},
	{name: "a deletion in the foreground", on: "orphan", cascade: metav1.DeletePropagationForeground,
		refused: noOwner, missing: remove},
	{name: "a deletion of a set in the foreground", kind: sets, on: "orphan",
		cascade: metav1.DeletePropagationForeground, refused: noOwner, missing: remove},
	{name: "a deletion in the foreground later", on: "orphan", object: "{metadata: {finalizers: [" +
		v1alpha1.Finalizer + ", foregroundDeletion]}}", refused: noOwner, missing: remove},
	{name: "a new variant to be deleted in the foreground", object: "{metadata: {finalizers: [foregroundDeletion]}, " +
		"spec: " + newVariant("") + "}", refused: noOwner, missing: remove},
	{name: "a deletion without the controller", on: "orphan", object: "{metadata: {finalizers: null}}",
		refused: noOwner, missing: remove},
	{name: "another finalizer", on: "orphan", object: "{metadata: {finalizers: [" + v1alpha1.Finalizer +
		", example.com/x]}}"},
	{name: "another downstream", on: "plain", spec: "{downstream: {package: other}}", refused: noOwner, missing: remove},
	{name: "another downstream that removes nothing", on: "orphan", spec: "{downstream: {package: other}}"},
	{name: "nothing to be removed", on: "plain", spec: "{deletionPolicy: orphan}"},
	{name: "all to be removed", on: "orphan", spec: "{deletionPolicy: delete}", refused: noOwner, missing: remove},
	{name: "an owner that can be deleted", on: "plain", object: "{metadata: {" + owned + "}}",
		refused: noOwner, missing: remove},
	{name: "an owner of a set", kind: sets, on: "plain", object: "{metadata: {" + owned + "}}",
		refused: noOwner, missing: remove},
	{name: "an owner of what removes nothing", on: "orphan", object: "{metadata: {" + owned + "}}",
		refused: noOwner, missing: remove},
	{name: "an owner of what adopts and removes nothing", object: "{metadata: {" + owned + "}, spec: " +
		newVariant("adoptionPolicy: adoptExisting, deletionPolicy: orphan") + "}", refused: noOwner, missing: remove},
	{name: "a new variant with an owner", object: "{metadata: {" + owned + "}, spec: " + newVariant("") + "}"},
	{name: "a new variant with an owner for a set", object: "{metadata: {" + owned + ", " + wanted + "}, spec: " +
		newVariant("") + "}", refused: noOwner, missing: remove},
	{name: "a new variant for a set", object: "{metadata: {" + wanted + "}, spec: " + newVariant("") + "}"},
	{name: "a set that does not want it", on: "plain", object: "{metadata: {" + wanted + "}}",
		refused: noOwner, missing: remove},
	{name: "a target fewer", kind: sets, on: "plain", spec: "{targets: [{repositorySelector: {matchLabels: {site: a}}}]}",
		refused: noOwner, missing: remove},
	{name: "a repository fewer", kind: sets, on: "plain", spec: "{targets: [{repositories: [{name: fra}]}, " +
		"{repositorySelector: {matchLabels: {site: a}}}]}", refused: noOwner, missing: remove},
	{name: "a set that is to remove nothing", kind: sets, on: "plain", spec: "{targets: [{repositories: [{name: fra}, " +
		"{name: lon, packageNames: [web]}], template: {deletionPolicy: orphan}}, {repositorySelector: " +
		"{matchLabels: {site: a}}, template: {deletionPolicy: orphan}}]}", refused: noOwner, missing: remove},
	{name: "a set that is to remove", kind: sets, on: "orphan", spec: "{targets: [{repositories: [{name: fra}, " +
		"{name: lon}]}]}", refused: noOwner, missing: remove},
	{name: "a repository fewer that removes nothing", kind: sets, on: "orphan", spec: "{targets: [{repositories: " +
		"[{name: fra}], template: {deletionPolicy: orphan}}]}"},
	{name: "a deletion of a set that removes nothing", kind: sets, on: "orphan"},
	{name: "another package name", kind: sets, on: "plain", spec: "{upstream: {package: other}}",
		refused: noOwner, missing: remove},
	{name: "the end of a limit", kind: sets, on: "plain", spec: "{allowEmpty: true}", refused: noOwner, missing: remove},
}

// wave is the approval of a wave of a rollout.
var wave = attempt{name: "the approval of a wave", kind: sets, on: "full",
	object: `{metadata: {annotations: {` + v1alpha2.ApproveWaveAnnotation + `: "first@1"}}}`}

// updates need no rights for what they leave as it was.
var updates = []attempt{
	{name: "suspend", on: "full", spec: "{suspend: true}"},
	{name: "suspend a set", kind: sets, on: "full", spec: "{suspend: true}"},
	{name: "publish no more", on: "full", spec: "{approvalPolicy: Manual}"},
	wave,
	{name: "an annotation", on: "full", object: "{metadata: {annotations: {a: b}}}"},
	{name: "a label", kind: sets, on: "full", object: "{metadata: {labels: {a: b}}}"},
	{name: "a finalizer", on: "full", object: "{metadata: {finalizers: [example.com/x]}}"},
	{name: "a newer upstream", on: "plain", spec: "{upstream: {revision: 2}}"},
	{name: "a newer upstream of a set", kind: sets, on: "plain", spec: "{upstream: {revision: 2}}"},
	{name: "a repository more", kind: sets, on: "plain", spec: "{targets: [{repositories: [{name: fra}, {name: new}, " +
		"{name: lon, packageNames: [web, shop]}]}, {repositorySelector: {matchLabels: {site: a}}}]}"},
	{name: "a label of packages", kind: sets, on: "plain", spec: "{targets: [{repositories: [{name: fra}, " +
		"{name: lon, packageNames: [web]}], template: {labels: {a: b}}}, {repositorySelector: {matchLabels: {site: a}}}]}"},
}
