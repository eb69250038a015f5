// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/sets"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/functions/version"
	"github.com/package-variants/package-variants/local/home"
	"github.com/package-variants/package-variants/local/ledger"
	"github.com/package-variants/package-variants/local/manifests"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// maxRounds is how often a sync fetches and pushes at most, maxPasses how often it looks at all sets and variants
	// in between.
	maxRounds, maxPasses = 10, 50
	// MaxRemovals is how many variants are removed at once unless more are asked for.
	MaxRemovals = 3
)

// syncer is a sync that is under way.
type syncer struct {
	Options
	*Fleet
	// state is what is to be recorded.
	state *State

	// errs are why variants, sets and revisions are not what they are to be. They are left alone for the rest of the sync
	// if their pushes were refused.
	errs    map[string]error
	refused map[types.NamespacedName]bool
	// replaced are the packages that are left alone, because their branch is another one, and why.
	replaced map[ledger.Key]string
	report   Report
	happened events
	// resuming is held by resume: a set makes its variants side by side.
	resuming sync.Mutex
	// stood are the revisions that were published when the round began.
	stood map[types.NamespacedName]int
	// sharing are the Repositories whose place another one has, and why nothing is done in them.
	sharing map[types.NamespacedName]string
}

// Sync brings the packages of a fleet to what its manifests ask for. The report is of all that was done, also beside
// what failed. The error says why nothing could be done, or why the sync has stopped.
func Sync(ctx context.Context, o Options) (*Report, error) {
	f, err := find(ctx, &o)
	s := &syncer{Options: o, Fleet: f}
	proceeds := false
	if err == nil {
		proceeds, err = s.begin(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if proceeds {
		if err = s.run(ctx); err == nil {
			s.conclude(ctx)
			if s.PullRequests != nil {
				s.keepPullRequests(ctx)
			}
		}
	}
	s.report.warn(f.Close())
	s.report.Packages = s.happened.packages()
	return &s.report, err
}

// begin reads the manifests of the commit, and removes what they do not ask for any more. It reports whether there is
// something to sync.
func (s *syncer) begin(ctx context.Context) (bool, error) {
	files, err := s.where.committed()
	if err != nil {
		return false, err
	}
	outdated, err := s.outdated(ctx, s.Branch)
	if err != nil {
		return false, err
	}
	if outdated != "" {
		s.report.note("nothing was done: %s", outdated)
		return false, nil
	}
	s.contacts.all = true
	s.report.Uncommitted = s.where.uncommitted(files)
	if err := s.read(&s.Options, files); err != nil {
		if errors.Is(err, manifests.ErrNone) && s.report.Uncommitted != "" {
			err = errNoCommit{s.where.dir}
		}
		return false, err
	}
	s.home.TryAgain()
	return true, s.start(ctx, "")
}

// start makes ready what is to be done, and removes the variants that are lost, unless something keeps them.
func (s *syncer) start(ctx context.Context, keeps string) error {
	s.errs, s.happened, s.refused = map[string]error{}, events{}, map[types.NamespacedName]bool{}
	s.store.created = s.resume
	s.state = newState()
	s.state.Commit, s.state.Addresses, s.state.Reviews = s.where.commit, s.addresses, s.was.Reviews
	if keeps != "" {
		s.store.keeps = "nothing is removed, because " + keeps
	}
	for i := range s.manifests.Problems {
		s.report.Failures = append(s.report.Failures, s.manifests.Problems[i].Err.Error())
	}
	if n := len(s.manifests.Packages); n > 0 {
		s.report.note("what is in these directories of %s is no manifest, because they have a Kptfile: %s", s.where.dir,
			words.Some(s.manifests.Packages, ", "))
	}
	s.asleep()
	return s.removeAll(ctx)
}

// removeAll removes the variants that are lost. Those that own no package take nothing with them, and do not count.
func (s *syncer) removeAll(ctx context.Context) error {
	if len(s.lost) == 0 {
		return nil
	}
	var names, owning []string
	own := owners(s.was.Packages)
	for _, pv := range s.lost {
		key := objects.KeyOf(pv)
		if names = append(names, key.String()); own[key] {
			owning = append(owning, key.String())
		}
	}
	if s.store.keeps != "" {
		s.report.note("%s: not in the manifests any more: %s", strings.Join(names, ", "), s.store.keeps)
		return nil
	}
	if most := s.mostRemovals(); len(owning) > most {
		s.report.Failures = append(s.report.Failures, fmt.Sprintf("%d variants are not in the manifests any more, which is "+
			"more than %d, so none of them is removed: %s. If they are to be removed, say --max-removals=%d", len(owning), most,
			strings.Join(owning, ", "), len(owning)))
		return nil
	}
	for _, pv := range s.lost {
		if err := s.store.Delete(ctx, pv); err != nil {
			return err
		}
	}
	return nil
}

// resume gives variants the packages that were there before them: it ends removals of what is asked for again, and
// claims what is to be adopted.
func (s *syncer) resume(ctx context.Context, variants ...v1alpha1.PackageVariant) (err error) {
	s.resuming.Lock()
	defer s.resuming.Unlock()
	s.inherit(ctx, variants)
	for i := range variants {
		if pv := &variants[i]; pv.DeletionTimestamp == nil && pv.Spec.Downstream != nil {
			err = errors.Join(err, s.home.Withdraw(revision.DownstreamOf(&pv.Spec), pv.Namespace,
				revision.Owner{Name: pv.Name, UID: pv.UID}, adopts(pv)))
		}
	}
	return errors.Join(err, s.claim(ctx, variants))
}

// inherit gives variants that adopt what exists the packages of those that are gone, such as the same ones under other
// names.
func (s *syncer) inherit(ctx context.Context, variants []v1alpha1.PackageVariant) {
	for i := range variants {
		pv := &variants[i]
		if !adopts(pv) {
			continue
		}
		s.home.Inherit(pv.Namespace, revision.DownstreamOf(&pv.Spec), revision.Owner{Name: pv.Name, UID: pv.UID},
			func(name string) bool {
				other, err := s.store.Variant(ctx, pv.Namespace, name)
				return err == nil && (other == nil || other.DeletionTimestamp != nil)
			})
	}
}

// run does rounds until nothing is left to do.
func (s *syncer) run(ctx context.Context) error {
	for range maxRounds {
		if err := s.look(ctx); err != nil {
			return err
		}
		err := errors.Join(s.reconcile(ctx), s.endRenewals(ctx))
		for _, left := range s.home.Left() {
			s.report.note("%s", left)
		}
		if err != nil {
			return err
		}
		pushed, err := s.push(ctx)
		if err != nil {
			return err
		}
		if !pushed { // what comes of pushes is known when a round has looked at it
			s.lookAtSets(ctx, s.sets())
			return errors.Join(s.review(ctx), s.record(ctx, false))
		}
	}
	s.report.note("something is left to do after %d rounds: run it again", maxRounds)
	return s.record(ctx, false)
}

// look reads where branches and tags are, and notes what people did.
func (s *syncer) look(ctx context.Context) error {
	if err := s.home.Fetch(ctx); err != nil {
		return err
	}
	settled, err := s.home.Settle(ctx)
	if err != nil {
		return err
	}
	s.happened.add(settled.Events...)
	s.replaced = settled.Replaced
	s.shared()
	return s.resume(ctx, s.store.AllVariants()...)
}

// renew has the draft of a variant made again, if nobody has edited it, and something else is asked for, or published,
// than it was made for.
func (s *syncer) renew(ctx context.Context, pv *v1alpha1.PackageVariant) error {
	if pv.DeletionTimestamp != nil || pv.Spec.Downstream == nil || pv.Spec.Suspend {
		return nil
	}
	asked, err := s.asked(ctx, pv)
	if err != nil {
		return err
	}
	upstream, err := s.upstream(ctx, pv)
	if err != nil {
		return err
	}
	source := ""
	if upstream != nil {
		source = upstream.Name
	}
	name, files, err := s.home.Renew(ctx, pv.Namespace, revision.DownstreamOf(&pv.Spec), asked, source)
	if err != nil || name == "" {
		return err
	}
	return s.store.setStatus(ctx, objects.KeyOf(pv), func(pv *v1alpha1.PackageVariant) {
		// What was merged into it before, and had these conflicts, is not in it any more.
		pv.Status.Conflicts = nil
		if saved := pv.Status.SavedDraft; saved != nil && saved.Name == name { // as far as it goes, the sync wrote it
			pv.Status.SavedDraft = &v1alpha1.SavedDraft{Name: name, Content: kpt.Digest(files)}
		}
	})
}

// endRenewals ends the drafts that were begun again and not saved: their variants need none, or have to wait.
func (s *syncer) endRenewals(ctx context.Context) error {
	for _, key := range s.home.Renewed() {
		isUpToDate := false
		for _, name := range revision.Variants(s.home.Ledger()[key].Owners) {
			pv, err := s.store.Variant(ctx, key.Namespace, name)
			if err != nil {
				return err
			}
			isUpToDate = isUpToDate || pv != nil && meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionReady)
			if pv == nil || isUpToDate {
				continue
			}
			before := s.was.Variants[objects.KeyOf(pv)].Status
			err = s.store.setStatus(ctx, objects.KeyOf(pv), func(pv *v1alpha1.PackageVariant) {
				pv.Status.SavedDraft = before.SavedDraft
				had := slices.DeleteFunc(slices.Clone(before.Conflicts), func(c v1alpha1.Conflict) bool {
					return c.PendingMerge != ""
				})
				pv.Status.Conflicts = append(had, pv.Status.Conflicts...)
			})
			if err != nil {
				return err
			}
		}
		s.home.EndRenewal(key, isUpToDate)
	}
	return nil
}

// packages returns the home of the packages, as variants have it.
func (s *syncer) packages() pipelines {
	return pipelines{s.home, s.kpt, s.home.RejectedOf, map[string]string{}}
}

// sets returns a reconciler of sets.
func (f *Fleet) sets() *sets.Reconciler {
	return sets.New(sets.Ports{Packages: f.home, Known: f.home, Sets: f.store, Selected: f.source,
		Functions: mutate.Builtin{}}, sets.Options{Version: f.version()})
}

// outcome notes what came of a look, and reports whether it has to be done again at once.
func (s *syncer) outcome(of string, wait time.Duration, err error) (again bool) {
	switch {
	case errors.Is(err, packages.ErrStale):
		return true
	case err != nil:
		s.errs[of] = err
	case wait == 0:
		delete(s.errs, of)
	}
	return false
}

// push pushes what was written, after it was announced, and reports whether there is something to go on with: not if
// all was refused.
func (s *syncer) push(ctx context.Context) (on bool, err error) {
	if !s.home.Unpushed() {
		return false, nil
	}
	if err := s.record(ctx, true); err != nil {
		return false, err
	}
	known := s.home.Ledger()
	for _, o := range s.home.Push(ctx) {
		id := o.Namespace + "/" + o.Name
		s.happened.add(o.Events...)
		if refusal, ok := errors.AsType[*home.Refusal](o.Err); ok && refusal.Merge { // the home has noted it
			o.Err = &packages.Error{Kind: packages.ErrStale, Err: refusal}
		}
		if o.Err != nil {
			if err := s.unpush(ctx, id, known[o.Key].Owners, o.Err); err != nil {
				return false, err
			}
		}
		on = on || errors.Is(o.Err, packages.ErrStale) || !errors.Is(o.Err, packages.ErrRefused)
	}
	return on, ctx.Err()
}

// unpush takes back what was reported of a revision that could not be pushed, for this reason. These own its package.
func (s *syncer) unpush(ctx context.Context, id string, owners []metav1.OwnerReference, reason error) error {
	namespace, _, _ := strings.Cut(id, "/")
	of := variantsOf(namespace, owners)
	for _, key := range of {
		if err := s.takeBack(ctx, key, reason); err != nil {
			return err
		}
	}
	if len(of) == 0 && !errors.Is(reason, packages.ErrStale) {
		s.errs["package revision "+id] = reason
	}
	return nil
}

// takeBack gives a variant the status that it had before what could not be pushed.
func (s *syncer) takeBack(ctx context.Context, key types.NamespacedName, err error) error {
	if errors.Is(err, packages.ErrStale) { // it is decided again
		return s.store.setStatus(ctx, key, func(pv *v1alpha1.PackageVariant) { pv.Status = s.recorded(key) })
	}
	s.refused[key] = true
	condition := v1alpha1.Reconciling(v1alpha1.ReasonRepositoryNotReady, err.Error())
	if errors.Is(err, packages.ErrRefused) {
		condition = v1alpha1.Stalled(v1alpha1.ReasonPushRefused, err.Error())
	} else {
		s.errs[variantKind+" "+key.String()] = err
	}
	return s.store.setStatus(ctx, key, func(pv *v1alpha1.PackageVariant) {
		pv.Status = s.recorded(key)
		pv.Status.ObservedInputs = ""
		condition.Set(&pv.Status.Conditions, pv.Generation)
	})
}

// recorded returns the status of a variant that was recorded last.
func (s *syncer) recorded(key types.NamespacedName) v1alpha1.PackageVariantStatus {
	before := s.was.Variants[key]
	return *before.Status.DeepCopy()
}

// record records the state. Before the pushes, variants have the statuses that announce them, or else those that they
// had: what a status reports has happened. A publication needs no announcement, since it shows on its branch.
func (s *syncer) record(ctx context.Context, announce bool) error {
	now := newState()
	now.Commit, now.Addresses = s.state.Commit, s.state.Addresses
	for _, set := range s.store.AllSets() {
		key := objects.KeyOf(&set)
		if announce { // what a set says of its variants may not happen; which waves it opens, has to be known before
			rollout := set.Status.Rollout
			before := s.was.Sets[key]
			set.Status, set.Status.Rollout = before.Status, rollout
		}
		now.Sets[key] = set
	}
	asked := map[ledger.Key]bool{}
	for _, pv := range s.store.AllVariants() {
		key := objects.KeyOf(&pv)
		before := s.was.Variants[key]
		r := RecordedVariant{Manifest: before.Manifest || s.store.places[key] != "", PackageVariant: pv}
		if d := pv.Spec.Downstream; d != nil {
			asked[ledger.KeyOf(pv.Namespace, revision.DownstreamOf(&pv.Spec))] = true
			what, err := s.asked(ctx, &pv)
			if err == nil { // otherwise a Repository is away
				s.home.Asks(pv.Namespace, revision.DownstreamOf(&pv.Spec), what)
			}
		}
		if announce {
			r.Status = before.Status
			if announced, ok := s.store.announced[key]; ok && announced.Operation.Do != v1alpha1.OperationPropose {
				r.Status = announced
			}
		}
		now.Variants[key] = r
	}
	s.home.Prune(func(k ledger.Key) bool { return asked[k] })
	now.Packages = s.home.Ledger()
	if announce {
		now.Packages = s.home.Announcement()
	}
	subject := "Record the sync of " + s.subject()
	if announce {
		subject = "Announce what the sync of " + s.subject() + " pushes"
	}
	now.Seen, now.Same, now.Reviews = s.home.Seen(), s.home.Same(), s.state.Reviews
	if err := s.branch.record(ctx, now, subject); err != nil {
		return err
	}
	s.was = now
	clear(s.store.announced)
	return nil
}

// subject names the fleet in a commit.
func (s *syncer) subject() string {
	if s.where.commit == "" {
		return "/" + s.where.path
	}
	return fmt.Sprintf("/%s at %.10s", s.where.path, s.where.commit)
}

// version identifies this program and how it renders: after a change of it, each variant is looked at once.
func (f *Fleet) version() string {
	if f.kpt != nil {
		return version.Line() + " renders"
	}
	return version.Line()
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
