// SPDX-License-Identifier: Apache-2.0

// Package status is where a fleet stands: what is published of each package, what its blueprint has, and who waits for
// whom. It takes values and computes values; what may be changed here is what counts as waiting, and how it is shown.
package status

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/trace"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Input is what is known of a namespace.
type Input struct {
	*trace.Input
	Namespace string
	// Branch returns the branch that a person merges to publish a draft; nil where drafts have none.
	Branch func(*revision.Revision) string
	// Notes are sentences for people.
	Notes []string
}

// Filter chooses packages. What is empty chooses all.
type Filter struct {
	Set, Wave string
	// Labels selects PackageVariants; nil for all.
	Labels labels.Selector
}

// Status is where a fleet stands.
type Status struct {
	Time metav1.Time `json:"time"`
	// Counts are how many packages are in each state.
	Counts map[State]int `json:"counts"`
	// Sets and Packages are sorted by namespace and name, packages by set and wave before that.
	Sets     []Set     `json:"sets,omitempty"`
	Packages []Package `json:"packages"`
	// Notes are sentences for people.
	Notes []string `json:"notes,omitempty"`
}

// State is where a package stands, in one word.
type State string

// The states, in display order.
const (
	// Stalled waits for a person, because nothing else helps.
	Stalled State = "stalled"
	// Conflicted has a draft with values that both the upstream and someone in the package changed.
	Conflicted State = "conflicted"
	// Unmet lacks what is to be injected.
	Unmet State = "unmet"
	// Draft has a draft that waits to be published.
	Draft State = "draft"
	// Held waits for its wave.
	Held State = "held"
	// Working is under way, or waits for another package.
	Working State = "working"
	// Suspended is suspended by a person.
	Suspended State = "suspended"
	// Behind is on an older revision than the newest of the blueprint, as its PackageVariant asks.
	Behind State = "behind"
	// Newest is published, and on the newest revision of the blueprint.
	Newest State = "newest"
)

// States are all states, in display order.
var States = []State{Stalled, Conflicted, Unmet, Draft, Held, Working, Suspended, Behind, Newest}

// Set is where a set stands.
type Set struct {
	Namespace string       `json:"namespace"`
	Name      string       `json:"name"`
	State     string       `json:"state"`
	Reason    string       `json:"reason,omitempty"`
	Message   string       `json:"message,omitempty"`
	Since     *metav1.Time `json:"since,omitempty"`
	Waves     []Wave       `json:"waves,omitempty"`
}

// Wave is where a wave of a rollout stands.
type Wave struct {
	Name    string      `json:"name"`
	State   string      `json:"state"`
	Since   metav1.Time `json:"since"`
	Message string      `json:"message,omitempty"`
	Targets int         `json:"targets"`
	Reached int         `json:"reached"`
	Failed  int         `json:"failed"`
}

// Package is where a package stands.
type Package struct {
	Namespace string `json:"namespace"`
	// Variant is its PackageVariant, "" if that does not exist yet.
	Variant string `json:"variant,omitempty"`
	Set     string `json:"set,omitempty"`
	Wave    string `json:"wave,omitempty"`
	// Repository and Package are where it is.
	Repository string `json:"repository"`
	Package    string `json:"package"`
	State      State  `json:"state"`
	// Published is the latest published revision, v3, Upstream the revision of the blueprint in it, and Newest the newest
	// one of the blueprint.
	Published string `json:"published,omitempty"`
	Upstream  string `json:"upstream,omitempty"`
	Newest    string `json:"newest,omitempty"`
	Waits     *Wait  `json:"waits,omitempty"`
	// Conflicts are the values of its draft that both sides changed.
	Conflicts []v1alpha1.Conflict `json:"conflicts,omitempty"`
	// Injection says which points of it have to be injected, and are not.
	Injection string `json:"injection,omitempty"`
}

// Wait is what a package waits for.
type Wait struct {
	// For is whom or what it waits for: a person, a wave, or what brings packages to what is asked for.
	For     string       `json:"for"`
	Reason  string       `json:"reason,omitempty"`
	Message string       `json:"message,omitempty"`
	Since   *metav1.Time `json:"since,omitempty"`
	// Draft is the name of a draft, Branch its branch.
	Draft  string `json:"draft,omitempty"`
	Branch string `json:"branch,omitempty"`
}

// aPerson is whom a draft waits for.
const aPerson = "a person"

