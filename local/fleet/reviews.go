// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/markdown"
	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/trace"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/home"
	"github.com/package-variants/package-variants/local/reviews"
	"k8s.io/apimachinery/pkg/types"
)

// ReviewBy says which drafts are shown by one branch.
type ReviewBy struct {
	// Label is the label of Repositories by whose values the drafts of a wave are divided; "" if they are not.
	Label string
}

// ParseReviewBy reads what a flag says: wave, or wave,label:NAME.
func ParseReviewBy(text string) (*ReviewBy, error) {
	wave, label, divided := strings.Cut(text, ",")
	name, isLabel := strings.CutPrefix(label, "label:")
	if wave != "wave" || divided && (!isLabel || name == "") {
		return nil, fmt.Errorf("%q is not a way to put drafts together: it is wave, or wave,label:NAME", text)
	}
	return &ReviewBy{Label: name}, nil
}

// Review is a branch that shows several drafts, for people to merge at once.
type Review struct {
	Namespace string `json:"namespace"`
	Set       string `json:"set"`
	Wave      string `json:"wave"`
	// Drafts are the names of those that it shows; none if they are over.
	Drafts []string `json:"drafts"`
	// Frozen says that a person has committed to the branch, so that it stays as it is.
	Frozen bool `json:"frozen,omitempty"`
	// PullRequest is for the branch.
	PullRequest *PullRequest `json:"pullRequest"`
}

// frozen says that the branch of a review stays as it is.
func (r *Review) frozen() string {
	switch {
	case !r.Frozen:
		return ""
	case len(r.Drafts) == 0:
		return "; it has a person's commit, and its drafts are over: merge it, or remove its branch: git push origin " +
			"--delete " + r.PullRequest.Branch
	}
	return "; it has a person's commit, so it stays as it is, whatever becomes of its drafts"
}

// review brings the branches of reviews to what the drafts are now, when nothing else is left to be pushed.
func (s *syncer) review(ctx context.Context) error {
	s.state.Reviews = s.was.Reviews
	if s.Reviews == nil {
		return nil
	}
	candidates, err := s.candidates(ctx)
	if err != nil {
		return err
	}
	at, fetched, err := s.home.ReviewBranches(ctx, s.was.Reviews)
	if err != nil {
		return err
	}
	steps := reviews.Decide(s.was.Reviews, at, candidates, fetched)
	pushes, err := s.makeReviews(ctx, steps, candidates)
	if err != nil {
		return err
	}
	if s.remember(steps); len(pushes) == 0 {
		return nil
	}
	if err := s.record(ctx, true); err != nil {
		return err
	}
	s.pushReviews(ctx, pushes)
	return ctx.Err()
}

// makeReviews makes the reviews that are to be made, and returns the steps to push.
func (s *syncer) makeReviews(ctx context.Context, steps []reviews.Step, candidates []reviews.Candidate) (
	pushes []reviews.Step, err error) {
	for i := range steps {
		step := &steps[i]
		if step.Do == reviews.Make {
			step.Seen = false
			if step.Tip, err = s.home.PutReview(ctx, &step.Review); err != nil {
				return nil, err
			}
			if step.Body, err = s.bodyOfReview(ctx, &step.Review, candidates); err != nil {
				return nil, err
			}
		}
		if step.Do != reviews.Keep {
			pushes = append(pushes, *step)
		}
	}
	return pushes, nil
}

// pushReviews pushes what was decided on reviews, and notes what has arrived.
func (s *syncer) pushReviews(ctx context.Context, pushes []reviews.Step) {
	refused, arrived := s.home.PushReviews(ctx, pushes), map[string]bool{}
	for i := range pushes {
		ref := pushes[i].Ref()
		if arrived[pushes[i].Repository+ref] = refused[i] == nil; refused[i] != nil {
			s.errs["review "+strings.TrimPrefix(ref, branchPrefix)] = refused[i]
		} else if pushes[i].Do == reviews.End && pushes[i].Closed && !pushes[i].Over {
			s.report.note("the review %s had nothing that is not on the branch %s, so it is closed, and its branch removed; "+
				"none of its drafts is rejected", strings.TrimPrefix(ref, branchPrefix), pushes[i].Base)
		}
	}
	s.state.Reviews = slices.Clone(s.state.Reviews) // what was recorded does not change
	for i := range s.state.Reviews {
		r := &s.state.Reviews[i]
		r.Seen = r.Seen || arrived[r.Repository+r.Ref()]
	}
}

const branchPrefix = "refs/heads/"

// remember keeps the reviews that have members, for the report and for the next sync.
func (s *syncer) remember(steps []reviews.Step) {
	s.state.Reviews = nil
	for i := range steps {
		if len(steps[i].Members) > 0 {
			s.state.Reviews = append(s.state.Reviews, steps[i].Review)
		}
	}
}

