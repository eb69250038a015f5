// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/status"
	"github.com/package-variants/package-variants/local/home"
)

// reviewing syncs a fleet whose drafts are reviewed together, and returns what is said of the reviews, and what failed.
func (w *world) reviewing(by string) (said []string) {
	w.Helper()
	var err error
	if w.by, err = ParseReviewBy(by); err != nil {
		w.Fatal(err)
	}
	report, err := Sync(w.Context(), w.options())
	if err != nil {
		w.Fatal(err)
	}
	for i := range report.Reviews {
		r := &report.Reviews[i]
		said = append(said, fmt.Sprintf("%s: %s%s", strings.TrimPrefix(r.PullRequest.Branch, "reviews/default/"),
			r.PullRequest.Title, r.frozen()))
		for _, l := range report.Variants {
			if slices.Contains(r.Drafts, l.Draft) && (l.Review != r.PullRequest.Branch || l.PullRequest != nil) {
				w.Errorf("%s is in %s, and has %q and its own pull request %v", l.Draft, r.PullRequest.Branch, l.Review,
					l.PullRequest)
			}
		}
	}
	for _, note := range report.Notes {
		if strings.HasPrefix(note, "the review ") {
			said = append(said, note)
		}
	}
	return append(said, report.Failures...)
}

// resting has a sync find nothing to do, and say the same.
func (w *world) resting(by string, want []string) {
	w.Helper()
	w.unchanged("a sync with nothing to do", func() { w.Equal("at rest", want, w.reviewing(by)) })
}

// review returns the branch of a review.
func reviewOf(revision, part int) string {
	return fmt.Sprintf("reviews/default/web/all/web-v%d-%d", revision, part)
}

// squash has a person merge a branch as one commit, and delete it.
func (w *world) squash(branch string) {
	w.Helper()
	w.People.Update()
	w.People.Git("checkout", "-q", "-B", "main", "origin/main")
	w.People.Git("merge", "-q", "--squash", "origin/"+branch)
	w.People.Git("commit", "-q", "-m", "Merge by squash")
	w.People.Git("push", "-q", "origin", "HEAD:refs/heads/main", ":refs/heads/"+branch)
}

// branchesOf returns the branches of drafts and reviews.
func (w *world) open() (all []string) {
	w.Helper()
	for _, ref := range w.Refs() {
		for _, kind := range []string{"heads/drafts/", "heads/reviews/default/"} {
			if name, is := strings.CutPrefix(ref, kind); is {
				all = append(all, name)
			}
		}
	}
	return all
}

// merges returns the branch that a person merges to publish the draft of the first package, as the status of the fleet
// says it.
func (w *world) merges() string {
	w.Helper()
	return w.status().Branch(&revision.Revision{Namespace: "default", Name: "s0.web.packagevariant-2"})
}

// status returns what is known of the one namespace of a fleet.
func (w *world) status() *status.Input {
	w.Helper()
	f, err := Open(w.Context(), w.options())
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := f.Fetch(w.Context()); err != nil {
		w.Fatal(err)
	}
	all, err := f.Status(w.Context(), "")
	if err != nil || len(all) != 1 {
		w.Fatal(err, all)
	}
	return all[0]
}

// upgraded returns a fleet of sites that are published, of which the blueprint has a second version.
func upgraded(t *testing.T, n int) *world {
	t.Helper()
	w := sites(t, n, "Automatic")
	w.sync()
	w.Push("main", "Version 2, for people to look at", map[string]string{
		"blueprints/web/settings.yaml": settings("large"),
		"fleet/web.yaml":               strings.Replace(w.Remote.Git("show", "main:fleet/web.yaml"), "Automatic", "Manual", 1),
	}, "HEAD:refs/tags/blueprints/web/v2")
	return w
}

const wholeOfThree = "web/all/web-v2-1: web v1 → v2, wave all: 3 packages"