// Of returns where the packages that a filter chooses stand, and their sets, at a time.
func Of(now time.Time, filter Filter, all ...*Input) *Status {
	s := &Status{Time: metav1.NewTime(now), Counts: map[State]int{}, Packages: []Package{}}
	for _, in := range all {
		s.Notes = append(s.Notes, in.Notes...)
		l := newLooking(in)
		for i := range in.Sets {
			if set := &in.Sets[i]; filter.Labels == nil && (filter.Set == "" || filter.Set == set.Name) {
				s.Sets = append(s.Sets, l.set(set))
				s.Notes = append(s.Notes, Nothing(set)...)
			}
		}
		packages := l.packages(filter.Labels)
		s.Packages = append(s.Packages, slices.DeleteFunc(packages, func(p Package) bool {
			return filter.Set != "" && p.Set != filter.Set || filter.Wave != "" && p.Wave != filter.Wave
		})...)
	}
	s.sort()
	for i := range s.Packages {
		s.Counts[s.Packages[i].State]++
	}
	return s
}

// sort sorts packages by set, by wave in the order of the rollout, and by name; those without a set are last.
func (s *Status) sort() {
	order := map[[3]string]int{}
	for _, set := range s.Sets {
		for i, w := range set.Waves {
			order[[3]string{set.Namespace, set.Name, w.Name}] = i
		}
	}
	slices.SortFunc(s.Packages, func(a, b Package) int {
		if (a.Set == "") != (b.Set == "") {
			return map[bool]int{true: 1, false: -1}[a.Set == ""]
		}
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Set, b.Set),
			order[[3]string{a.Namespace, a.Set, a.Wave}]-order[[3]string{b.Namespace, b.Set, b.Wave}],
			cmp.Compare(a.Repository, b.Repository), cmp.Compare(a.Package, b.Package))
	})
}

// Nothing returns a note for each wave of a set that selects no target, as one whose selector has a wrong name does.
func Nothing(set *v1alpha2.PackageVariantSet) (notes []string) {
	if set.Status.Rollout == nil {
		return nil
	}
	for _, w := range set.Status.Rollout.Waves {
		if w.Targets == 0 && w.Name != v1alpha2.RestWave {
			notes = append(notes, plans.EmptyWave(set.Name, w.Name))
		}
	}
	return notes
}

// looking has what is known of a namespace by package.
type looking struct {
	*Input
	revisions map[revision.Package][]revision.Revision
	waves     map[string]map[string]*v1alpha2.WaveStatus
}

func newLooking(in *Input) *looking {
	l := &looking{Input: in, revisions: map[revision.Package][]revision.Revision{},
		waves: map[string]map[string]*v1alpha2.WaveStatus{}}
	for i := range in.Revisions {
		r := &in.Revisions[i]
		l.revisions[r.Package] = append(l.revisions[r.Package], *r)
	}
	for i := range in.Sets {
		if in.Sets[i].Status.Rollout == nil {
			continue
		}
		waves := map[string]*v1alpha2.WaveStatus{}
		for j := range in.Sets[i].Status.Rollout.Waves {
			waves[in.Sets[i].Status.Rollout.Waves[j].Name] = &in.Sets[i].Status.Rollout.Waves[j]
		}
		l.waves[in.Sets[i].Name] = waves
	}
	return l
}

// set returns where a set stands.
func (l *looking) set(set *v1alpha2.PackageVariantSet) Set {
	n := trace.Stand(l.Input.Input, set.Status.Conditions, set.Generation, set.Status.ObservedGeneration)
	out := Set{Namespace: set.Namespace, Name: set.Name, State: n.State, Reason: n.Reason, Message: n.Message,
		Since: n.Since}
	if set.Status.Rollout == nil {
		return out
	}
	for _, w := range set.Status.Rollout.Waves {
		out.Waves = append(out.Waves, Wave{Name: w.Name, State: string(w.State), Since: w.Since, Message: w.Message,
			Targets: int(w.Targets), Reached: int(w.Reached), Failed: int(w.Failed)})
	}
	return out
}

// packages returns where the packages of the selected variants stand; if all are, also those that sets will make once
// their wave opens.
func (l *looking) packages(selected labels.Selector) (all []Package) {
	known := map[revision.Package]bool{}
	for i := range l.Variants {
		pv := &l.Variants[i]
		if pv.Spec.Downstream != nil {
			known[revision.DownstreamOf(&pv.Spec)] = true
		}
		if selected == nil || selected.Matches(labels.Set(pv.Labels)) {
			all = append(all, l.pkg(pv))
		}
	}
	for i := range l.Sets {
		if selected != nil {
			break
		}
		l.Waves[l.Sets[i].Name].Each(func(of revision.Package, wave string) {
			if w := l.waves[l.Sets[i].Name][wave]; !known[of] && w != nil && w.State == v1alpha2.WavePending {
				all = append(all, Package{Namespace: l.Namespace, Set: l.Sets[i].Name, Wave: wave, Repository: of.Repo,
					Package: of.Name, State: Held, Waits: heldBy(w)})
			}
		})
	}
	return all
}

