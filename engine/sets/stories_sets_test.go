// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// latest is an upstream.
	latest = "upstream: {repo: blueprints, package: web, revision: latest}"
	// prods are the targets of most sets: the Repositories with the label env=prod.
	prods = "targets: [{repositorySelector: {matchLabels: {env: prod}}}]"
)

// prodsWith are the same targets, with a template.
func prodsWith(template string) string {
	return "targets: [{repositorySelector: {matchLabels: {env: prod}}, template: {" + template + "}}]"
}

// prodsAnd are the same targets, and a Repository that is named.
func prodsAnd(repository string) string {
	return "targets: [{repositorySelector: {matchLabels: {env: prod}}}, {repositories: [" + repository + "]}]"
}

// onTwoSites is the beginning of many stories: the set is applied, with more fields, and has two targets.
func onTwoSites(fields ...string) act {
	return act{What: "the set is applied over two sites", Do: func(f *fleet) {
		f.sites("env=prod", "edge-1", "edge-2")
		f.applies(append([]string{latest}, fields...)...)
	}}
}

// targets are stories of what targets select.
var targets = map[string][]act{
	"targets by name": {
		{"the set is applied over two Repositories", func(f *fleet) {
			f.sites("", "edge-1", "edge-2")
			f.applies(latest, "targets: [{repositories: [{name: edge-1}, {name: edge-2, packageNames: [web, shop]}]}]")
		}},
		{"one of them is left out", func(f *fleet) {
			f.applies(latest, "targets: [{repositories: [{name: edge-2, packageNames: [web, shop]}]}]")
		}},
		{"the other one is not registered any more", func(f *fleet) { f.unregisters("edge-2") }},
		{"it is registered again", func(f *fleet) { f.sites("", "edge-2") }},
		{"two targets name one package", func(f *fleet) {
			f.applies(latest, "targets: [{repositories: [{name: edge-2}]}, {repositories: [{name: edge-2}]}]")
		}},
	},
	"targets by label": {
		onTwoSites(prods),
		{"a Repository is registered", func(f *fleet) { f.sites("env=prod", "edge-3") }},
		{"it loses its label", func(f *fleet) { f.relabels("edge-3", "env=test") }},
		{"all others lose theirs", func(f *fleet) { f.relabels("edge-1", ""); f.relabels("edge-2", "") }},
		{"the set may be empty", func(f *fleet) { f.applies(latest, prods, "allowEmpty: true") }},
		{"one gets its label again", func(f *fleet) { f.relabels("edge-1", "env=prod") }},
	},
	"one of two targets is empty": {
		{"the set is applied over a label and over a name", func(f *fleet) {
			f.sites("env=prod", "edge-1")
			f.sites("", "edge-2")
			f.applies(latest, prodsAnd("{name: edge-2}"))
		}},
		{"the Repository loses its label", func(f *fleet) { f.relabels("edge-1", "") }},
		{"the set is applied with another package", func(f *fleet) {
			f.applies(latest, prodsAnd("{name: edge-2, packageNames: [web, shop]}"))
		}},
		{"the set may be empty", func(f *fleet) { f.applies(latest, prodsAnd("{name: edge-2}"), "allowEmpty: true") }},
	},
	"targets by objects": {
		{"the set is applied over ConfigMaps", func(f *fleet) {
			f.sites("", "edge-1", "edge-2")
			f.hasObject("a", "edge-1")
			f.applies(latest, `targets: [{objectSelector: {apiVersion: v1, kind: ConfigMap, matchLabels: {site: "yes"}},`+
				` template: {downstream: {repoExpr: "target.annotations['repo']", packageExpr: "'web-' + target.name"}}}]`)
		}},
		{"an object is added", func(f *fleet) { f.hasObject("b", "edge-2") }},
		{"its kind cannot be read", func(f *fleet) {
			f.Unreadable["ConfigMap"] = &unreadable{objects.ErrDenied, "the controller may not read configmaps"}
		}},
		{"it can be read again, and one object is gone", func(f *fleet) {
			delete(f.Unreadable, "ConfigMap")
			f.Objects.Drop(configMaps, memorytest.Key("a"))
		}},
		{"the cluster does not know the kind", func(f *fleet) {
			f.Unreadable["ConfigMap"] = &unreadable{objects.ErrUnknownKind,
				"the cluster does not know the kind ConfigMap of v1: install its CRD, or correct apiVersion and kind"}
		}},
	},
	"a failing target": {
		onTwoSites(prodsWith(`packageContext: {dataExprs: [{key: region, valueExpr: "repository.name + '-' + repository.labels['env']"}]}`)),
		{"an expression reads a label that one site has not", func(f *fleet) {
			f.relabels("edge-1", "env=prod,region=eu")
			f.applies(latest, prodsWith(regionOf))
		}},
		{"the others are to go on", func(f *fleet) { f.applies(latest, prodsWith(regionOf), "errorPolicy: Continue") }},
		{"the package of all is renamed", func(f *fleet) {
			f.applies(latest, prodsWith(regionOf+", downstream: {package: shop}"), "errorPolicy: Continue")
		}},
		{"the site gets the label", func(f *fleet) { f.relabels("edge-2", "env=prod,region=us") }},
	},
	"a refused variant": {
		{"the set is applied, and the API server refuses one variant", func(f *fleet) {
			f.sites("env=prod", "edge-1", "edge-2")
			f.refuses("edge-1")
			f.applies(latest, prods)
		}},
		{"the others are to go on", func(f *fleet) { f.applies(latest, prods, "errorPolicy: Continue") }},
		{"it refuses that one no more", func(f *fleet) { f.refuses("") }},
		{"it refuses a change of it", func(f *fleet) {
			f.refuses("edge-1")
			f.applies(latest, prodsWith("labels: {tier: web}"), "errorPolicy: Continue")
		}},
	},
}

