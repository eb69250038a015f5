// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

const (
	migratedBlueprints = `the packages of the Repository "blueprints" are served by version v1alpha2 of Porch's API, ` +
		`which this controller does not know yet: ` +
		"take the annotation porch.kpt.dev/v1alpha2-migration off the Repository, or name another"
	migratedEdge = `the packages of the Repository "edge" are served by version v1alpha2 of Porch's API, which this ` +
		`controller does not know yet: ` +
		"take the annotation porch.kpt.dev/v1alpha2-migration off the Repository, or name another"
)

// ofNoBranch is what to do if the upstream is a branch that Porch does not list.
const ofNoBranch = "publish the upstream, and name its revision in spec.upstream, as not every version of Porch derives a " +
	"package from the branch"

const overlapText = `the Repository "edge" (directory /site) overlaps the Repository "all" (directory /) on the same branch of ` +
	"a git repository, so publishing a package of one could remove a package of the other"

func overlapping(o Overlap) func(*Input) { return func(in *Input) { in.Overlaps = []Overlap{o} } }

// TestGuards checks what keeps a variant from being worked on. The revisions behind a guard stay as they are.
func TestGuards(t *testing.T) {
	unread := want{Condition: v1alpha1.Condition{Type: "Reconciling", Reason: "RepositoryNotReady", Message: "no revision is " +
		"listed of the package edge/web, of which edge.web.packagevariant-1 was published: the Repository \"edge\" has not " +
		"been read to its end yet; if someone has deleted the revisions, or removed the package from git, delete this variant " +
		"and create it again"}}
	noUpstream := func(in *Input) { in.Upstream = nil }
	asks := func(u variant.Upstream) func(*Input) {
		return func(in *Input) {
			in.Upstream = nil
			in.Spec.Upstream.WorkspaceName, in.Spec.Upstream.Revision = u.WorkspaceName, u.Revision
		}
	}
	unregistered := func(name string) func(*Input) { return func(in *Input) { delete(in.Repositories, name) } }
	left := elsewhere(down("packagevariant-1", 0, draft, of("before")))
	notReady := func(repo, message string) want {
		return want{Condition: v1alpha1.Condition{Type: "Reconciling", Reason: "RepositoryNotReady",
			Message: `the Repository "` + repo + `" is not ready: ` + message}}
	}
	testDecide(t, map[string]decideCase{
		"the spec is invalid: all that is wrong is told": {
			input(func(in *Input) { in.Spec.Downstream = nil; in.Spec.AdoptionPolicy = "x" },
				down("packagevariant-1", 0, draft)),
			wantStalled("InvalidSpec",
				`spec.downstream is missing: name the package to create; spec.adoptionPolicy is "x", but must be one of `+
					`["adoptNone" "adoptExisting"]`)},
		"the upstream does not exist": {input(noUpstream), wantStalled("UpstreamNotFound",
			"there is no PackageRevision of blueprints/web with revision 1: publish it, or correct spec.upstream")},
		"the upstream does not exist: the home says what is there": {input(all(noUpstream, func(in *Input) {
			in.Missing = revision.Missing{Found: "it has no tag web/v1", Do: "publish it: git tag web/v1 main"}
		})), wantStalled("UpstreamNotFound", "there is no PackageRevision of blueprints/web with revision 1: it has no tag "+
			"web/v1; correct spec.upstream, or publish it: git tag web/v1 main")},
		"the upstream does not exist: by its workspace": {input(asks(variant.Upstream{WorkspaceName: "v9"})),
			wantStalled("UpstreamNotFound",
				"there is no PackageRevision of blueprints/web with workspace v9: publish it, or correct spec.upstream")},
		"the upstream does not exist: by the branch": {input(asks(variant.Upstream{WorkspaceName: "main",
			Revision: variant.Revision{Str: "main"}})), wantStalled("UpstreamNotFound", "there is no PackageRevision of "+
			"blueprints/web with workspace main: "+ofNoBranch)},
		"the upstream does not exist: not even on the branch": {input(asks(variant.Upstream{})), wantStalled("UpstreamNotFound",
			"there is no PackageRevision of blueprints/web on the main branch: "+ofNoBranch)},
		"the upstream does not exist: by another workspace than the branch": {input(all(func(in *Input) {
			in.Repositories["blueprints"] = revision.Repository{Ready: true, Address: address, Branch: "master"}
		}, asks(variant.Upstream{WorkspaceName: "main"}))), wantStalled("UpstreamNotFound",
			"there is no PackageRevision of blueprints/web with workspace main: publish it, or correct spec.upstream")},
		"the upstream does not exist: by a tag": {input(asks(variant.Upstream{Revision: variant.Revision{Str: "stable"}})),
			wantStalled("UpstreamNotFound",
				`there is no PackageRevision of blueprints/web that is published and has the label `+
					`tag.config.porch.kpt.dev/stable: "true": publish it, or correct spec.upstream`)},
		"the upstream does not exist: none is published": {input(asks(variant.Upstream{Revision: variant.Revision{Str: "latest"}})), wantStalled("UpstreamNotFound",
			"there is no PackageRevision of blueprints/web that is published: publish it, or correct spec.upstream")},
		"the upstream is a draft": {input(func(in *Input) { in.Upstream.Lifecycle = draft }),
			wantStalled("UpstreamNotPublished",
				"the upstream blueprints.web.v1 is Draft, and may still change: "+
					"publish it, or name a published revision in spec.upstream")},
		"the upstream is proposed": {input(func(in *Input) { in.Upstream.Lifecycle = isProposed }),
			wantStalled("UpstreamNotPublished",
				"the upstream blueprints.web.v1 is Proposed, and may still change: "+
					"publish it, or name a published revision in spec.upstream")},
		"the upstream's deletion is proposed: it is published still": {input(func(in *Input) { in.Upstream.Lifecycle = deletionProposal }, down("packagevariant-1", 0, draft)),
			wantReady("edge.web.packagevariant-1 (Draft) is up to date with blueprints.web.v1, whose deletion is proposed: ask for " +
				"another one, or publish a newer one, before it is approved")},

		"the upstream's Repository is not registered": {input(all(noUpstream, unregistered("blueprints"))),
			wantStalled("RepositoryNotFound",
				`there is no Repository "blueprints" in this namespace: register it, or correct spec.upstream.repo`)},
		"the downstream's Repository is not registered: what was left behind stays": {input(all(unregistered("edge"), left)),
			wantStalled("RepositoryNotFound",
				`there is no Repository "edge" in this namespace: register it, or correct spec.downstream.repo`)},
		"neither Repository is registered": {input(all(unregistered("edge"), unregistered("blueprints"))),
			wantStalled("RepositoryNotFound",
				`there is no Repository "edge" in this namespace: register it, or correct spec.downstream.repo`)},
		"the upstream's Repository is migrated: it is not taken for empty": {input(all(noUpstream,
			repository("blueprints", revision.Repository{Ready: true, Migrated: true}))),
			wantStalled("RepositoryMigrated", migratedBlueprints)},
		"the downstream's Repository is migrated: nothing is cloned": {input(repository("edge",
			revision.Repository{Ready: true, Migrated: true})),
			wantStalled("RepositoryMigrated", migratedEdge)},
		"the downstream's Repository overlaps an older one": {input(overlapping(Overlap{Repository: "edge", Directory: "/site",
			Other: "all", OtherDirectory: "/", Stalls: true})),
			wantStalled("RepositoriesOverlap", overlapText+`: delete one of the two, or register "edge", which is the younger `+
				"one, with a directory outside of the other's")},
		"it overlaps one of another namespace": {input(overlapping(Overlap{Repository: "edge", Directory: "/site",
			Other: "all", OtherDirectory: "/"}), down("packagevariant-1", 1, published)),
			wantReady("edge.web.packagevariant-1 (Published) is up to date with blueprints.web.v1; but " + overlapText)},
		"the upstream's Repository is not ready": {input(repository("blueprints", revision.Repository{Message: "down"}),
			down("packagevariant-1", 1, published)),
			notReady("blueprints", "down")},
		"the downstream's Repository is not ready": {input(repository("edge", revision.Repository{Message: "no route"})),
			notReady("edge", "no route")},
		"the upstream's Repository is not ready, and Porch may not list all of it": {input(all(noUpstream,
			repository("blueprints", revision.Repository{Message: "down"}))),
			notReady("blueprints", "down")},
		"a Repository is not ready and has no such upstream: only a person helps": {input(all(noUpstream,
			repository("edge", revision.Repository{Message: "no route"}))),
			wantStalled("UpstreamNotFound",
				"there is no PackageRevision of blueprints/web with revision 1: publish it, or correct spec.upstream")},

		"the package is another variant's: nothing is pruned": {input(all(func(in *Input) { in.Conflicting = "web-us" },
			left), down("packagevariant-1", 0, draft, restored)),
			wantStalled("DownstreamClaimed",
				`the package edge/web belongs to the PackageVariant "web-us": `+
					`name another in spec.downstream, or delete that variant`)},
		"nothing is listed of a package that was published": {input(publishedBefore(one)), unread},
		"only the branch is listed of a package that was published": {
			input(publishedBefore(one), down("main", -1, published, foreign)), unread},
		"the branch and a draft are listed of a package that was published": {
			input(publishedBefore(one), down("main", -1, published, foreign), down("packagevariant-2", 0, draft)),
			wantReady(two + " (Draft) is up to date with blueprints.web.v1")},
		"a package below it was published": {input(publishedBefore("edge.web.eu.packagevariant-1")),
			wantPending(cloned, makes("packagevariant-1", cloneOfOne)...)},
		"another package was published": {input(publishedBefore("before.web.packagevariant-1")),
			wantPending(cloned, makes("packagevariant-1", cloneOfOne)...)},
		"the package is another's and its Repository not ready": {input(all(func(in *Input) { in.Conflicting = "web-us" },
			repository("edge", revision.Repository{}))),
			wantStalled("DownstreamClaimed",
				`the package edge/web belongs to the PackageVariant "web-us": `+
					`name another in spec.downstream, or delete that variant`)},
	})
}