// heldBy is waiting for a wave.
func heldBy(w *v1alpha2.WaveStatus) *Wait {
	return &Wait{For: "the wave " + w.Name, Reason: plans.WaveNotOpen, Message: w.Message, Since: &w.Since}
}

// pkg returns where the package of a variant stands.
func (l *looking) pkg(pv *v1alpha1.PackageVariant) Package {
	p := Package{Namespace: pv.Namespace, Variant: pv.Name, Set: naming.SetOf(pv), Conflicts: pv.Status.Conflicts}
	p.Wave = l.Waves[p.Set].Of(pv)
	var of []revision.Revision
	if pv.Spec.Downstream != nil {
		pkg := revision.DownstreamOf(&pv.Spec)
		p.Repository, p.Package, of = pkg.Repo, pkg.Name, l.revisions[pkg]
	}
	if latest := revision.LatestPublished(of); latest != nil {
		p.Published = number(latest)
		if latest.Lock != nil {
			p.Upstream = path.Base(latest.Lock.Ref)
		}
	}
	if u := pv.Spec.Upstream; u != nil {
		if newest := revision.LatestPublished(l.revisions[revision.UpstreamOf(u)]); newest != nil {
			p.Newest = number(newest)
		}
	}
	for _, c := range plans.Unmet(pv.Status.Conditions) {
		if c.Type == v1alpha1.ConditionConfigInjected {
			p.Injection = c.Message
		}
	}
	p.State, p.Waits = l.stands(pv, &p, of)
	return p
}

// stands returns the state of a package, and what it waits for.
func (l *looking) stands(pv *v1alpha1.PackageVariant, p *Package, of []revision.Revision) (State, *Wait) {
	n := trace.Stand(l.Input.Input, pv.Status.Conditions, pv.Generation, pv.Status.ObservedGeneration)
	wait := &Wait{For: aPerson, Reason: n.Reason, Message: n.Message, Since: n.Since}
	if d := pv.Status.OpenDraft; d != nil {
		l.addDraft(wait, d, of)
	}
	wave := l.waves[p.Set][p.Wave]
	switch {
	case n.State == v1alpha1.ConditionSuspended:
		return Suspended, wait
	case n.State == v1alpha1.ConditionStalled:
		return Stalled, wait
	case n.State != v1alpha1.ConditionReady:
		wait.For = l.Controller
		return Working, wait
	case len(p.Conflicts) > 0:
		return Conflicted, wait
	case p.Injection != "":
		wait.Reason, wait.Message = v1alpha1.ReasonInjectionUnmet, p.Injection
		return Unmet, wait
	case wait.Draft != "":
		return Draft, wait
	case wave != nil && wave.State == v1alpha2.WavePending && p.Upstream != p.Newest:
		return Held, heldBy(wave)
	case p.Upstream != p.Newest:
		return Behind, nil
	}
	return Newest, nil
}

// addDraft says that a draft waits, since it was made.
func (l *looking) addDraft(wait *Wait, d *v1alpha1.OpenDraft, of []revision.Revision) {
	wait.Draft, wait.Reason, wait.Message = d.Name, d.Reason, d.Message
	for i := range of {
		if of[i].Name != d.Name {
			continue
		}
		if wait.Since = nil; !of[i].Created.IsZero() {
			wait.Since = &metav1.Time{Time: of[i].Created}
		}
		if l.Branch != nil {
			wait.Branch = l.Branch(&of[i])
		}
	}
	if d.Reason == v1alpha1.ReasonGatesNotMet {
		wait.For = "readiness gates"
	}
}

// number returns a revision as people call it.
func number(r *revision.Revision) string { return fmt.Sprintf("v%d", r.Number) }

// Check returns an error for a filter that names what is not there. It suggests another name.
func (f *Filter) Check(all ...*Input) error {
	if f.Set == "" {
		if f.Wave != "" {
			return errors.New("--wave is of a set: name it by --set")
		}
		return nil
	}
	var sets, waves, namespaces []string
	for _, in := range all {
		namespaces = append(namespaces, in.Namespace)
		for i := range in.Sets {
			sets = append(sets, in.Sets[i].Name)
			if in.Sets[i].Name == f.Set && in.Sets[i].Status.Rollout != nil {
				for _, w := range in.Sets[i].Status.Rollout.Waves {
					waves = append(waves, w.Name)
				}
			}
		}
	}
	switch {
	case !slices.Contains(sets, f.Set):
		return naming.NotFound(naming.Set, f.Set, strings.Join(namespaces, ", "), sets)
	case f.Wave == "" || slices.Contains(waves, f.Wave):
		return nil
	}
	return fmt.Errorf("the PackageVariantSet %q has no wave %q: it has %s", f.Set, f.Wave,
		cmp.Or(strings.Join(waves, ", "), "no rollout"))
}