// TestReview has three drafts be reviewed by one branch, which is made anew for a hotfix and not for other work on the
// main branch; merging it publishes them, and the next version has another one.
func TestReview(t *testing.T) {
	t.Parallel()
	w := upgraded(t, 3)
	w.Equal("the review", []string{wholeOfThree}, w.reviewing("wave"))
	w.Equal("branches", []string{"sites/0/s0/web/packagevariant-2", "sites/0/s1/web/packagevariant-2",
		"sites/0/s2/web/packagevariant-2", "web/all/web-v2-1"}, w.open())
	w.resting("wave", []string{wholeOfThree})
	w.Equal("the branch that a person merges", reviewOf(2, 1), w.merges())
	was := w.Remote.Refs()["refs/heads/"+reviewOf(2, 1)]
	w.Push("main", "Other work", map[string]string{"notes.txt": "nothing of a package\n"})
	w.reviewing("wave")
	w.Equal("beside other work", was, w.Remote.Refs()["refs/heads/"+reviewOf(2, 1)])
	w.Push("main", "Hotfix", map[string]string{"sites/0/s1/web/settings.yaml": strings.Replace(settings("small"), "zone: none",
		"zone: north", 1)})
	w.Equal("beside a hotfix", []string{wholeOfThree}, w.reviewing("wave"))
	w.Equal("with the hotfix", strings.Replace(settings("large"), "zone: none", "zone: north", 1),
		w.Remote.Git("show", reviewOf(2, 1)+":sites/0/s1/web/settings.yaml"))
	w.squash(reviewOf(2, 1))
	w.Equal("merged", []string(nil), w.reviewing("wave"))
	w.Equal("no branch is left", []string(nil), w.open())
	for i, want := range []string{"v2", "v3", "v2"} { // the hotfix was published, too
		w.Equal("published", strings.TrimSpace(w.Remote.Git("rev-parse", fmt.Sprintf("main:sites/0/s%d/web", i))),
			strings.TrimSpace(w.Remote.Git("rev-parse", fmt.Sprintf("sites/0/s%d/web/%s:sites/0/s%d/web", i, want, i))))
	}
	w.resting("wave", nil)
}

// TestReviewLeftOut has people commit to one draft, delete another one, and repair a third one on the main branch.
func TestReviewLeftOut(t *testing.T) {
	t.Parallel()
	w := upgraded(t, 4)
	w.reviewing("wave")
	w.Push("drafts/sites/0/s0/web/packagevariant-2", "A value", map[string]string{"sites/0/s0/web/settings.yaml": strings.Replace(
		settings("large"), "zone: none", "zone: north", 1)})
	w.Remote.Git("update-ref", "-d", "refs/heads/drafts/sites/0/s1/web/packagevariant-2")
	w.Equal("two are left", []string{"web/all/web-v2-1: web v1 → v2, wave all: 2 packages"}, w.reviewing("wave"))
	report, err := Sync(t.Context(), w.options())
	if err != nil {
		t.Fatal(err)
	}
	w.Equal("what people read", "Drafts of the PackageVariantSet `web`, wave `all`. Merging this publishes them, in 2 packages: "+
		"`s2/web, s3/web`.\n\nLeft out: `s0/web`, because `a person has committed to it`.\n\nTo leave a package out, commit to "+
		"its draft, or delete the branch of that, which rejects it. To close this rejects nothing. To see all: `variants diff --names --set web --dir fleet`"+
		"\n\n2 packages, 1 change\n\n<details><summary>Change 1 of <code>s2/web, s3/web</code>, in <code>settings.yaml</code>"+
		"</summary>\n\n```diff\n-   size: small\n+   size: large\n```\n\n</details>\n\n", report.Reviews[0].PullRequest.Body)
	w.Equal("its branches", home.Branches{Repository: w.Remote.Address(), Branch: reviewOf(2, 1), Base: "main"},
		report.Reviews[0].PullRequest.Branches)
	w.Merge(reviewOf(2, 1))
	w.Equal("merged", []string(nil), w.reviewing("wave"))
	w.Equal("the person's draft is left", []string{"sites/0/s0/web/packagevariant-2"}, w.open())
}

// TestReviewClosed has people delete the branch of a review: no draft is rejected, and it does not come again before the
// next version.
func TestReviewClosed(t *testing.T) {
	t.Parallel()
	w := upgraded(t, 2)
	w.reviewing("wave")
	w.Remote.Git("update-ref", "-d", "refs/heads/"+reviewOf(2, 1))
	w.Equal("closed", []string(nil), w.reviewing("wave"))
	w.resting("wave", nil)
	w.Equal("the drafts", []string{"sites/0/s0/web/packagevariant-2", "sites/0/s1/web/packagevariant-2"}, w.open())
	w.Push("main", "Version 3", map[string]string{"blueprints/web/settings.yaml": settings("huge")},
		"HEAD:refs/tags/blueprints/web/v3")
	w.Equal("the next version", []string{"web/all/web-v3-1: web v1 → v3, wave all: 2 packages"}, w.reviewing("wave"))
}