// regionOf has an expression read a label.
const regionOf = `packageContext: {dataExprs: [{key: region, valueExpr: "repository.labels['region']"}]}`

// templates are stories of what a set makes of its template.
var templates = map[string][]act{
	"a template": {
		{"the set is applied", func(f *fleet) {
			f.sites("env=prod,region=eu,policy=Manual", "edge-1")
			f.sites("env=prod,region=us,policy=Automatic", "edge-2")
			f.applies(latest, prodsWith(regionOf+`, approvalPolicyExpr: "repository.labels.policy"`))
		}},
		{"a label changes that an expression reads", func(f *fleet) {
			f.relabels("edge-1", "env=prod,region=us,policy=Manual")
		}},
		{"somebody suspends a variant, and changes another", func(f *fleet) {
			f.editsVariant("edge-1", func(pv *v1alpha1.PackageVariant) { pv.Spec.Suspend = true })
			f.editsVariant("edge-2", func(pv *v1alpha1.PackageVariant) { pv.Spec.PackageContext = nil })
		}},
		{"the template changes", func(f *fleet) { f.applies(latest, prodsWith("labels: {tier: web}")) }},
		{"an expression makes a name that Porch never takes", func(f *fleet) {
			f.applies(latest, prodsWith(`downstream: {packageExpr: "target.package.upperAscii()"}`))
		}},
		{"an expression and a field name two approvers", func(f *fleet) {
			f.applies(latest, prodsWith("approvalPolicy: Automatic, annotationExprs: [{key: approval.nephio.org/policy, value: always}]"))
		}},
		{"an expression gives a number that none may be", func(f *fleet) {
			f.applies(latest, prodsWith(`dependsOn: [{name: base, minRevisionExpr: "0"}]`))
		}},
		{"an expression is not valid", func(f *fleet) {
			f.applies(latest, prodsWith(`downstream: {packageExpr: "target."}`))
		}},
	},
	"variants that depend on those of another set": {
		onTwoSites(prodsWith(`approvalPolicy: Automatic, dependsOn: [{nameExpr: "variantName('namespaces', target.name, 'ns')", minRevisionExpr: "1"}]`)),
		{"the other set is applied", func(f *fleet) {
			f.Objects.Add(&v1alpha2.PackageVariantSet{ObjectMeta: memorytest.Meta("namespaces"), Spec: f.sets()[0].Spec})
			f.EditSet("namespaces", func(set *v1alpha2.PackageVariantSet) {
				name, template := "ns", *set.Spec.Targets[0].Template
				template.Downstream, template.DependsOn = &v1alpha2.DownstreamTemplate{Package: &name}, nil
				set.Spec.Targets[0].Template = &template
			})
		}},
		{"the blueprint has a second revision", (*fleet).secondRevision},
	},
	"packages that exist": {
		{"the set is applied, and one site has the package", func(f *fleet) {
			f.sites("env=prod", "edge-1", "edge-2")
			f.Has(revision.Package{Repo: "edge-1", Name: "web"}, "v1", 1, memorytest.Files("web", "red"))
			f.applies(latest, prods)
		}},
		{"packages are to be adopted", func(f *fleet) { f.applies(latest, prodsWith("adoptionPolicy: adoptExisting")) }},
	},
	"packages of a set before": {
		onTwoSites(prodsWith("deletionPolicy: orphan")),
		{"one package is published", func(f *fleet) { f.Publishes(first("edge-1")) }},
		{"the blueprint has a second revision", (*fleet).secondRevision},
		{"one package is published again", func(f *fleet) { f.Publishes(second("edge-1")) }},
		{"the set is deleted", (*fleet).deletes},
		{"a set adopts them", func(f *fleet) { f.applies(latest, prodsWith("adoptionPolicy: adoptExisting")) }},
		{"the set is deleted", (*fleet).deletes},
	},
}

