// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/package-variants/package-variants/engine/revision"
)

// untold has Porch give the origins of the blueprint's revisions, and no commits, as its cache in PostgreSQL does.
func untold(in *Input) {
	if in.Upstream.Main() {
		in.Bases = append(in.Bases, *in.Upstream)
	}
	for i := range in.Bases {
		in.Bases[i].Commit = ""
		in.Bases[i].Origin = revision.LockOn(&in.Bases[i], address, "")
	}
	in.Upstream.Commit = ""
	in.Upstream.Origin = revision.LockOn(in.Upstream, address, "")
}

// publishedAnew says that the upstream asked for is at another commit than before.
func publishedAnew(in *Input) {
	in.Upstream.Commit, in.Bases[0].Commit = "commit-9", "commit-9"
	in.Upstream.Origin = revision.LockOn(in.Upstream, address, "")
	in.Bases[0].Origin = in.Upstream.Origin
}

// content sets the tree of the first upstream revision, onContent that of a lock.
func content(tree string) func(*Input) {
	return func(in *Input) { in.Upstream.Tree, in.Bases[0].Tree = tree, tree }
}

func onContent(tree string) edit { return func(r *revision.Revision) { r.Lock.Tree = tree } }

// TestOrigins checks how the controller finds what a package was made from, with commits from Porch and without.
func TestOrigins(t *testing.T) {
	replacing := func(lock, anew string) want {
		return wantStalled("UpstreamReplaced", one+" was made from web/v1 at "+lock+", which was deleted; then blueprints.web.v1 "+
			"was published under its number, and what differs between the two is not known: if web/v1"+sameContent+keptByLock+"publish a new number, name it in spec.upstream, and "+anew)
	}
	testDecide(t, map[string]decideCase{
		"by its origin, on the upstream": {input(untold, down("packagevariant-1", 1, published, from("web/v1", "c"))),
			wantReady(one + " (Published) is up to date with blueprints.web.v1")},
		"by its origin, the address in another form": {input(all(untold, repository("blueprints",
			revision.Repository{Ready: true, Address: address + ".git/"})),
			down("packagevariant-1", 1, published, from("web/v1", "c"))),
			wantReady(one + " (Published) is up to date with blueprints.web.v1")},
		"by its origin, without a commit in the lock": {input(untold,
			down("packagevariant-1", 1, published, from("web/v1", ""))),
			wantReady(one + " (Published) is up to date with blueprints.web.v1")},
		"by its origin, on another revision": {input(all(second, untold),
			down("packagevariant-1", 1, published, from("web/v1", "c"))),
			wantPending(one+" is to be upgraded from blueprints.web.v1 to blueprints.web.v2",
				makes("packagevariant-2", "upgrade blueprints.web.v2 (blueprints.web.v1, "+one+")")...)},
		"of a git repository that is not registered": {input(untold, down("packagevariant-1", 1, published,
			func(r *revision.Revision) {
				r.Lock = &revision.Lock{Repo: "https://else.example.com/b", Directory: "web", Ref: "web/v1", Commit: "c"}
			})), wantStalled("BaseNotFound", one+" was derived from web/v1 at c"+noBase+
			"blueprints.web.v1"+lostHelp+"; bring the tag web/v1"+bringBack+sameBase+ofAPackage)},
		"of another revision than is known, without a commit": {input(untold,
			down("packagevariant-1", 1, published, from("web/v7", ""))),
			wantStalled("BaseNotFound", one+" was derived from web/v7"+noBase+"blueprints.web.v1"+lostHelp+"; bring the tag web/v7"+bringBack+
				sameBase+ofAPackage)},

		"the upstream was published anew, told by its commit": {input(publishedAnew,
			down("packagevariant-1", 1, published, from("web/v1", "commit-1"))), replacing("commit-1", ofAPackage)},
		"the upstream was published anew, the downstream is a draft": {input(publishedAnew,
			down("packagevariant-1", 0, draft, from("web/v1", "commit-1"))), replacing("commit-1", ofADraft)},
		"the upstream was published anew, the downstream is proposed": {input(publishedAnew,
			down("packagevariant-1", 0, isProposed, from("web/v1", "commit-1"))), replacing("commit-1", ofADraft)},
		"the upstream was published anew, and the downstream cloned again": {input(publishedAnew,
			down("packagevariant-1", 1, published, from("web/v1", "commit-9"))),
			wantReady(one + " (Published) is up to date with blueprints.web.v1")},
		"the upstream was published anew, and the lock has no commit": {input(publishedAnew,
			down("packagevariant-1", 0, draft, from("web/v1", ""))),
			wantReady(one + " (Draft) is up to date with blueprints.web.v1")},
		"the upstream was published anew, and its commit is not known": {input(untold,
			down("packagevariant-1", 1, published, from("web/v1", "c"))),
			wantReady(one + " (Published) is up to date with blueprints.web.v1")},
		"the history was rewritten, with the same content": {input(all(publishedAnew, content("t")),
			down("packagevariant-1", 1, published, from("web/v1", "commit-1"), onContent("t"))),
			wantReady(one + " (Published) is up to date with blueprints.web.v1")},
		"the history was rewritten, with another content": {input(all(publishedAnew, content("u")),
			down("packagevariant-1", 1, published, from("web/v1", "commit-1"), onContent("t"))), replacing("commit-1", ofAPackage)},
		"the history was rewritten, and something newer is published": {input(all(publishedAnew, content("t"), second),
			down("packagevariant-1", 1, published, from("web/v1", "commit-1"), onContent("t"))),
			wantPending(one+" is to be upgraded from blueprints.web.v1 to blueprints.web.v2",
				makes("packagevariant-2", "upgrade blueprints.web.v2 (blueprints.web.v1, "+one+")")...)},
		"something newer has the same content": {input(all(second, func(in *Input) { in.Upstream.Tree = "t" }),
			down("packagevariant-1", 1, published, onContent("t"))),
			wantPending(one+" is to be upgraded from blueprints.web.v1 to blueprints.web.v2",
				makes("packagevariant-2", "upgrade blueprints.web.v2 (blueprints.web.v1, "+one+")")...)},
	})
}

