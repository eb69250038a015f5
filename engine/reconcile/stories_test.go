// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// act is something that people do.
type act = memorytest.Act[*cluster]

// stories are what TestStories tells. Each begins with the Repositories blueprints and edge, and the first revision of a
// blueprint.
var stories = together(lives, inputs, beside, encounters, refusals, kills, newer)

// together returns the stories of all tables.
func together(tables ...map[string][]act) map[string][]act {
	all := map[string][]act{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// lives are stories of all that the controller does for a package. TestFaults plays them, too.
var lives = map[string][]act{
	"clone": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
		{"the draft is published", func(c *cluster) { c.Publishes(second) }},
	},
	"upgrade": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"the upstream asked for is another", toSecond},
		{"the draft is published", func(c *cluster) { c.Publishes(second) }},
	},
	"merge into an open draft": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody adds a file", func(c *cluster) { c.SavesFiles(first, map[string]string{"mine.txt": "mine\n"}) }},
		{"the upstream asked for is another", toSecond},
	},
	"a conflict is decided for the upstream": {
		{"the variant is applied, and the upstream is to win", func(c *cluster) {
			c.applies(func(pv *v1alpha1.PackageVariant) {
				pv.Spec.Upgrade = &variant.Upgrade{OnConflict: variant.OnConflictTakeUpstream}
			})
		}},
		{"somebody changes a value", func(c *cluster) { c.SavesFiles(first, settings("blue")) }},
		{"the upstream changes it, too", toSecond},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
	},
	"an upgrade of a published package has a conflict": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody changes a value", func(c *cluster) { c.SavesFiles(first, settings("blue")) }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"the upstream changes it, too", toSecond},
		{"the draft is published", func(c *cluster) { c.Publishes(second) }},
	},
	"a conflict goes with its draft": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody changes a value", func(c *cluster) { c.SavesFiles(first, settings("blue")) }},
		{"the upstream changes it, too", toSecond},
		{"the downstream is another package, and drafts are to be published", func(c *cluster) {
			c.edits(func(s *variant.Spec) {
				s.Downstream.Package, s.ApprovalPolicy = "site", variant.ApprovalPolicyAutomatic
			})
		}},
		{"the upstream has another value", toThird("yellow")},
	},
	"a conflict stands, and the upstream changes its value": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody changes a value", func(c *cluster) { c.SavesFiles(first, settings("blue")) }},
		{"the upstream changes it, too", toSecond},
		{"the upstream has another value", toThird("yellow")},
		{"the upstream asked for is the first one again", to(1)},
	},
	"a conflict of a suspended variant is named once it is merged": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody changes a value", func(c *cluster) { c.SavesFiles(first, settings("blue")) }},
		{"the variant is suspended, and the upstream changes it, too", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Suspend = true })
			toSecond(c)
		}},
		{"it is resumed", func(c *cluster) { c.edits(func(s *variant.Spec) { s.Suspend = false }) }},
	},
	"people settle a conflict in the draft": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody changes a value", func(c *cluster) { c.SavesFiles(first, settings("blue")) }},
		{"the upstream changes it, too", toSecond},
		{"somebody changes something else", func(c *cluster) {
			c.SavesFiles(first, map[string]string{"settings.yaml": strings.Replace(files("blue")["settings.yaml"], "small", "tiny", 1)})
		}},
		{"somebody writes another value", func(c *cluster) { c.SavesFiles(first, settings("yellow")) }},
		{"the upstream changes it again", toThird("red")},
	},
	"a conflict keeps a draft from being published": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody changes a value", func(c *cluster) { c.SavesFiles(first, settings("blue")) }},
		{"the draft is published, and later ones are to be published", func(c *cluster) {
			c.Publishes(first)
			c.edits(func(s *variant.Spec) { s.ApprovalPolicy = variant.ApprovalPolicyAutomatic })
		}},
		{"the upstream changes it, too", toSecond},
		{"the upstream has the value of the package", toThird("blue")},
		{"people publish the draft", func(c *cluster) { c.Publishes(second) }},
	},
	"a conflict stands while another one stops a merge": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody changes a value", func(c *cluster) { c.SavesFiles(first, settings("blue")) }},
		{"the upstream changes it, too", toSecond},
		{"conflicts are to stop a merge, and both sides change another value", func(c *cluster) {
			sized := func(size string) map[string]string {
				all := files("green")
				all["settings.yaml"] = strings.ReplaceAll(all["settings.yaml"], "small", size)
				return all
			}
			c.SavesFiles(first, map[string]string{
				"settings.yaml": strings.Replace(sized("tiny")["settings.yaml"], "green", "blue", 1)})
			c.blueprint(3, sized("large"))
			c.edits(func(s *variant.Spec) {
				s.Upstream.Revision = variant.RevisionNumber(3)
				s.Upgrade = &variant.Upgrade{OnConflict: variant.OnConflictStop}
			})
		}},
		{"the value of the package is to be kept", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Upgrade.OnConflict = variant.OnConflictKeepLocal })
		}},
	},
	"a conflict stops the merge": {
		{"the variant is applied, and conflicts are to stop a merge", func(c *cluster) {
			c.applies(func(pv *v1alpha1.PackageVariant) {
				pv.Spec.Upgrade = &variant.Upgrade{OnConflict: variant.OnConflictStop}
			})
		}},
		{"somebody changes a value", func(c *cluster) { c.SavesFiles(first, settings("blue")) }},
		{"the upstream changes it, too", toSecond},
		{"the value of the package is to be kept", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Upgrade.OnConflict = variant.OnConflictKeepLocal })
		}},
	},
	"a conflict of a merge that was stopped ends with the former upstream": {
		{"the variant is applied, and conflicts are to stop a merge", func(c *cluster) {
			c.applies(func(pv *v1alpha1.PackageVariant) {
				pv.Spec.Upgrade = &variant.Upgrade{OnConflict: variant.OnConflictStop}
			})
		}},
		{"somebody changes a value", func(c *cluster) { c.SavesFiles(first, settings("blue")) }},
		{"the upstream changes it, too", toSecond},
		{"the upstream asked for is the first one again", to(1)},
	},
	"approval": {
		{"the variant is applied, and drafts are to be published", func(c *cluster) {
			c.applies(policy(variant.ApprovalPolicyAutomatic))
		}},
		{"the upstream asked for is another", toSecond},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
	},
	"approval of the first revision only": {
		{"the variant is applied, and the first draft is to be published", func(c *cluster) {
			c.applies(policy(variant.ApprovalPolicyInitial))
		}},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
	},
	"approval of a draft that was edited": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody adds a file", func(c *cluster) { c.SavesFiles(first, map[string]string{"mine.txt": "mine\n"}) }},
		{"drafts are to be published", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.ApprovalPolicy = variant.ApprovalPolicyAutomatic })
		}},
		{"people publish it", func(c *cluster) { c.Publishes(first) }},
	},
	"approval without the right to approve": {
		{"the variant is applied, by a controller that may not publish", func(c *cluster) {
			c.MayNotApprove = true
			c.applies(policy(variant.ApprovalPolicyAutomatic))
		}},
		{"the right is given", func(c *cluster) { c.MayNotApprove = false; c.Start() }},
	},
	"deletion": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
		{"the variant is deleted", (*cluster).deletes},
	},
	"deletion that orphans": {
		{"the variant is applied, and nothing is to be deleted", func(c *cluster) {
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.DeletionPolicy = variant.DeletionPolicyOrphan })
		}},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
		{"the variant is deleted", (*cluster).deletes},
	},
	"deletion with --cascade=orphan": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
		{"somebody adds a file", func(c *cluster) { c.SavesFiles(second, map[string]string{"mine.txt": "mine\n"}) }},
		{"the variant is suspended and deleted, and dependents are to stay", func(c *cluster) {
			c.EditVariant("web", func(pv *v1alpha1.PackageVariant) {
				pv.Spec.Suspend, pv.Finalizers = true, append(pv.Finalizers, metav1.FinalizerOrphanDependents)
			})
			c.deletes()
		}},
		{"Kubernetes has orphaned what it found", func(c *cluster) {
			c.EditRevision(first, func(r *revision.Revision) { r.Owners = nil })
			c.EditVariant("web", func(pv *v1alpha1.PackageVariant) {
				pv.Finalizers = slices.DeleteFunc(pv.Finalizers, func(f string) bool { return f == metav1.FinalizerOrphanDependents })
			})
		}},
		{"it is resumed", func(c *cluster) { c.edits(func(s *variant.Spec) { s.Suspend = false }) }},
	},
	"another downstream": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"the downstream is another package", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Downstream.Package = "site" })
		}},
	},
	"another downstream, and the old one is orphaned": {
		{"the variant is applied, and nothing is to be deleted", func(c *cluster) {
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.DeletionPolicy = variant.DeletionPolicyOrphan })
		}},
		{"the downstream is another package", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Downstream.Package = "site" })
		}},
		{"the downstream is the first package again", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Downstream.Package = "web" })
		}},
	},
	"another downstream, and back": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
		{"the downstream is another package", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Downstream.Package = "site" })
		}},
		{"the downstream is the first package again", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Downstream.Package = "web" })
		}},
	},
	"adoption": {
		{"the variant is applied, and somebody has published the package", func(c *cluster) {
			c.has("edge", "v1", 1, locked(), onFirst)
			c.applies()
		}},
		{"it may be adopted", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.AdoptionPolicy = variant.AdoptionPolicyAdoptExisting })
		}},
	},
	"adoption of a draft": {
		{"the variant is applied, and somebody has a draft", func(c *cluster) {
			c.has("edge", "v1", 0, locked(), onFirst)
			c.applies(func(pv *v1alpha1.PackageVariant) {
				pv.Spec.AdoptionPolicy, pv.Spec.Labels = variant.AdoptionPolicyAdoptExisting, map[string]string{"tier": "web"}
			})
		}},
		{"somebody changes its label, and the variant has another one, and another package context", func(c *cluster) {
			r := c.Revision("edge.web.v1")
			r.Labels = map[string]string{"tier": "mine"}
			c.Packages.Add(*r, c.FilesOf(r.Name))
			c.edits(zone("b"))
			c.edits(func(s *variant.Spec) { s.Labels = map[string]string{"tier": "yours"} })
		}},
	},
	"adoption of two drafts": {
		{"the variant is applied, and two people have a draft", func(c *cluster) {
			c.has("edge", "mine", 0, locked(), onFirst)
			c.has("edge", "yours", 0, locked(), onFirst)
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.AdoptionPolicy = variant.AdoptionPolicyAdoptExisting })
		}},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
	},
	"a lost lock": {
		{"the variant is applied, to a package that does not say what it was made from", func(c *cluster) {
			c.has("edge", "v1", 1, deployed())
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.AdoptionPolicy = variant.AdoptionPolicyAdoptExisting })
		}},
		{"its package context changes, and the upstream asked for is another", func(c *cluster) {
			c.edits(zone("b"))
			toSecond(c)
		}},
	},
	"the Kptfile of a draft loses its lock": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody writes the Kptfile without it", func(c *cluster) {
			c.SavesFiles(first, map[string]string{"Kptfile": files("")["Kptfile"]})
		}},
	},
	"a draft without files, until people delete it": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"Porch is killed while it makes the draft of another zone", (*cluster).leavesEmpty},
		{"people delete the draft", func(c *cluster) { c.Removes(second) }},
	},
	"a function fails before a clone": {
		{"the variant is applied, and a function fails", func(c *cluster) {
			c.Runtime = failing{mutate.PrependPipeline}
			c.Start()
			c.applies()
		}},
		{"the function is mended", func(c *cluster) { c.Runtime = mutate.Builtin{}; c.Start() }},
	},
	"the functions fail over the upstream": {
		{"the variant is applied, to a blueprint that no function can do with", func(c *cluster) {
			c.blueprint(2, withPoint("maybe"))
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.Upstream.Revision = variant.RevisionNumber(2) })
		}},
		{"the upstream asked for is one that they can do with", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Upstream.Revision = variant.RevisionNumber(1) })
		}},
	},
	"a function fails on a published package": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"a function fails, and the package context changes", func(c *cluster) {
			c.Runtime = failing{mutate.ApplyPackageContext}
			c.Start()
			c.edits(zone("b"))
		}},
	},
	"a function of the package fails": {
		{"the variant is applied, and a function of the package fails", func(c *cluster) {
			c.Render = failsOn("zone: a")
			c.applies()
		}},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
	},
	"the upstream comes and goes": {
		{"the variant is applied, to an upstream that does not exist", func(c *cluster) {
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.Upstream.Revision = variant.RevisionNumber(2) })
		}},
		{"it is published", func(c *cluster) { c.blueprint(2, files("green")) }},
		{"it is deleted", func(c *cluster) { c.Removes("blueprints.web.v2") }},
	},
	"the latest upstream is deleted, and published again": {
		{"the variant is applied, to a draft on the latest revision", (*cluster).appliesToSecond},
		{"the latest revision is deleted", func(c *cluster) { c.Removes("blueprints.web.v2") }},
		{"another is published under its number", func(c *cluster) { c.has("blueprints", "again", 2, files("yellow"), known("9", "u")) }},
		{"the draft is deleted", func(c *cluster) { c.Removes("edge.web.mine") }},
	},
	"the history of the upstream is rewritten": {
		{"the variant is applied, to a draft on the latest revision", (*cluster).appliesToSecond},
		{"its history is rewritten, with the same content", func(c *cluster) { c.rewrites("8", "t", "green") }},
		{"it is rewritten, with another content", func(c *cluster) { c.rewrites("9", "u", "yellow") }},
	},
	"an upstream is withdrawn": {
		{"the deletion of a revision is proposed, and a variant of it is applied", func(c *cluster) {
			c.Moves("blueprints.web.v1", revision.DeletionProposed)
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.ApprovalPolicy = variant.ApprovalPolicyAutomatic })
		}},
		{"the deletion is approved", func(c *cluster) { c.Removes("blueprints.web.v1") }},
		{"its tag is brought back", func(c *cluster) { c.blueprint(1, files("red")) }},
		{"another one is published and asked for", toSecond},
	},
	"a published package is made anew": {
		{"the variant is applied, to a draft on the latest revision", (*cluster).appliesToSecond},
		{"the draft is published", func(c *cluster) { c.Publishes("edge.web.mine") }},
		{"the upstream is deleted, and a third one is published", func(c *cluster) {
			c.Removes("blueprints.web.v2")
			c.blueprint(3, files("yellow"))
		}},
		{"the variant is deleted", (*cluster).deletes},
		{"the deletion of its package is approved", func(c *cluster) { c.Removes("edge.web.mine") }},
		{"the variant is created again", (*cluster).appliesLatest},
	},
	"the latest upstream is lost, and found again": {
		{"the variant is applied, to a draft on the latest revision", (*cluster).appliesToSecond},
		{"Porch loses sight of the latest revision", func(c *cluster) { c.loses("blueprints.web.v2") }},
		{"Porch finds it again", (*cluster).finds},
	},
	"a Repository comes and goes": {
		{"the variant is applied, to a Repository that is not registered", func(c *cluster) {
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.Downstream.Repo = "core" })
		}},
		{"it is registered", func(c *cluster) { c.repositories("core") }},
		{"it is unregistered, and the database forgets its draft", func(c *cluster) {
			c.Unregisters("core")
			c.Removes("core.web.packagevariant-1")
		}},
		{"it is registered again", func(c *cluster) { c.repositories("core") }},
	},
	"Repositories overlap": {
		{"the variant is applied, to a Repository over a directory of an older one", func(c *cluster) {
			c.registers(namespace, "site", "/regions/site")
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.Downstream.Repo = "site" })
		}},
		{"the older one is unregistered", func(c *cluster) {
			c.Unregisters("edge")
		}},
		{"people of another namespace register one over all directories", func(c *cluster) {
			c.registers("others", "edge", "/")
			c.edits(zone("b"))
		}},
	},
	"a Repository is registered anew, and its revisions are known from before": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"the Repository is unregistered", func(c *cluster) {
			c.Unregisters("edge")
		}},
		{"it is registered again, and Porch reads it", func(c *cluster) {
			c.repositories("edge")
			c.becomes("edge", metav1.ConditionFalse, "Reconciling")
		}},
		{"Porch has read it", func(c *cluster) { c.becomes("edge", metav1.ConditionTrue, "Ready") }},
		{"Porch reads it again, as it does from time to time", func(c *cluster) {
			c.becomes("edge", metav1.ConditionFalse, "Reconciling")
			c.edits(zone("b"))
		}},
	},
	"people delete the draft": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody deletes the draft", func(c *cluster) { c.Removes(first) }},
	},
	"an edited draft is lost, and found again": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody adds a file", func(c *cluster) { c.SavesFiles(first, map[string]string{"mine.txt": "mine\n"}) }},
		{"drafts are to be published", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.ApprovalPolicy = variant.ApprovalPolicyAutomatic })
		}},
		{"Porch loses sight of the draft", func(c *cluster) { c.loses(first) }},
		{"Porch finds it again, without its owner", (*cluster).finds},
		{"people delete the other one", func(c *cluster) { c.Removes(second) }},
	},
	"all is lost and found again": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
		{"Porch loses sight of both revisions, and drafts are to be published", func(c *cluster) {
			c.loses(first, second)
			c.edits(func(s *variant.Spec) { s.ApprovalPolicy = variant.ApprovalPolicyAutomatic })
		}},
		{"Porch finds them again, without their owner", (*cluster).finds},
	},
	"a draft is lost during a suspension": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
		{"it is suspended, and Porch loses sight of the draft", func(c *cluster) {
			c.loses(second)
			c.edits(func(s *variant.Spec) { s.Suspend, s.ApprovalPolicy = true, variant.ApprovalPolicyAutomatic })
		}},
		{"it is resumed", func(c *cluster) { c.edits(func(s *variant.Spec) { s.Suspend = false }) }},
	},
	"a lost draft was deleted on purpose": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
		{"somebody deletes the draft, and drafts are to be published", func(c *cluster) {
			c.Removes(second)
			c.edits(func(s *variant.Spec) { s.ApprovalPolicy = variant.ApprovalPolicyAutomatic })
		}},
		{"people publish the one in its place", func(c *cluster) { c.Publishes("edge.web.packagevariant-3") }},
		{"its package context changes again", func(c *cluster) { c.edits(zone("c")) }},
	},
	"a draft is proposed": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody proposes it", func(c *cluster) { c.Moves(first, revision.Proposed) }},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
		{"the upstream asked for is another", toSecond},
		{"somebody rejects it", func(c *cluster) { c.Moves(first, revision.Draft) }},
	},
	"suspension": {
		{"the variant is applied, and suspended", func(c *cluster) {
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.Suspend = true })
		}},
		{"it is resumed", func(c *cluster) { c.edits(func(s *variant.Spec) { s.Suspend = false }) }},
		{"it is suspended, and its package context changes", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Suspend, s.PackageContext.Data = true, map[string]string{"zone": "b"} })
		}},
		{"somebody says why", func(c *cluster) {
			c.EditVariant("web", func(pv *v1alpha1.PackageVariant) {
				pv.Annotations = map[string]string{v1alpha1.SuspendReasonAnnotation: "freeze until Monday"}
			})
		}},
		{"it is deleted", (*cluster).deletes},
		{"it is resumed", func(c *cluster) { c.edits(func(s *variant.Spec) { s.Suspend = false }) }},
	},
	"the deletion of the package is proposed": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"somebody proposes its deletion", func(c *cluster) {
			c.Moves(first, revision.DeletionProposed)
		}},
	},
	"an invalid spec": {
		{"the variant is applied, without an upstream", func(c *cluster) {
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.Upstream = nil })
		}},
		{"its downstream is the upstream itself", func(c *cluster) {
			c.edits(func(s *variant.Spec) {
				s.Upstream = &variant.Upstream{Repo: "edge", Package: "web", Revision: variant.RevisionNumber(1)}
			})
		}},
		{"its downstream has a name that Porch never takes", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Upstream.Repo, s.Downstream.Package = "blueprints", "../evil" })
		}},
		{"it has labels and annotations that steer Porch", func(c *cluster) {
			c.edits(func(s *variant.Spec) {
				s.Downstream.Package, s.Labels = "web", map[string]string{"kpt.dev/latest-revision": "true"}
				s.Annotations = map[string]string{"tag.config.porch.kpt.dev/stable": "x"}
			})
		}},
		{"it has none but the one for Nephio's approver", func(c *cluster) {
			c.edits(func(s *variant.Spec) {
				s.Labels, s.Annotations = nil, map[string]string{variant.ApproverAnnotation: "initial"}
			})
		}},
	},
	"two variants of one package": {
		{"both are applied", func(c *cluster) {
			c.applies()
			c.applies(func(pv *v1alpha1.PackageVariant) {
				pv.Name, pv.UID, pv.CreationTimestamp = "late", "late", metav1.Now()
			})
		}},
		{"the first is deleted", (*cluster).deletes},
	},
}
