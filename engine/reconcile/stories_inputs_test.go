// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// inputs are stories of what a variant is made from.
var inputs = map[string][]act{
	"an upstream that is a draft": {
		{"the variant is applied, to a draft", func(c *cluster) {
			c.has("blueprints", "v2", 0, files("green"))
			c.applies(func(pv *v1alpha1.PackageVariant) {
				pv.Spec.Upstream.Revision, pv.Spec.Upstream.WorkspaceName = variant.Revision{}, "v2"
			})
		}},
		{"it is published", func(c *cluster) { c.Publishes("blueprints.web.v2") }},
		{"its deletion is proposed", func(c *cluster) {
			c.Moves("blueprints.web.v2", revision.DeletionProposed)
		}},
	},
	"the latest revision, and a tag": {
		{"the variant is applied, to the latest revision", func(c *cluster) {
			c.applies(func(pv *v1alpha1.PackageVariant) {
				pv.Spec.Upstream.Revision = variant.Revision{Str: variant.TagLatest}
			})
		}},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"a second revision is published", func(c *cluster) { c.blueprint(2, files("green")) }},
		{"its draft is published", func(c *cluster) { c.Publishes(second) }},
		{"the upstream asked for has a tag, which the first revision has", func(c *cluster) {
			c.tags("blueprints.web.v1", "stable")
			c.edits(func(s *variant.Spec) { s.Upstream.Revision = variant.Revision{Str: "stable"} })
		}},
		{"the second one has it, too", func(c *cluster) { c.tags("blueprints.web.v2", "stable") }},
	},
	"another upstream package": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody changes a value", func(c *cluster) {
			c.SavesFiles(first, map[string]string{"settings.yaml": sized("red", "large")})
		}},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"the upstream asked for is a package of another Repository", func(c *cluster) {
			c.repositories("more")
			c.Has(revision.Package{Repo: "more", Name: "shop"}, "v1", 1, files("green"))
			c.edits(func(s *variant.Spec) { s.Upstream.Repo, s.Upstream.Package = "more", "shop" })
		}},
		{"the draft is published", func(c *cluster) { c.Publishes(second) }},
		{"the Repository has another name, and another form of its address", func(c *cluster) {
			version := c.Revision("more.shop.v1").Version
			c.renames("more", "catalog", "git@git.example.com:more")
			c.Removes("more.shop.v1")
			c.Has(revision.Package{Repo: "catalog", Name: "shop"}, "v1", 1, files("green"),
				func(r *revision.Revision) { r.Version = version })
			c.Has(revision.Package{Repo: "catalog", Name: "shop"}, "v2", 2, files("yellow"))
			c.edits(func(s *variant.Spec) { s.Upstream.Repo, s.Upstream.Revision = "catalog", variant.RevisionNumber(2) })
		}},
	},
	"an upstream that is too large": {
		{"the variant is applied, to a blueprint that is nested too deep", func(c *cluster) {
			c.blueprint(2, deep())
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.Upstream.Revision = variant.RevisionNumber(2) })
		}},
		{"the upstream asked for is another", to(1)},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"the upstream asked for is that one again", to(2)},
		{"the upstream asked for is a third one", toThird("green")},
	},
	"an upstream that is no text": {
		{"the variant is applied, to a blueprint with a picture", func(c *cluster) {
			all := files("red")
			all["logo.png"] = "\ufffdPNG" // as Porch's API returns it
			c.blueprint(2, all)
			c.applies(func(pv *v1alpha1.PackageVariant) { pv.Spec.Upstream.Revision = variant.RevisionNumber(2) })
		}},
		{"the upstream asked for is another", to(1)},
	},
	"a Repository is migrated": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"Porch serves its packages in another version of its API, and lists them no more", func(c *cluster) {
			c.migrates("edge", true)
			c.loses(first)
			c.edits(zone("b"))
		}},
		{"the variant is deleted", (*cluster).deletes},
		{"Porch lists them again", func(c *cluster) { c.migrates("edge", false); c.finds() }},
	},
	"a Repository is broken": {
		{"two variants are applied", func(c *cluster) { c.applies(); c.applies(named("shop")) }},
		{"the Repository is not ready, and the package context of one changes", func(c *cluster) {
			c.becomes("edge", "False", "Error")
			c.edits(zone("b"))
			c.applies(named("late"))
		}},
		{"it is ready again", func(c *cluster) { c.becomes("edge", "True", "Ready") }},
	},
	"the pipeline changes back what the variant sets": {
		{"the variant is applied, and the package's own pipeline sets the zone", func(c *cluster) {
			c.Render = replacing("zone: a", "zone: fixed")
			c.applies()
		}},
		{"the variant asks for another zone", func(c *cluster) { c.edits(zone("b")) }},
	},
	"a Repository that is not for deployments": {
		{"the variant is applied, with a context for a package that gets none", func(c *cluster) {
			c.applies(func(pv *v1alpha1.PackageVariant) {
				pv.Spec.Downstream = &variant.Downstream{Repo: "blueprints", Package: "stock"}
			})
		}},
		{"the variant gives it none", func(c *cluster) { c.edits(func(s *variant.Spec) { s.PackageContext = nil }) }},
	},
	"no function can run": {
		{"the variant is applied, and no function can run", func(c *cluster) {
			c.Runtime = unavailableRuntime{}
			c.Start()
			c.applies()
		}},
		{"they can again", func(c *cluster) { c.Runtime = mutate.Builtin{}; c.Start() }},
	},
	"a function fails over what is merged": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"somebody adds a resource", func(c *cluster) {
			c.SavesFiles(first, map[string]string{"mine.yaml": clusterPoint("a.example.com/v1")})
		}},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"the upstream adds one that cannot stand beside it", func(c *cluster) {
			all := files("red")
			all["theirs.yaml"] = clusterPoint("b.example.com/v1")
			c.blueprint(2, all)
			to(2)(c)
		}},
		{"the upstream takes it back", toThird("green")},
	},
	"injection": {
		{"the variant is applied, and there is no object", func(c *cluster) {
			c.blueprint(2, withPoint("required"))
			c.hasObject("others", "eu", "secret")
			c.applies(func(pv *v1alpha1.PackageVariant) {
				pv.Spec.Upstream.Revision = variant.RevisionNumber(2)
				pv.Spec.Injectors = []variant.InjectionSelector{{Name: "eu"}}
			})
		}},
		{"there is one", func(c *cluster) { c.hasObject(namespace, "eu", "eu-west") }},
		{"it changes", func(c *cluster) { c.hasObject(namespace, "eu", "eu-east") }},
		{"another one is asked for", func(c *cluster) {
			c.hasObject(namespace, "us", "us-west")
			c.edits(func(s *variant.Spec) { s.Injectors = []variant.InjectionSelector{{Name: "us"}} })
		}},
		{"it is deleted", func(c *cluster) {
			c.Objects.Drop(schema.GroupKind{Kind: "ConfigMap"}, memorytest.Key("us"))
			c.knowsObjects()
		}},
		{"the package has two points, and each its own object", func(c *cluster) {
			all := withPoint("required")
			all["zone.yaml"] = strings.Replace(all["region.yaml"], "name: region", "name: zone", 1)
			c.blueprint(3, all)
			c.edits(func(s *variant.Spec) {
				s.Upstream.Revision = variant.RevisionNumber(3)
				s.Injectors = []variant.InjectionSelector{{Name: "eu", InjectionPoint: "region"},
					{Name: "ap", InjectionPoint: "zone"}}
			})
		}},
		{"there is the second one, too", func(c *cluster) { c.hasObject(namespace, "ap", "ap-south") }},
		{"the variant names none", func(c *cluster) { c.edits(func(s *variant.Spec) { s.Injectors = nil }) }},
	},
	"dependencies": {
		{"a variant is applied that depends on one that is missing", func(c *cluster) {
			c.applies(named("app"), dependsOn("web"))
		}},
		{"that one is applied", func(c *cluster) { c.applies() }},
		{"its draft is published", func(c *cluster) { c.Publishes(first) }},
		{"it is deleted", (*cluster).deletes},
		{"the variant is deleted that depends on it", func(c *cluster) { c.deletesVariant("app") }},
	},
	"a dependency is deleted, and made again": {
		{"a variant is applied, and two that depend on it", func(c *cluster) {
			c.applies()
			c.applies(named("app"), dependsOn("web"))
			c.applies(named("job"), dependsOn("web"))
		}},
		{"it is deleted", (*cluster).deletes},
		{"it is applied again", func(c *cluster) { c.applies() }},
		{"its draft is published", func(c *cluster) { c.Publishes(first) }},
	},
	"a cycle of dependencies": {
		{"three variants are applied that depend on each other, and one that depends on them", func(c *cluster) {
			c.applies(named("a"), dependsOn("b"))
			c.applies(named("b"), dependsOn("c"))
			c.applies(named("c"), dependsOn("a"))
			c.applies(named("d"), dependsOn("a"))
		}},
		{"one of them depends on none any more", func(c *cluster) {
			c.editsVariant("c", func(s *variant.Spec) { s.DependsOn = nil })
		}},
		{"its draft is published", func(c *cluster) { c.Publishes("edge.c.packagevariant-1") }},
		{"it depends on the first again, and all are deleted", func(c *cluster) {
			c.editsVariant("c", func(s *variant.Spec) { s.DependsOn = []variant.Dependency{{Name: "a"}} })
			for _, name := range []string{"a", "b", "c", "d"} {
				c.deletesVariant(name)
			}
		}},
	},
}