// guards are stories of what keeps a set from deleting and changing variants.
var guards = map[string][]act{
	"deletion": {
		onTwoSites(prods),
		{"one package is published", func(f *fleet) { f.Publishes(first("edge-1")) }},
		{"the set is deleted", (*fleet).deletes},
	},
	"deletion that orphans": {
		onTwoSites(prodsWith("deletionPolicy: orphan")),
		{"one package is published", func(f *fleet) { f.Publishes(first("edge-1")) }},
		{"one target is gone", func(f *fleet) { f.relabels("edge-1", "") }},
		{"the set is deleted", (*fleet).deletes},
	},
	"deletion with --cascade=orphan": {
		onTwoSites(prods),
		{"one package is published", func(f *fleet) { f.Publishes(first("edge-1")) }},
		{"the set is deleted, and its variants are to stay", (*fleet).orphans},
		{"the set is applied again", func(f *fleet) { f.applies(latest, prods) }},
	},
	"deletions are limited": {
		{"the set is applied over four sites, and is to delete none", func(f *fleet) {
			f.sites("env=prod", "edge-1", "edge-2", "edge-3", "edge-4")
			f.applies(latest, prods, "maxDeletions: 0")
		}},
		{"a target is gone, and another one is new", func(f *fleet) {
			f.relabels("edge-4", "")
			f.sites("env=prod", "edge-5")
		}},
		{"a quarter may go", func(f *fleet) { f.applies(latest, prods, "maxDeletions: 25%") }},
		{"two more targets are gone", func(f *fleet) { f.relabels("edge-1", ""); f.relabels("edge-2", "") }},
		{"they are back", func(f *fleet) { f.relabels("edge-1", "env=prod"); f.relabels("edge-2", "env=prod") }},
	},
	"suspension": {
		onTwoSites(prods),
		{"it is suspended", func(f *fleet) { f.applies(latest, prods, "suspend: true") }},
		{"a target is gone, and another one is new", func(f *fleet) {
			f.relabels("edge-2", "")
			f.sites("env=prod", "edge-3")
		}},
		{"somebody says why it is suspended", func(f *fleet) {
			f.annotates(v1alpha1.SuspendReasonAnnotation, "freeze until Monday")
		}},
		{"the template changes", func(f *fleet) { f.applies(latest, prodsWith("labels: {tier: web}"), "suspend: true") }},
		{"the upstream is gone", func(f *fleet) { f.Removes("blueprints.web.v1") }},
		{"it is there again, and the set is resumed", func(f *fleet) {
			f.Blueprint("web", 1, memorytest.Files("web", "red"))
			f.applies(latest, prodsWith("labels: {tier: web}"))
		}},
	},
	"no function can run": {
		{"the set is applied, and no function can run", func(f *fleet) {
			f.Runtime = unavailable{}
			f.Start()
			f.sites("env=prod", "edge-1")
			f.applies(latest, prods)
		}},
		{"they can again", func(f *fleet) { f.Runtime = mutate.Builtin{}; f.Start() }},
	},
}

