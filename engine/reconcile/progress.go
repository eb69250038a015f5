// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/types"
)

// progress is what the answers to the writes for a variant say, until the caches have it, and until the status says so.
// It is lost when the controller stops: what must not be lost is announced in the status before the write.
type progress struct {
	// uid is that of the variant.
	uid types.UID
	now func() time.Time
	// pv is the variant as it was written last, replaced are the resource versions that it had before. Once it is
	// reported, there is no pv: it is waited for the cache.
	pv       *v1alpha1.PackageVariant
	replaced []string
	// revisions are those that were written, by name, until the cache has another version than those before.
	revisions map[string]written

	unreported
}

// unreported is what the next report writes to the status, or what only counts until then.
type unreported struct {
	// request is the answered request for a draft; zero if there is none. begun is the draft of an upgrade that was made
	// and is not saved yet, with the files of our own merge: Porch's has one answer to a conflict, restores what was
	// removed, and duplicates what was moved, so it is not even read.
	request decide.Request
	begun   *evaluated
	// saved is the draft that only the controller has edited, as it saved it; nil if that is as the status says.
	saved *decide.Saved
	// contents are those of the drafts that were made or saved, by name. saves says how often each was saved, by what for.
	contents map[string]evaluated
	saves    map[string]int
	// rendered is what the home reported of the revisions that were saved, by name.
	rendered map[string]v1alpha1.RenderStatus
	// upstream is the commit of the upstream with a name, as the home told by a draft that it made of it; zero if it told
	// none.
	upstream struct{ name, commit string }
}

// written is a revision that was written.
type written struct {
	pkg revision.Package
	// now is what it is; nil if it is gone.
	now *revision.Revision
	// made reports whether it was made, and the cache may lack it; replaced are the versions that it had before.
	made     bool
	replaced []string
	// at is when it was written.
	at time.Time
}

// progresses has the progress of each variant that has some.
type progresses struct {
	now   func() time.Time
	mu    sync.Mutex
	known map[types.NamespacedName]*progress
}

func newProgresses(now func() time.Time) *progresses {
	return &progresses{now: now, known: map[types.NamespacedName]*progress{}}
}

// of returns the progress of a variant. One variant is worked on by one worker at a time.
func (p *progresses) of(pv *v1alpha1.PackageVariant) *progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := types.NamespacedName{Namespace: pv.Namespace, Name: pv.Name}
	if known := p.known[key]; known != nil && known.uid == pv.UID {
		return known
	}
	p.known[key] = &progress{uid: pv.UID, now: p.now, revisions: map[string]written{}, unreported: noneUnreported()}
	return p.known[key]
}

// end forgets a variant.
func (p *progresses) end(variant types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.known, variant)
}

func noneUnreported() unreported {
	return unreported{contents: map[string]evaluated{}, saves: map[string]int{},
		rendered: map[string]v1alpha1.RenderStatus{}}
}

// latest returns a variant as it was written last, if the cache has it as it was before. It is nil if that is not known
// any more: the cache has to be waited for.
func (p *progress) latest(cached *v1alpha1.PackageVariant) *v1alpha1.PackageVariant {
	switch {
	case !slices.Contains(p.replaced, cached.ResourceVersion):
		p.pv, p.replaced = nil, nil
		return cached
	case p.pv == nil:
		return nil
	default:
		return p.pv.DeepCopy()
	}
}

// wrote notes that a variant was written.
func (p *progress) wrote(before string, now *v1alpha1.PackageVariant) {
	if before != now.ResourceVersion {
		p.replaced = append(p.replaced, before)
	}
	p.pv = now.DeepCopy()
}

// wroteLast reports whether the last write of a variant was the controller's, as far as is known.
func (p *progress) wroteLast(pv *v1alpha1.PackageVariant) bool {
	return p.pv != nil && p.pv.ResourceVersion == pv.ResourceVersion
}

// reported forgets what the status says now.
func (p *progress) reported() { p.unreported, p.pv = noneUnreported(), nil }

// behind reports whether the cache lacks what was written to revisions, as far as is known.
func (p *progress) behind() bool { return len(p.revisions) > 0 }

// withOwnWrites returns revisions from the cache as they were written last. With those of a whole package come those of
// it that were made; else pkg is zero. What the cache does not have in time is not relied on any more: the home
// occasionally loses a write.
func (p *progress) withOwnWrites(cached []revision.Revision, pkg revision.Package) []revision.Revision {
	maps.DeleteFunc(p.revisions, func(_ string, w written) bool { return w.late(p.now()) })
	if len(p.revisions) == 0 {
		return cached
	}
	var out []revision.Revision
	listed := map[string]bool{}
	for _, r := range cached {
		listed[r.Name] = true
		w, known := p.revisions[r.Name]
		switch {
		case !known:
			out = append(out, r)
		case !slices.Contains(w.replaced, r.Version):
			delete(p.revisions, r.Name)
			out = append(out, r)
		case w.now != nil:
			out = append(out, *w.now)
		}
	}
	for name, w := range p.revisions {
		switch {
		case listed[name] || w.pkg != pkg:
		case w.now == nil || !w.made:
			delete(p.revisions, name)
		default:
			out = append(out, *w.now)
		}
	}
	slices.SortFunc(out, revision.ByName)
	return out
}

// late reports whether the cache should have what was written by now.
func (w *written) late(now time.Time) bool { return now.Sub(w.at) >= lookAgain }

// answered notes that a draft was made by a task.
func (p *progress) answered(made *revision.Revision, task revision.Task) {
	now := *made
	p.revisions[made.Name] = written{pkg: made.Package, now: &now, made: true, at: p.now()}
	p.request = decide.Request{Name: made.Name, Task: task, Version: made.Version}
}

// moved notes that a revision was written; now is nil if it is gone.
func (p *progress) moved(before, now *revision.Revision) {
	w := p.revisions[before.Name]
	w.pkg, w.now, w.at = before.Package, now, p.now()
	w.replaced = append(slices.Clip(w.replaced), before.Version)
	p.revisions[before.Name] = w
}

// changed notes that a revision was written, and what that changed in it.
func (p *progress) changed(before *revision.Revision, change func(*revision.Revision)) {
	now := *before
	change(&now)
	p.moved(before, &now)
}

// removed reports whether a revision was removed, and the cache may still have it.
func (p *progress) removed(r revision.Revision) bool {
	w, known := p.revisions[r.Name]
	return known && w.now == nil
}

// forget forgets that a revision was made: the home does not find it.
func (p *progress) forget(name string) { delete(p.revisions, name) }

// kept returns the content of a target that was saved, with what the functions made of it, if it is known to have that
// one still.
func (o *observation) kept(name string) (evaluated, bool) {
	e, known := o.progress.contents[name]
	target := o.target(name)
	return e, known && target != nil && target.Version == e.content.Version
}

// begun returns the draft of an upgrade that was made and is not saved yet; false if it is not as it was made.
func (o *observation) begun(name string) (evaluated, bool) {
	e, target := o.progress.begun, o.target(name)
	if e == nil || target == nil || e.content.Name != name || e.content.Version != target.Version {
		return evaluated{}, false
	}
	return *e, true
}

// purpose identifies what a draft is saved for: how often it was saved counts anew where that changes.
func (o *observation) purpose(name string) string {
	purpose := name + " " + strconv.FormatInt(o.pv.Generation, 10)
	if o.Upstream != nil {
		purpose += " " + o.Upstream.Name + " " + o.Upstream.Version
	}
	return purpose
}