// TestBranchesUntold checks what is decided about a branch whose commit Porch does not give.
func TestBranchesUntold(t *testing.T) {
	fromMain := made(revision.Clone, "blueprints.web.main")
	ready := wantReady(one + " (Published) is up to date with blueprints.web.main")
	testDecide(t, map[string]decideCase{
		"the lock is on the branch": {input(all(branch(""), untold),
			down("packagevariant-1", 1, published, from("main", "head"))), ready},
		"the lock is on the tag that the branch is at": {input(all(branch(""), untold),
			down("packagevariant-1", 1, published, from("web/v2", "c"), fromMain)), ready},
		"the lock is on a tag that the branch is not at any more": {input(all(branch(""), untold),
			down("packagevariant-1", 1, published, from("web/v1", "c"), fromMain)), ready},
		"edited after a clone of the branch": {input(all(branch(""), untold),
			down("packagevariant-1", 1, published, from("web/v2", "c"), fromMain),
			down("packagevariant-2", 2, published, from("web/v2", "c"), made(revision.Edit, one))),
			wantReady(two + " (Published) is up to date with blueprints.web.main")},
		"edited after a clone of which nothing is left": {input(all(branch(""), untold),
			down("packagevariant-2", 2, published, from("web/v2", "c"), made(revision.Edit, one))),
			wantReady(two + " (Published) is up to date with blueprints.web.main")},
		"cloned from a revision, then the branch was asked for": {input(all(branch(""), untold),
			down("packagevariant-1", 1, published, from("web/v1", "c"), made(revision.Clone, "blueprints.web.v1"))),
			wantPending(one+" is to be upgraded from blueprints.web.v1 to blueprints.web.main",
				makes("packagevariant-2", "upgrade blueprints.web.main (blueprints.web.v1, "+one+")")...)},
		"cloned from the branch, then the revision was asked for that it was at": {input(untold,
			down("packagevariant-1", 1, published, from("web/v1", "c"), fromMain)),
			wantReady(one + " (Published) is up to date with blueprints.web.v1")},
	})
}