// claims are stories of variants that the set has not made.
var claims = map[string][]act{
	"a name that is taken": {
		{"the set is applied, and somebody has a variant of a name that it needs", func(f *fleet) {
			f.sites("env=prod", "edge-1", "edge-2")
			f.hasVariant(nameIn("edge-1"), "edge-2", "taken")
			f.applies(latest, prods)
		}},
		{"it is handed over to the set", func(f *fleet) {
			f.editsVariant("edge-1", func(pv *v1alpha1.PackageVariant) {
				pv.Labels = map[string]string{v1alpha2.OwnerLabel: "fleet"}
			})
		}},
	},
	"a name that is taken, and given up": {
		{"the set is applied, and somebody has a variant of a name that it needs", func(f *fleet) {
			f.sites("env=prod", "edge-1")
			f.hasVariant(nameIn("edge-1"), "edge-1", "taken")
			f.applies(latest, prods)
		}},
		{"it is deleted", func(f *fleet) {
			f.deletesVariant("edge-1")
		}},
	},
	"variants of Porch's controller": {
		{"the set is applied, and Porch's controller has made a variant for it, by another name", func(f *fleet) {
			f.sites("env=prod", "edge-1", "edge-2")
			f.hasVariant("fleet-edge-1-web", "edge-1", "web", ownedBy("fleet", "fleet"))
			f.applies(latest, prods)
		}},
	},
	"a set that was restored from a backup": {
		{"the set is applied, and has another UID than when its variant was made", func(f *fleet) {
			f.sites("env=prod", "edge-1")
			f.hasVariant(nameIn("edge-1"), "edge-1", "web", ownedBy("fleet", "before"))
			f.applies(latest, prods)
		}},
	},
	"people delete a variant, and take another": {
		onTwoSites(prods),
		{"they delete one, and take the labels and owners off another", func(f *fleet) {
			f.deletesVariant("edge-1")
			f.editsVariant("edge-2", func(pv *v1alpha1.PackageVariant) { pv.Labels, pv.OwnerReferences = nil, nil })
		}},
	},
}

// ownedBy marks a variant as a set's, as Porch's controller does.
func ownedBy(set, uid string) func(*v1alpha1.PackageVariant) {
	return func(pv *v1alpha1.PackageVariant) {
		controller := true
		pv.Labels = map[string]string{v1alpha2.OwnerLabel: uid}
		pv.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1alpha2.GroupVersion.String(),
			Kind: v1alpha2.PackageVariantSetKind, Name: set, UID: memorytest.Meta(uid).UID, Controller: &controller}}
	}
}

// byTier selects upstreams by their label.
const byTier = "upstreamSelector: {matchLabels: {tier: base}}"