// sized returns the settings of the package with two values.
func sized(color, size string) string {
	return strings.Replace(files(color)["settings.yaml"], "small", size, 1)
}

// deep returns the files of a package with a resource that is nested deeper than the controller accepts.
func deep() map[string]string {
	all := files("red")
	all["deep.yaml"] = "apiVersion: example.com/v1\nkind: Deep\nmetadata:\n  name: deep\nspec: " +
		strings.Repeat("[", 300) + strings.Repeat("]", 300) + "\n"
	return all
}

// clusterPoint returns an injection point of which a package can have one only, whatever its version.
func clusterPoint(version string) string {
	return "apiVersion: " + version + "\nkind: Cluster\nmetadata:\n  name: here\n  annotations:\n" +
		"    kpt.dev/config-injection: optional\n"
}

// named gives a variant another name, and a package of that name.
func named(name string) func(*v1alpha1.PackageVariant) {
	return func(pv *v1alpha1.PackageVariant) {
		pv.ObjectMeta, pv.Spec.Downstream.Package = memorytest.Meta(name), name
	}
}

// dependsOn makes a variant depend on another one.
func dependsOn(name string) func(*v1alpha1.PackageVariant) {
	return func(pv *v1alpha1.PackageVariant) { pv.Spec.DependsOn = []variant.Dependency{{Name: name}} }
}

