// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// beside are stories of what people do with the package of a variant, and of other packages.
var beside = map[string][]act{
	"people publish a change": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published, and later ones are to be published", func(c *cluster) {
			c.Publishes(first)
			c.edits(func(s *variant.Spec) { s.ApprovalPolicy = variant.ApprovalPolicyAutomatic })
		}},
		{"people publish an edit of it", func(c *cluster) { c.publishesEdit("fix", 2, first, "blue") }},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
		{"the upstream asked for is another", func(c *cluster) {
			c.blueprint(2, map[string]string{"Kptfile": files("")["Kptfile"], "settings.yaml": sized("red", "large")})
			to(2)(c)
		}},
		{"drafts are left to people, and its package context changes again", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.ApprovalPolicy = ""; zone("c")(s) })
		}},
		{"people publish an edit of what is published while the draft is open", func(c *cluster) {
			c.publishesEdit("another", 5, "edge.web.packagevariant-3", "yellow")
		}},
	},
	"people remove the package from the branch": {
		{"the variant is applied, and drafts are to be published", func(c *cluster) {
			c.applies(policy(variant.ApprovalPolicyAutomatic))
		}},
		{"the package is on the branch", func(c *cluster) { c.has("edge", "main", -1, locked(), onFirst) }},
		{"somebody removes it there, by git", func(c *cluster) { c.Removes("edge.web.main") }},
		{"the upstream asked for is another", toSecond},
		{"somebody brings it back", func(c *cluster) { c.has("edge", "main", -1, locked(), onFirst) }},
	},
	"people edit and propose a draft, and delete the variant": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody adds a file", func(c *cluster) { c.SavesFiles(first, map[string]string{"mine.txt": "mine\n"}) }},
		{"the draft is proposed", func(c *cluster) { c.Moves(first, revision.Proposed) }},
		{"the variant is deleted", (*cluster).deletes},
	},
	"people publish the package anew": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"people publish a clone of their own", func(c *cluster) { c.has("edge", "anew", 2, locked(), onFirst) }},
		{"its package context changes", func(c *cluster) { c.edits(zone("b")) }},
	},
	"people publish their own while a draft is open": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"people publish a clone of their own", func(c *cluster) { c.has("edge", "mine", 1, locked(), onFirst) }},
		{"drafts are to be published", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.ApprovalPolicy = variant.ApprovalPolicyAutomatic })
		}},
	},
	"adoption of what needs no change": {
		{"the variant is applied, and somebody has published what it asks for", func(c *cluster) {
			all := locked()
			all["package-context.yaml"] += "  zone: a\n"
			c.has("edge", "v1", 1, all, onFirst)
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.AdoptionPolicy = variant.AdoptionPolicyAdoptExisting })
		}},
		{"it has other labels", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Labels = map[string]string{"tier": "web"} })
		}},
		{"the variant is deleted", (*cluster).deletes},
	},
	"Porch forgets the owner of a draft": {
		{"the variant is applied, with a label", func(c *cluster) {
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.Labels = map[string]string{"tier": "web"} })
		}},
		{"it has another label", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Labels = map[string]string{"tier": "db"} })
		}},
		{"Porch forgets the owner, and the labels", func(c *cluster) {
			c.EditRevision(first, func(pr *revision.Revision) {
				pr.Owners, pr.Labels = nil, nil
			})
		}},
	},
	"a variant is restored from a backup": {
		{"two variants are applied", func(c *cluster) { c.applies(); c.applies(named("shop")) }},
		{"the draft of one is published", func(c *cluster) { c.Publishes(first) }},
		{"both are made again, with other UIDs and without a status", func(c *cluster) {
			for _, name := range []string{"web", "shop"} {
				c.restores(name)
			}
		}},
	},
	"another program holds a variant": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody holds it, and it is deleted", func(c *cluster) {
			c.EditVariant("web", func(pv *v1alpha1.PackageVariant) {
				pv.Finalizers = append(pv.Finalizers, "example.com/hold")
			})
			c.deletes()
		}},
		{"another one is applied", func(c *cluster) { c.applies(named("shop")) }},
		{"nobody holds it any more", func(c *cluster) {
			c.EditVariant("web", func(pv *v1alpha1.PackageVariant) { pv.Finalizers = nil })
		}},
	},
	"a downstream that cannot be": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"the downstream is in a Repository that is not registered", downstream("typo", "web")},
		{"it is somebody's package", func(c *cluster) {
			c.Has(revision.Package{Repo: "edge", Name: "theirs"}, "v1", 1, files("red"))
			downstream("edge", "theirs")(c)
		}},
		{"it is another variant's", func(c *cluster) { c.applies(named("shop")); downstream("edge", "shop")(c) }},
		{"it is the upstream itself", downstream("blueprints", "web")},
		{"it is a new package, of an upstream that does not exist", func(c *cluster) {
			downstream("edge", "site")(c)
			to(9)(c)
		}},
		{"all is as before", func(c *cluster) { downstream("edge", "web")(c); to(1)(c) }},
	},
	"packages inside one another": {
		{"the variant is applied, and people have a package inside that of another variant", func(c *cluster) {
			c.Has(revision.Package{Repo: "edge", Name: "shop/inner"}, "v1", 1, files("red"))
			c.applies()
			c.applies(named("shop"))
		}},
		{"another variant asks for a package inside that of the first", func(c *cluster) {
			c.applies(named("inner"), func(pv *v1alpha1.PackageVariant) { pv.Spec.Downstream.Package = "web/a/inner" })
		}},
		{"the deletion of the people's package is proposed", func(c *cluster) {
			c.Moves("edge.shop.inner.v1", revision.DeletionProposed)
		}},
		{"the first variant is deleted", (*cluster).deletes},
		{"it is applied again", func(c *cluster) { c.applies() }},
	},
	"packages inside one another, from before": {
		{"two variants adopt packages inside one another, and drafts are to be published", func(c *cluster) {
			adopts := func(pv *v1alpha1.PackageVariant) {
				pv.Spec.AdoptionPolicy = variant.AdoptionPolicyAdoptExisting
				pv.Spec.ApprovalPolicy = variant.ApprovalPolicyAutomatic
				pv.Spec.PackageContext = nil
			}
			c.has("edge", "v1", 1, locked(), onFirst)
			c.Has(revision.Package{Repo: "edge", Name: "web/inner"}, "v1", 1, locked(), onFirst)
			c.applies(adopts)
			c.applies(named("inner"), adopts, func(pv *v1alpha1.PackageVariant) { pv.Spec.Downstream.Package = "web/inner" })
		}},
		{"both ask for another upstream", func(c *cluster) {
			c.Unforeseen = true
			c.blueprint(2, files("green"))
			to(2)(c)
			c.editsVariant("inner", func(s *variant.Spec) { s.Upstream.Revision = variant.RevisionNumber(2) })
		}},
	},
	"the upstream removes what was changed here": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody changes a value", func(c *cluster) { c.SavesFiles(first, settings("blue")) }},
		{"the upstream has no settings any more", func(c *cluster) {
			c.blueprint(2, map[string]string{"Kptfile": files("")["Kptfile"]})
			to(2)(c)
		}},
	},
	"a conflict that stops a merge is resolved by hand": {
		{"the variant is applied, and conflicts are to stop a merge", stops},
		{"somebody changes a value", func(c *cluster) { c.SavesFiles(first, settings("blue")) }},
		{"the upstream changes it, too", toSecond},
		{"somebody gives it the upstream's value", func(c *cluster) { c.SavesFiles(first, settings("green")) }},
	},
	"a conflict stops the upgrade of a published package": {
		{"the variant is applied, and conflicts are to stop a merge", stops},
		{"somebody changes a value", func(c *cluster) { c.SavesFiles(first, settings("blue")) }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"the upstream changes it, too", toSecond},
		{"the value of the package is to be kept", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Upgrade.OnConflict = variant.OnConflictKeepLocal })
		}},
	},
	"readiness gates": {
		{"the variant is applied, drafts are to be published, and a gate is not met", func(c *cluster) {
			all := files("red")
			all["Kptfile"] += gate("False")
			c.blueprint(2, all)
			c.applies(policy(variant.ApprovalPolicyAutomatic), func(pv *v1alpha1.PackageVariant) {
				pv.Spec.Upstream.Revision = variant.RevisionNumber(2)
			})
		}},
		{"it is met", func(c *cluster) { c.checks(first, "True") }},
	},
}