// upstreams are stories of the upstreams of a set.
var upstreams = map[string][]act{
	"the upstream comes and goes": {
		{"the set is applied, to an upstream that does not exist", func(f *fleet) {
			f.sites("env=prod", "edge-1")
			f.applies("upstream: {repo: blueprints, package: web, revision: 2}", prods)
		}},
		{"it is published", (*fleet).secondRevision},
		{"it is deleted", func(f *fleet) { f.Removes("blueprints.web.v2") }},
		{"its Repository is deleted", func(f *fleet) { f.unregisters("blueprints") }},
		{"it is registered again, and migrated to another version of Porch's API", func(f *fleet) {
			f.Repository("blueprints", nil)
			f.migrates("blueprints")
		}},
	},
	"several upstreams": {
		{"the set is applied, with two upstreams", func(f *fleet) {
			f.sites("env=prod", "edge-1", "edge-2")
			f.Blueprint("db", 1, memorytest.Files("db", "red"))
			f.applies("upstreams: [{repo: blueprints, package: web, revision: latest}, {repo: blueprints, package: db, "+
				"workspaceName: v1}]", prods)
		}},
		{"both name one package", func(f *fleet) {
			f.applies("upstreams: [{repo: blueprints, package: web, revision: latest}, {repo: blueprints, package: web, "+
				"revision: 1}]", prods)
		}},
		{"one of them is another package, which does not exist", func(f *fleet) {
			f.applies("upstreams: [{repo: blueprints, package: web, revision: latest}, {repo: blueprints, package: tools, "+
				"revision: 1}]", prods)
		}},
		{"it is published", func(f *fleet) { f.Blueprint("tools", 1, memorytest.Files("tools", "red")) }},
	},
	"upstreams by label": {
		{"the set is applied, and selects its upstreams", func(f *fleet) {
			f.sites("env=prod", "edge-1")
			f.retiers("blueprints.web.v1", "base")
			f.Blueprint("db", 1, memorytest.Files("db", "red"))
			f.applies(byTier, prods)
		}},
		{"another package gets the label", func(f *fleet) { f.retiers("blueprints.db.v1", "base") }},
		{"a second revision has not the label", (*fleet).secondRevision},
		{"it gets it", func(f *fleet) { f.retiers("blueprints.web.v2", "base") }},
		{"the other package is deleted", func(f *fleet) { f.Removes("blueprints.db.v1") }},
		{"it is published again, without the label", func(f *fleet) {
			f.Blueprint("db", 1, memorytest.Files("db", "red"))
		}},
		{"the second revision loses its label", func(f *fleet) { f.retiers("blueprints.web.v2", "") }},
		{"all have lost it", func(f *fleet) { f.retiers("blueprints.web.v1", "") }},
		{"the Repository is deleted", func(f *fleet) { f.unregisters("blueprints") }},
	},
	"upstreams by label, whose Repository is migrated": {
		{"the set is applied, and selects its upstreams", func(f *fleet) {
			f.sites("env=prod", "edge-1")
			f.retiers("blueprints.web.v1", "base")
			f.Blueprint("db", 1, memorytest.Files("db", "red"), tier("base"))
			f.applies(byTier, prods)
		}},
		{"Porch serves its packages in another version of its API, and lists them no more", func(f *fleet) {
			f.migrates("blueprints")
			f.Removes("blueprints.web.v1")
			f.Removes("blueprints.db.v1")
		}},
		{"Porch still lists one", func(f *fleet) {
			f.Blueprint("db", 1, memorytest.Files("db", "red"), tier("base"))
		}},
		{"the Repository is named", func(f *fleet) {
			f.applies("upstreamSelector: {repo: blueprints, matchLabels: {tier: base}}", prods)
		}},
	},
	"upstreams by label, and no more deletions than allowed": {
		{"the set is applied, and selects its upstreams", func(f *fleet) {
			f.sites("env=prod", "edge-1")
			f.retiers("blueprints.web.v1", "base")
			f.Blueprint("db", 1, memorytest.Files("db", "red"), tier("base"))
			f.applies(byTier, prods, "maxDeletions: 10%")
		}},
		{"all lose the label", func(f *fleet) {
			f.retiers("blueprints.web.v1", "")
			f.retiers("blueprints.db.v1", "")
		}},
		{"one gets it again", func(f *fleet) { f.retiers("blueprints.web.v1", "base") }},
		{"the other, too", func(f *fleet) { f.retiers("blueprints.db.v1", "base") }},
	},
}