func TestGuard(t *testing.T) {
	t.Parallel()
	if c := Guard(input(nil)); c != nil {
		t.Errorf("a guard holds a variant with all that it needs: %v", c)
	}
	if c := Guard(input(func(in *Input) { in.Upstream = nil })); c == nil || c.Reason != "UpstreamNotFound" {
		t.Errorf("got %v", c)
	}
}

func TestMigrated(t *testing.T) {
	t.Parallel()
	if got, want := Migrated("edge"), (v1alpha1.Condition{Type: "Stalled", Reason: "RepositoryMigrated",
		Message: migratedEdge}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWinner(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		claims []Claim
		want   string
	}{
		"none":              {nil, ""},
		"the only one":      {[]Claim{{Name: "a", Since: 2}}, "a"},
		"the oldest":        {[]Claim{{Name: "a", Since: 2}, {Name: "b", Since: 1}}, "b"},
		"the first by name": {[]Claim{{Name: "b", Since: 1}, {Name: "a", Since: 1}}, "a"},
		"who owns, not old": {[]Claim{{Name: "a", Since: 1}, {Name: "b", Since: 2, Owns: true}}, "b"},
		"oldest of the own.": {[]Claim{{Name: "a", Since: 3, Owns: true}, {Name: "b", Since: 2, Owns: true},
			{Name: "c", Since: 1}}, "b"},
	} {
		if got := Winner(c.claims).Name; got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