// stops applies the variant web so that conflicts stop a merge.
func stops(c *cluster) {
	c.applies(func(pv *v1alpha1.PackageVariant) {
		pv.Spec.Upgrade = &variant.Upgrade{OnConflict: variant.OnConflictStop}
	})
}

// downstream returns an act that has the variant web ask for another downstream.
func downstream(repository, pkg string) func(*cluster) {
	return func(c *cluster) {
		c.edits(func(s *variant.Spec) { s.Downstream.Repo, s.Downstream.Package = repository, pkg })
	}
}

// editOf returns the task of a draft that was made by an edit of a revision.
func editOf(source string) revision.Task { return revision.Task{Type: revision.Edit, Source: source} }

// publishesEdit publishes a revision of the package web that people made by an edit of another, with a value in it.
func (c *cluster) publishesEdit(workspace string, number int, source, color string) {
	c.T.Helper()
	all, lock := c.FilesOf(source), c.Revision(source).Lock
	edited := map[string]string{}
	for name, text := range all {
		edited[name] = text
	}
	edited["settings.yaml"] = strings.NewReplacer("color: red", "color: "+color, "color: blue", "color: "+color).
		Replace(all["settings.yaml"])
	c.has("edge", workspace, number, edited, func(pr *revision.Revision) {
		pr.Task, pr.Lock = editOf(source), lock
	})
}

// restores makes a variant again, as from a backup: with another UID, and without a status.
func (c *cluster) restores(name string) {
	c.T.Helper()
	pv := c.Variant(name)
	again := &v1alpha1.PackageVariant{ObjectMeta: memorytest.Meta(name), Spec: pv.Spec,
		Status: v1alpha1.PackageVariantStatus{ObservedGeneration: -1}}
	again.UID, again.Finalizers = "restored-"+again.UID, pv.Finalizers
	c.Objects.Add(again)
}

// gate returns what a Kptfile has about a readiness gate, with the status of its condition.
func gate(status string) string {
	return "info:\n  readinessGates:\n  - conditionType: checked\nstatus:\n  conditions:\n  - type: checked\n" +
		"    status: \"" + status + "\"\n"
}

// checks sets the condition of the readiness gate in a draft.
func (c *cluster) checks(draft, status string) {
	c.T.Helper()
	kptfile := c.FilesOf(draft)["Kptfile"]
	c.SavesFiles(draft, map[string]string{"Kptfile": strings.NewReplacer(`status: "False"`, `status: "`+status+`"`,
		`status: "True"`, `status: "`+status+`"`).Replace(kptfile)})
}

// deletesVariant deletes a variant.
func (c *cluster) deletesVariant(name string) {
	c.T.Helper()
	c.Must(c.Objects.Delete(c.T.Context(), &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}))
}

// editsVariant changes a variant.
func (c *cluster) editsVariant(name string, edit func(*variant.Spec)) {
	c.T.Helper()
	c.EditVariant(name, func(pv *v1alpha1.PackageVariant) { edit(&pv.Spec) })
}
