// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
)

// settingsV2 is what the second revision of the blueprint changes.
var settingsV2 = map[string]string{"settings.yaml": strings.Replace(settings, `b: "2"`, `b: "3"`, 1)}

// published returns a world in which the variant web is published on the blueprint's first revision, with an edit by a
// user in it, and there is a second revision of the blueprint.
func published(t *testing.T, changes ...func(*variant.Spec)) *world {
	t.Helper()
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web", changes...))
	w.start()
	draft := w.target("web")
	w.WriteFiles(draft, map[string]string{"settings.yaml": strings.Replace(w.Files(draft)["settings.yaml"], `a: "1" # one`,
		`a: "mine" # my own`, 1)})
	w.publish(draft)
	w.seesPublished("web")
	return w
}

// expectUpgraded fails the test unless the draft has the change of the blueprint's second revision and the user's.
func (w *world) expectUpgraded(draft, ref string) {
	w.t.Helper()
	r := w.Revision(draft)
	if r.Spec.Tasks[0].Type != porchapi.TaskTypeUpgrade || r.Status.UpstreamLock.Git.Ref != ref {
		w.t.Errorf("%s is from a %s to %s, want an upgrade to %s", draft, r.Spec.Tasks[0].Type, r.Status.UpstreamLock.Git.Ref,
			ref)
	}
	got := w.Files(draft)
	for _, text := range []string{`a: "mine" # my own`, `b: "3"`} {
		if !strings.Contains(got["settings.yaml"], text) {
			w.t.Errorf("settings.yaml has no %q:\n%s", text, got["settings.yaml"])
		}
	}
	if !strings.Contains(got["region.yaml"], "api: eu") || !strings.Contains(got["package-context.yaml"], "region: eu") {
		w.t.Errorf("the mutations are not applied:\n%s\n%s", got["region.yaml"], got["package-context.yaml"])
	}
}

func TestUpgrade(t *testing.T) {
	w := published(t)
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.Apply(newVariant("web", revision(2)))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.expectUpgraded("edge.web.packagevariant-2", "web/v2")

	// Back to the first revision, once the second is published.
	w.publish("edge.web.packagevariant-2")
	w.Apply(newVariant("web", revision(1)))
	w.waitTarget("web", "edge.web.packagevariant-3")
	if got := w.Files("edge.web.packagevariant-3")["settings.yaml"]; !strings.Contains(got, `b: "2"`) ||
		!strings.Contains(got, `a: "mine"`) {
		t.Errorf("after the way back, settings.yaml is:\n%s", got)
	}
}

func TestUpgradeLatest(t *testing.T) {
	w := published(t, tag("latest"))
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.expectUpgraded("edge.web.packagevariant-2", "web/v2")
}

func TestUpgradeMain(t *testing.T) {
	w := published(t, revision(-1))
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.expectUpgraded("edge.web.packagevariant-2", "web/v2")
}

// TestUpgradeTag moves a floating tag, which changes no content that Porch reports.
func TestUpgradeTag(t *testing.T) {
	w := newWorld(t)
	stable := map[string]string{"tag.config.porch.kpt.dev/stable": "true"}
	w.Publish("blueprints", "web", "v1", simple())
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.labelRevision("blueprints.web.v1", stable)
	w.Apply(newVariant("web", plain, tag("stable")))
	w.start()
	draft := w.target("web")
	w.publish(draft)
	w.waitTarget("web", draft)
	w.labelRevision("blueprints.web.v2", stable)
	w.waitTarget("web", "edge.web.packagevariant-2")
	if ref := w.Revision("edge.web.packagevariant-2").Status.UpstreamLock.Git.Ref; ref != "web/v2" {
		t.Errorf("upgraded to %s, want web/v2", ref)
	}
}