// tags gives a revision of a blueprint a floating tag.
func (c *cluster) tags(name, tag string) {
	c.T.Helper()
	c.EditRevision(name, func(pr *revision.Revision) {
		pr.Labels = map[string]string{"tag.config.porch.kpt.dev/" + tag: "true"}
	})
}

// renames registers a Repository by another name, and with another form of its address.
func (c *cluster) renames(from, to, address string) {
	c.T.Helper()
	c.Unregisters(from)
	c.repositories(to)
	c.EditRepository(to, func(r *objects.Repository) { r.Address = address })
}

// migrates has the packages of a Repository served by another version of Porch's API, or not any more.
func (c *cluster) migrates(repository string, is bool) {
	c.T.Helper()
	c.EditRepository(repository, func(r *objects.Repository) {
		r.Migrated = is
	})
}

// hasObject adds a ConfigMap, or changes it.
func (c *cluster) hasObject(namespace, name, region string) {
	c.T.Helper()
	c.Objects.Add(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"namespace": namespace, "name": name, "resourceVersion": region},
		"data":     map[string]any{"region": region}}})
	c.knowsObjects()
}

// knowsObjects tells the controller of the objects that there are now.
func (c *cluster) knowsObjects() {
	source := c.Source()
	c.reconciler.Injected = source
}