// candidates returns the open drafts of sets whose reviews can have a branch.
func (s *syncer) candidates(ctx context.Context) ([]reviews.Candidate, error) {
	drafts, err := s.home.OpenDrafts(ctx)
	if err != nil {
		return nil, err
	}
	open := map[types.NamespacedName]*home.OpenDraft{}
	for i := range drafts {
		open[types.NamespacedName{Namespace: drafts[i].Namespace, Name: drafts[i].Name}] = &drafts[i]
	}
	waves := map[types.NamespacedName]trace.Waves{}
	var all []reviews.Candidate
	for _, pv := range s.store.AllVariants() {
		name, waits := naming.SetOf(&pv), pv.Status.OpenDraft
		if name == "" || waits == nil || pv.Status.Upstream == nil || pv.Spec.Upstream == nil {
			continue
		}
		draft := open[types.NamespacedName{Namespace: pv.Namespace, Name: waits.Name}]
		if draft == nil {
			continue
		}
		of := types.NamespacedName{Namespace: pv.Namespace, Name: name}
		if _, known := waves[of]; !known {
			set, err := s.store.Set(ctx, of.Namespace, of.Name)
			if err != nil {
				return nil, err
			}
			if waves[of] = nil; set != nil {
				waves[of] = s.wavesOf(ctx, set)
			}
		}
		c := s.candidate(ctx, &pv, draft)
		c.Set, c.Wave = name, cmp.Or(waves[of].Of(&pv), reviews.All)
		if ref := c.Ref(1); !git.IsRefName(ref) {
			s.errs[setKind+" "+of.String()] = fmt.Errorf("its drafts cannot be reviewed together, because "+
				"git takes %s for no name of a branch: give the set, the wave or the label another name", ref)
			continue
		}
		all = append(all, c)
	}
	return all, nil
}

// whyAlone says for reasons of drafts that wait why they are looked at for themselves.
var whyAlone = map[string]string{
	v1alpha1.ReasonConflicted:     "the blueprint and the package have both changed a value of it",
	v1alpha1.ReasonInjectionUnmet: "something is to be injected, and is not there",
}

// candidate returns the draft of a variant, which waits, as a review may have it.
func (s *syncer) candidate(ctx context.Context, pv *v1alpha1.PackageVariant, draft *home.OpenDraft) reviews.Candidate {
	c := reviews.Candidate{Member: draft.Member, Group: reviews.Group{
		Repository: draft.Repository, Base: draft.Base, Namespace: pv.Namespace,
		Upstream: revision.UpstreamOf(pv.Spec.Upstream).Name, Revision: numberOf(pv.Status.Upstream.Revision)}}
	switch waits := pv.Status.OpenDraft; {
	case draft.Edited:
		c.Alone = "a person has committed to it"
	case draft.Overtaken:
		c.Alone = "it does not have what is on the branch " + draft.Base
	case waits.Reason != v1alpha1.ReasonManualApproval:
		c.Alone = cmp.Or(whyAlone[waits.Reason], "it waits: "+waits.Reason)
	}
	if label := s.Reviews.Label; label != "" {
		repository, err := s.store.Repository(ctx, pv.Namespace, pv.Spec.Downstream.Repo)
		if err == nil && repository != nil {
			c.Owner = repository.Labels[label]
		}
	}
	found, err := s.home.Find(ctx, pv.Namespace, packages.ByPackage, revision.DownstreamOf(&pv.Spec).String())
	i := slices.IndexFunc(found, func(r revision.Revision) bool { return r.Name == draft.Name })
	switch {
	case c.Alone != "":
	case err != nil || i < 0:
		c.Alone = "it cannot be read"
	default:
		c.Alone = found[i].LeftToPeople
	}
	if last := revision.LatestPublished(found); last != nil && last.Lock != nil {
		c.From = path.Base(last.Lock.Ref)
	}
	return c
}

// numberOf returns a revision as people write it.
func numberOf(revision int) string { return fmt.Sprintf("v%d", revision) }

// reviewed returns the branches by which drafts are reviewed with others.
func (f *Fleet) reviewed(all []reviews.Review) map[types.NamespacedName]string {
	of := map[types.NamespacedName]string{}
	for i := range all {
		if !all[i].IsOpen() || all[i].Over {
			continue
		}
		branch := f.home.BranchesOfReview(&all[i]).Branch
		for j := range all[i].Members {
			m := &all[i].Members[j]
			of[types.NamespacedName{Namespace: m.Namespace, Name: m.Of().NameOf(m.Workspace)}] = branch
		}
	}
	return of
}

// frozen returns what is to be told, by namespace, of reviews to which a person has committed.
func (f *Fleet) frozen() map[string][]string {
	told := map[string][]string{}
	for i := range f.was.Reviews {
		if r := &f.was.Reviews[i]; r.Frozen && r.IsOpen() {
			branch := strings.TrimPrefix(r.Ref(), branchPrefix)
			told[r.Namespace] = append(told[r.Namespace], fmt.Sprintf("%s (a person has committed to it): %s: merge it, or "+
				"remove its branch: git push origin --delete %s", branch, r.Title(), branch))
		}
	}
	return told
}

// tellReviews tells of the reviews.
func (s *syncer) tellReviews() {
	for i := range s.state.Reviews {
		r := &s.state.Reviews[i]
		if !r.IsOpen() {
			continue
		}
		branches := s.home.BranchesOfReview(r)
		told := Review{Namespace: r.Namespace, Set: r.Set, Wave: r.Wave, Drafts: []string{}, Frozen: r.Frozen,
			PullRequest: &PullRequest{Branches: branches, Title: markdown.Title(r.Title()), Body: r.Body, Of: branches.Branch}}
		for j := 0; j < len(r.Members) && !r.Over; j++ {
			m := &r.Members[j]
			told.Drafts = append(told.Drafts, m.Of().NameOf(m.Workspace))
			told.PullRequest.Covers = append(told.PullRequest.Covers, s.home.BranchesOf(&revision.Revision{
				Namespace: m.Namespace, Package: m.Of(), Workspace: m.Workspace}).Branch)
		}
		s.report.Reviews = append(s.report.Reviews, told)
	}
}