// TestUpstreamPublishedAnew deletes the revision that packages were made from, and publishes another under its number:
// they stay as they are, and the variants say so. It is the second revision: on PostgreSQL, Porch v1.5 cannot publish a
// first one again.
func TestUpstreamPublishedAnew(t *testing.T) {
	for name, workspace := range map[string]string{"the same name": "v2", "another name": "again"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.compared = true // the drafts are as they were
			w.deletesUpstreams()
			w.Publish("blueprints", "web", "v1", simple())
			w.Publish("blueprints", "web", "v2", simple())
			w.Apply(newVariant("web", plain, revision(2)))
			c := w.start()
			w.publish(w.target("web"))
			w.seesPublished("web")
			w.Apply(newVariant("open", plain, revision(2)))
			open := w.target("open")
			w.edit(open, `a: "1" # one`, `a: "mine" # my own`)
			before := w.Files(open)

			w.ProposeDeletion("blueprints.web.v2")
			w.kubectl("delete", "packagerevision", "blueprints.web.v2", "--namespace", w.Namespace)
			w.WaitReason("web", "UpstreamNotFound")
			w.Publish("blueprints", "web", workspace, settingsOf("1", "anew"))
			for _, variant := range []string{"web", "open"} {
				message := w.message(variant, "UpstreamReplaced")
				for _, part := range []string{"was made from web/v2 at ", "then blueprints.web." + workspace + " was published",
					"publish a new number"} {
					if !strings.Contains(message, part) {
						t.Errorf("message of %s: %s, want one with %q", variant, message, part)
					}
				}
			}
			w.quiet(c)
			if diff := cmp.Diff(before, w.Files(open)); diff != "" {
				t.Errorf("the draft's files (-before +after):\n%s", diff)
			}
			w.expectDrafts("open", open)
			if err := w.noDrafts("web"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestUpgradeToOtherPackage changes the package, and the repository, that the variant derives from.
func TestUpgradeToOtherPackage(t *testing.T) {
	w := published(t)
	w.Repository("more", nil, false)
	w.Publish("more", "shop", "v1", map[string]string{"region.yaml": point, "settings.yaml": settingsV2["settings.yaml"]})
	w.Apply(newVariant("web", func(s *variant.Spec) {
		s.Upstream = &variant.Upstream{Repo: "more", Package: "shop", Revision: variant.RevisionNumber(1)}
	}))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.expectUpgraded("edge.web.packagevariant-2", "shop/v1")
}

// TestAdoptedWithoutLock adopts packages that do not say what they were derived from, as porchctl rpkg init makes them:
// a draft, and a published one. Everything but upgrades works for them.
func TestAdoptedWithoutLock(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Draft("edge", "draft", "mine", blueprint())
	w.Publish("edge", "public", "mine", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}))
	mutated := func(name string, changes ...func(*variant.Spec)) *v1alpha1.PackageVariant {
		return newVariant(name, append(changes, adopt, func(s *variant.Spec) {
			s.Pipeline = &variant.Pipeline{Mutators: []variant.Function{{Name: "c", Image: contextImage,
				ConfigMap: map[string]string{"pipe": "line"}}}}
		})...)
	}
	w.Apply(mutated("draft"), mutated("public"))
	w.start()
	drafts := map[string]string{"draft": "edge.draft.mine", "public": "edge.public.packagevariant-1"}
	inStep := func(api string) {
		t.Helper()
		for name, draft := range drafts {
			w.Eventually("there is "+draft, func() error {
				got, _, err := w.listDrafts(name)
				if err == nil && !slices.Equal(got, []string{draft}) {
					err = fmt.Errorf("the drafts are %v", got)
				}
				return err
			})
			w.waitFile(draft, "region.yaml", "api: "+api+"\n")
			w.waitFile(draft, "package-context.yaml", "region: eu\n")
			w.waitFile(draft, "Kptfile", "PackageVariant."+name+".c.0")
			if message := w.message(name, "UpstreamLockMissing"); !strings.Contains(message, draft) ||
				!strings.Contains(message, "upstreamLock") {
				t.Errorf("message of %s: %q", name, message)
			}
			w.expectCondition(name, v1alpha1.ConditionStalled, "True", "UpstreamLockMissing")
		}
	}
	inStep("eu")
	w.Apply(configMap("eu", map[string]string{"api": "eu-2"}))
	inStep("eu-2")
	w.Publish("blueprints", "web", "v2", settingsV2)
	for name := range drafts {
		w.Apply(mutated(name, revision(2), zone))
	}
	for _, draft := range drafts {
		w.waitFile(draft, "package-context.yaml", "zone: a\n")
	}
	inStep("eu-2")
}

// TestBaseNotFound checks that the controller does nothing while the common ancestor of an upgrade is not known.
func TestBaseNotFound(t *testing.T) {
	w := published(t)
	lock := w.Revision("edge.web.packagevariant-1").Status.UpstreamLock.Git
	w.Repository("more", nil, false)
	w.Publish("more", "shop", "v1", settingsV2)
	w.kubectl("delete", "repository", "blueprints", "--namespace", w.Namespace)
	w.WaitReason("web", "RepositoryNotFound")
	w.Apply(newVariant("web", func(s *variant.Spec) {
		s.Upstream = &variant.Upstream{Repo: "more", Package: "shop", Revision: variant.RevisionNumber(1)}
	}))
	w.expectMessage("web", "BaseNotFound",
		"edge.web.packagevariant-1 was derived from web/v1 at "+lock.Commit+", of which no published package "+
			"revision is known: "+
			"without it the changes from there to more.shop.v1 are not known; register the Repository that has it, or delete the package to "+
			"have it cloned again")
	w.expectDrafts("web")
	w.registerAnew("blueprints", false)
	w.waitTarget("web", "edge.web.packagevariant-2")
}

// TestRenamedUpstream has the upstream registered under another name, with another form of its address: the base of a
// published package is found there.
func TestRenamedUpstream(t *testing.T) {
	w, git := newWorldBehind(t)
	w.random = []string{git.URL, "GIT"}
	address := git.URL + "/" + w.Namespace + "-catalog"
	w.upstreamAt("early", address)
	from := func(repository string) func(*variant.Spec) {
		return func(s *variant.Spec) { s.Upstream.Repo = repository }
	}
	w.Publish("early", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web", from("early")))
	w.start()
	w.edit(w.target("web"), `a: "1" # one`, `a: "mine" # my own`)
	w.publish(w.target("web"))
	w.seesPublished("web")
	w.kubectl("delete", "repository", "early", "--namespace", w.Namespace)
	w.WaitReason("web", "RepositoryNotFound")
	w.waitNoRepository("early")
	w.upstreamAt("catalog", address+".git/")
	w.waitLifecycle("catalog.web.v1", isPublished) // the second is made from it
	w.Publish("catalog", "web", "v2", settingsV2)
	w.Apply(newVariant("web", from("catalog"), revision(2)))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.expectUpgraded("edge.web.packagevariant-2", "web/v2")
}

// upstreamAt registers a Repository of upstreams.
func (w *world) upstreamAt(name, address string) {
	w.t.Helper()
	if err := w.stack.RegisterRepository(w.t.Context(), stack.Repository{Namespace: w.Namespace, Name: name,
		Git: w.Namespace + "-catalog", Address: address}); err != nil {
		w.t.Fatal(err)
	}
}