// TestReviewReset has people reset a review to an older one, which is made anew, and to the main branch, which closes it.
func TestReviewReset(t *testing.T) {
	t.Parallel()
	w := upgraded(t, 3)
	w.reviewing("wave")
	ref := "refs/heads/" + reviewOf(2, 1)
	older := w.Remote.Refs()[ref]
	w.Push("main", "Hotfix", map[string]string{"sites/0/s2/web/more.txt": "a file\n"})
	w.reviewing("wave")
	w.Remote.Git("update-ref", ref, strings.TrimSpace(w.Remote.Git("rev-parse", older)))
	w.Equal("an older one", []string{wholeOfThree}, w.reviewing("wave"))
	w.Equal("made anew", "a file\n", w.Remote.Git("show", reviewOf(2, 1)+":sites/0/s2/web/more.txt"))
	w.Remote.Git("update-ref", ref, "refs/heads/main")
	w.Equal("reset", []string{"the review " + reviewOf(2, 1) + " had nothing that is not on the branch main, so it is closed, " +
		"and its branch removed; none of its drafts is rejected"}, w.reviewing("wave"))
	w.Equal("the drafts", 3, len(w.open()))
	w.resting("wave", nil)
}

// TestReviewLeft has a person commit to a review, of which the next version has another one: both are told of, until
// its branch is gone.
func TestReviewLeft(t *testing.T) {
	t.Parallel()
	w := upgraded(t, 3)
	w.reviewing("wave")
	w.Push(reviewOf(2, 1), "A value", map[string]string{"sites/0/s1/web/more.txt": "mine\n"})
	w.Push("main", "Version 3", map[string]string{"blueprints/web/settings.yaml": settings("huge")},
		"HEAD:refs/tags/blueprints/web/v3")
	next := "web/all/web-v3-1: web v1 → v3, wave all: 3 packages"
	w.Equal("both", []string{wholeOfThree + "; it has a person's commit, and its drafts are over: merge it, or remove its " +
		"branch: git push origin --delete " + reviewOf(2, 1), next}, w.reviewing("wave"))
	w.Equal("the status", []string{reviewOf(2, 1) + " (a person has committed to it): web v1 → v2, wave all: 3 packages: " +
		"merge it, or remove its branch: git push origin --delete " + reviewOf(2, 1)}, w.status().Notes)
	w.Remote.Git("update-ref", "-d", "refs/heads/"+reviewOf(2, 1))
	w.Equal("gone", []string{next}, w.reviewing("wave"))
	w.resting("wave", []string{next})
}

// TestReviewInTheWay has a branch keep a review from being made.
func TestReviewInTheWay(t *testing.T) {
	t.Parallel()
	w := upgraded(t, 2)
	w.Remote.Git("update-ref", "refs/heads/reviews", "refs/heads/main")
	w.Equal("in the way", []string{"review " + reviewOf(2, 1) + ": the git repository " + w.Remote.Address() +
		" has refs/heads/reviews, so it cannot have refs/heads/" + reviewOf(2, 1) + ": rename or delete the former"},
		w.reviewing("wave"))
}

// TestReviewEdited has a person commit to a review, which stays as it is then, and merge it: what they wrote is published,
// and no draft of it is left.
func TestReviewEdited(t *testing.T) {
	t.Parallel()
	w := upgraded(t, 3)
	w.reviewing("wave")
	theirs := strings.Replace(settings("large"), "zone: none", "zone: south", 1)
	w.Push(reviewOf(2, 1), "A value", map[string]string{"sites/0/s1/web/settings.yaml": theirs})
	frozen := w.Remote.Refs()["refs/heads/"+reviewOf(2, 1)]
	w.Equal("frozen", []string{wholeOfThree + "; it has a person's commit, so it stays as it is, whatever becomes of its drafts"},
		w.reviewing("wave"))
	w.Push("main", "Hotfix", map[string]string{"sites/0/s2/web/more.txt": "a file\n"})
	w.reviewing("wave")
	w.Equal("it stays", frozen, w.Remote.Refs()["refs/heads/"+reviewOf(2, 1)])
	w.squash(reviewOf(2, 1))
	w.Equal("merged", []string(nil), w.reviewing("wave"))
	w.Equal("no branch is left", []string(nil), w.open())
	w.Equal("what they wrote", theirs, w.Remote.Git("show", "sites/0/s1/web/v2:sites/0/s1/web/settings.yaml"))
	w.resting("wave", nil)
}

