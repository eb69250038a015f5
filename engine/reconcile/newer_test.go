// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"sigs.k8s.io/yaml"
)

// newer are stories on a newer Porch, which refuses more, and of what it lists in another way.
var newer = map[string][]act{
	"a package is on its branch only, and nothing is cloned into it": {
		{"the variant is applied", func(c *cluster) {
			c.becomesNewer()
			c.has("edge", "main", -1, files("blue"))
			c.applies()
		}},
		{"it may adopt what exists", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.AdoptionPolicy = variant.AdoptionPolicyAdoptExisting })
		}},
		{"people publish what is on the branch, and some time passes", func(c *cluster) {
			c.has("edge", "v1", 1, locked(), onFirst)
			c.Pass()
		}},
	},
	"a package is removed from its branch, and cloned": {
		{"the variant is applied", func(c *cluster) {
			c.becomesNewer()
			c.has("edge", "main", -1, files("blue"))
			c.applies()
		}},
		{"people remove it", func(c *cluster) { c.Removes("edge.web.main") }},
	},
	"a variant is created again while its package waits to be deleted": {
		{"the variant is applied", func(c *cluster) {
			c.becomesNewer()
			c.applies()
		}},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"the variant is deleted", (*cluster).deletes},
		{"it is applied again", func(c *cluster) { c.applies() }},
		{"it may adopt what exists", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.AdoptionPolicy = variant.AdoptionPolicyAdoptExisting })
		}},
	},
	"a package at the top has the last name of another": {
		{"the variant is applied", func(c *cluster) {
			c.becomesNewer()
			c.Has(revision.Package{Repo: "edge", Name: "shop/web"}, "packagevariant-1", 1, files("blue"))
			c.applies()
		}},
		{"its downstream is another package", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.Downstream.Package = "site" })
		}},
	},
	"an upstream is named by its branch": {
		{"the variant is applied, and Porch lists nothing of the branch", func(c *cluster) {
			c.becomesNewer()
			c.applies(func(pv *v1alpha1.PackageVariant) {
				pv.Spec.Upstream.Revision, pv.Spec.Upstream.WorkspaceName = variant.Revision{}, "main"
			})
		}},
		{"Porch lists it", func(c *cluster) { c.has("blueprints", "main", -1, files("red")) }},
		{"it names a revision", func(c *cluster) {
			c.edits(func(s *variant.Spec) {
				s.Upstream.Revision, s.Upstream.WorkspaceName = variant.RevisionNumber(1), ""
			})
		}},
	},
	"Porch refuses a change of a package for good": {
		{"the variant is applied, and Porch refuses its draft", func(c *cluster) {
			c.refuses(creates, refused(packages.Refused(errors.New("cannot clone edge/web: Internal error occurred: "+
				"spec.tasks must have at least one entry"))))
			c.applies()
		}},
		{"its package context changes, and Porch refuses nothing", func(c *cluster) {
			c.Answer = nil
			c.edits(zone("b"))
		}},
	},
	"a Repository is registered again while its records are being deleted": {
		{"the variant is applied", func(c *cluster) {
			c.becomesNewer()
			c.applies()
		}},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"its record is being deleted, without an owner", func(c *cluster) {
			c.EditRevision(first, func(r *revision.Revision) { r.Owners = nil })
			c.Packages.BeginDeletion(namespace, first)
		}},
		{"Porch has read the Repository", func(c *cluster) {
			r, files := c.Revision(first), c.FilesOf(first)
			r.Deleting = false
			c.Packages.Add(*r, files)
		}},
	},
	"two revisions have the label of the latest": {
		{"the variant is applied, of the latest revision", func(c *cluster) {
			latest := func(r *revision.Revision) { r.Labels = map[string]string{"kpt.dev/latest-revision": "true"} }
			c.becomesNewer()
			c.Blueprint("web", 9, files("green"), latest)
			c.Blueprint("web", 10, files("blue"))
			c.EditRevision("blueprints.web.v1", latest)
			c.applies(func(pv *v1alpha1.PackageVariant) {
				pv.Spec.Upstream.Revision = variant.Revision{Str: variant.TagLatest}
			})
		}},
	},
}

// otherwise are stories that a newer Porch tells otherwise, with the reason.
var otherwise = map[string]string{
	"another downstream, and the old one is orphaned":     unwritten,
	"an edited draft is lost, and found again":            unwritten,
	"a variant is restored from a backup":                 unwritten,
	"a published package is made anew":                    reportedFirst,
	"adoption of a draft":                                 reportedFirst,
	"adoption of two drafts":                              reportedFirst,
	"the history of the upstream is rewritten":            reportedFirst,
	"the latest upstream is lost, and found again":        reportedFirst,
	"the latest upstream is deleted, and published again": reportedFirst,
	"somebody rejects what was proposed":                  "the Kptfile is as it was, so the rejection is recognized",
}

const (
	unwritten     = "the Kptfile of a draft that gets an owner is as it was, and needs no save"
	reportedFirst = "a draft that people pushed has no report of a render, and gets one with its owner"
)

// TestNewer tells the stories on a newer Porch. They are the same, although each render writes a report into the Kptfile,
// and rewrites it without comments: nobody counts as having changed that.
func TestNewer(t *testing.T) {
	t.Parallel()
	for name := range otherwise {
		if stories[name] == nil {
			t.Errorf("there is no story %q", name)
		}
	}
	for name, story := range stories {
		if otherwise[name] != "" || newer[name] != nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := begin(t, true)
			c.becomesNewer()
			memorytest.Tell(c, name, story)
		})
	}
}

// becomesNewer replaces the Porch of a cluster by a newer one.
func (c *cluster) becomesNewer() {
	render := c.Render
	c.newer, c.Unforeseen = true, true
	c.Render = func(ctx context.Context, files map[string]string) (map[string]string, error) {
		files, err := render(ctx, files)
		return reported(files), err
	}
	c.Start()
}

// reported returns files with what a render reports in the Kptfile.
func reported(files map[string]string) map[string]string {
	var k map[string]any
	if yaml.Unmarshal([]byte(files["Kptfile"]), &k) != nil || k == nil {
		return files
	}
	status, _ := k["status"].(map[string]any)
	if status == nil {
		status = map[string]any{}
	}
	report := kpt.Meaning(files)
	conditions := []any{map[string]any{"type": "Rendered", "status": "True", "message": report}}
	others, _ := status["conditions"].([]any)
	for _, each := range others {
		if condition, _ := each.(map[string]any); condition["type"] != "Rendered" {
			conditions = append(conditions, each)
		}
	}
	status["conditions"], status["renderStatus"] = conditions, map[string]any{"mutationSteps": []any{report}}
	k["status"] = status
	text, err := yaml.Marshal(k)
	if err != nil {
		return files
	}
	out := maps.Clone(files)
	out["Kptfile"] = string(text)
	return out
}