// TestReviewRefused has the server refuse reviews, and take them later.
func TestReviewRefused(t *testing.T) {
	t.Parallel()
	w := upgraded(t, 2)
	w.Remote.Hook("update", `case $1 in refs/heads/reviews/*) echo "no reviews"; exit 1;; esac`)
	said := w.reviewing("wave")
	if len(said) != 1 || !strings.Contains(said[0], "review "+reviewOf(2, 1)+": the git repository ") ||
		!strings.Contains(said[0], "no reviews") {
		t.Error(said)
	}
	w.Remote.Hook("update", "exit 0")
	w.Equal("taken", []string{"web/all/web-v2-1: web v1 → v2, wave all: 2 packages"}, w.reviewing("wave"))
	w.resting("wave", []string{"web/all/web-v2-1: web v1 → v2, wave all: 2 packages"})
}

// TestReviewOfWaves has a review for each wave and owner, and refuses names that git does not take.
func TestReviewOfWaves(t *testing.T) {
	t.Parallel()
	w := upgraded(t, 6)
	of := w.Remote.Git("show", "main:fleet/sites.yaml")
	for i := range 6 {
		name := fmt.Sprintf("name: s%d, labels: {role: site", i)
		of = strings.Replace(of, name, fmt.Sprintf("%s, team: t%d, stage: %s", name, i/2%2, []string{"first", "second"}[i/4]), 1)
	}
	rollout := "  rollout: {waves: [{name: first, selector: {matchLabels: {stage: first}}}]}\n"
	w.Push("main", "Waves", map[string]string{"fleet/sites.yaml": of,
		"fleet/web.yaml": w.Remote.Git("show", "main:fleet/web.yaml") + rollout})
	w.Equal("by team", []string{"web/first/t0/web-v2-1: web v1 → v2, wave first, t0: 2 packages",
		"web/first/t1/web-v2-1: web v1 → v2, wave first, t1: 2 packages"}, w.reviewing("wave,label:team"))
	w.Equal("by wave", []string{"web/first/web-v2-1: web v1 → v2, wave first: 4 packages"}, w.reviewing("wave"))
	w.Push("main", "Odd", map[string]string{"fleet/sites.yaml": strings.ReplaceAll(of, "team: t0", "team: t0.lock")})
	w.Equal("a name that git does not take", []string{"web/first/t1/web-v2-1: web v1 → v2, wave first, t1: 2 packages",
		"PackageVariantSet default/web: its drafts cannot be reviewed together, because git takes " +
			"refs/heads/reviews/default/web/first/t0.lock/web-v2-1 for no name of a branch: give the set, the wave or the " +
			"label another name"}, w.reviewing("wave,label:team"))
}

// TestReviewFaults has a server have faults in the life of a review: in the end, all is as if they had not been. A draft
// that is refused is none of the review's, and comes too late for it then.
func TestReviewFaults(t *testing.T) {
	t.Parallel()
	life := []step{
		{"upgrade", func(*world) {}},
		{"hotfix", func(w *world) {
			w.Push("main", "Hotfix", map[string]string{"sites/0/s1/web/more.txt": "a file\n"})
		}},
		{"a draft left out", func(w *world) {
			w.Push("drafts/sites/0/s0/web/packagevariant-2", "A value", map[string]string{"sites/0/s0/web/more.txt": "mine\n"})
		}},
		{"merged", func(w *world) { w.squash(reviewOf(2, 1)) }},
	}
	for _, f := range slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return strings.Contains(f.name, "refused") }) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			w := upgraded(t, 3)
			w.by = &ReviewBy{}
			w.plays(f, life)
		})
	}
}
