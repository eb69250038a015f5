// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/changes"
	"github.com/package-variants/package-variants/engine/memory"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/reconcile"
	"github.com/package-variants/package-variants/engine/sets"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// maxRounds is how often all sets and variants are looked at, maxLooks how often one variant is looked at in a row:
	// each step of its life takes one look.
	maxRounds, maxLooks = 50, 100
	// settled keeps a variant settled that another version has settled.
	settled = 1000 * time.Hour
)

// Options say what is planned, and how.
type Options struct {
	// Version identifies the functions.
	Version string
	// Anew has variants looked at that another version has settled, as what carries the plan out does at once.
	Anew    bool
	Runtime mutate.Runtime
	// Files asks for the distinct changes of files.
	Files bool
	// Rendered reports whether the world runs the pipelines of packages.
	Rendered bool
	// Write is called with the final files of each package revision that is made or changed; nil to skip that.
	Write func(draft types.NamespacedName, files map[string]string) error
	// Deleted are the variants that go with a deleted set, by set.
	Deleted map[types.NamespacedName][]string
	// Denied returns an objects.ErrDenied if the controller lacks one of the verbs for the objects of a kind; nil for a
	// controller that may read all kinds.
	Denied func(ctx context.Context, kind objects.Kind, verbs ...string) error
	// MayApprove reports whether the controller may publish drafts in a namespace; nil for one that may.
	MayApprove func(ctx context.Context, namespace string) (bool, error)
	// Others are sets and variants that are not named. They are in the plan if something becomes of them.
	Others Keys
	// Held reports whether a variant is left as it is, and says so in its status; nil if none is.
	Held func(ctx context.Context, variant types.NamespacedName) (bool, error)
	// Waits reports whether an error of a set says only that it waits, which is no failure; nil if none does.
	Waits func(err error) bool
}

// World is what a plan is made over. Its writes are kept in memory.
type World struct {
	*memory.Log
	Packages Packages
	Objects  objects.Sets
	// Source returns the other objects as far as nothing denies them.
	Source func(denied func(context.Context, objects.Kind) error) objects.Source
}

// Packages are the packages of a world.
type Packages interface {
	packages.Home
	packages.Known
	// Original returns the files that a revision had before anything was written to it: those with which it was made, if
	// it did not exist.
	Original(ctx context.Context, namespace, name string) (map[string]string, error)
}

// Of returns a world in memory.
func Of(w *memory.World) World {
	return World{Log: w.Log, Packages: w.Packages, Objects: w.Objects, Source: w.Objects.Source}
}

// Keys are the keys of sets and variants.
type Keys struct{ Sets, Variants []types.NamespacedName }

// planner is a plan in the making.
type planner struct {
	Options
	world    World
	variants *reconcile.Reconciler
	sets     *sets.Reconciler
	// look and setLook are what the last reconcile of a variant and of a set did.
	look    *reconcile.Look
	setLook *sets.Look

	setRecords map[types.NamespacedName]*setRecord
	records    map[types.NamespacedName]*record
	notes      []string
	finder     changes.Finder
	// spread reports whether the plan has several namespaces.
	spread bool
}

// record is what the planner knows about a variant.
type record struct {
	key types.NamespacedName
	// before is the variant before the plan, nil if it did not exist; after is its latest state.
	before, after *v1alpha1.PackageVariant
	looks         []*reconcile.Look
	requests      []string
	gone          bool
	err           error
	// waits is why a variant is not created yet, or does not get its spec: the set's wave is not open.
	waits     string
	set, wave string
	// other reports whether the variant is not named.
	other bool
}

// setRecord is what the planner knows about a set.
type setRecord struct {
	key   types.NamespacedName
	looks []*sets.Look
	last  *sets.Look
	// requests are what the set wrote, except for its status.
	requests []string
	// before are the conditions of the set before the plan, after is its latest state.
	before []metav1.Condition
	after  *v1alpha2.PackageVariantSet
	err    error
	other  bool
}

// Make returns what the controller would do about named sets and variants of a world, about the variants of those sets,
// and about the others. It applies the controller's writes to the world. It fails if the world does.
func Make(ctx context.Context, world World, named Keys, options Options) (*Plan, error) {
	p := newPlanner(world, options)
	if err := p.add(ctx, named); err != nil {
		return nil, err
	}
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	if err := p.addOthers(ctx); err != nil {
		return nil, err
	}
	return p.plan(ctx)
}

// newPlanner returns a planner over a world, without records. A world is what the caches, the API server and the home
// say.
func newPlanner(world World, options Options) *planner {
	world.Writes() // those until now are not the controller's
	within := settled
	if options.Anew {
		within = 0
	}
	p := &planner{Options: options, world: world,
		setRecords: map[types.NamespacedName]*setRecord{}, records: map[types.NamespacedName]*record{}}
	// The controller reads whole objects to inject them, and only the metadata of those that a set selects.
	p.variants = reconcile.New(reconcile.Ports{
		Packages: world.Packages, Known: world.Packages, Variants: world.Objects, Injected: p.source("list", "get"),
		Functions: options.Runtime, MayApprove: options.MayApprove, Looked: func(l *reconcile.Look) { p.look = l },
	}, reconcile.Options{Version: options.Version, LookWithin: within})
	p.sets = sets.New(sets.Ports{
		Packages: world.Packages, Known: world.Packages, Sets: world.Objects, Selected: p.source("list"),
		Functions: options.Runtime, Looked: func(l *sets.Look) { p.setLook = l },
	}, sets.Options{Version: options.Version})
	return p
}

// source returns the objects of the world that the controller can read with its rights, for which it needs the verbs.
func (p *planner) source(verbs ...string) objects.Source {
	return p.world.Source(func(ctx context.Context, kind objects.Kind) error {
		if p.Denied == nil {
			return nil
		}
		return p.Denied(ctx, kind, verbs...)
	})
}

// run looks at all sets and variants until nothing more is written.
func (p *planner) run(ctx context.Context) error {
	for range maxRounds {
		version := p.world.Version()
		for _, s := range sorted(p.setRecords) {
			if err := p.lookAtSet(ctx, s); err != nil {
				return err
			}
		}
		for _, r := range sorted(p.records) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := p.lookAt(ctx, r); err != nil {
				return err
			}
		}
		if p.world.Version() == version {
			return nil
		}
	}
	return nil
}

// record starts the record of a variant, or adds the set that it belongs to.
func (p *planner) record(ctx context.Context, key types.NamespacedName, set, wave string) error {
	r := p.records[key]
	if r == nil {
		pv, err := p.world.Objects.Variant(ctx, key.Namespace, key.Name)
		if err != nil {
			return err
		}
		r = &record{key: key, after: pv}
		if pv != nil && pv.Generation > 0 && !memory.IsPlanned(pv) {
			r.before = pv
		}
		p.records[key] = r
	}
	r.set, r.wave = cmp.Or(set, r.set), cmp.Or(wave, r.wave)
	return nil
}

// lookAtSet reconciles a set, and starts the records of its variants.
func (p *planner) lookAtSet(ctx context.Context, s *setRecord) error {
	owned, err := p.sets.Owned(ctx, s.key)
	if err != nil {
		return err
	}
	for _, name := range owned { // before they change
		if err := p.record(ctx, types.NamespacedName{Namespace: s.key.Namespace, Name: name}, s.key.Name, ""); err != nil {
			return err
		}
	}
	p.setLook = nil
	if _, s.err = p.sets.Reconcile(ctx, s.key); p.Waits != nil && p.Waits(s.err) {
		s.err = nil
	}
	s.requests = append(s.requests, p.requests()...)
	if look := p.setLook; look != nil {
		s.last = look
		if len(look.Created)+len(look.Updated)+len(look.Deleted) > 0 {
			s.looks = append(s.looks, look)
		}
		if err := p.lookedAtSet(ctx, s, look); err != nil {
			return err
		}
	}
	set, err := p.world.Objects.Set(ctx, s.key.Namespace, s.key.Name)
	if set != nil {
		s.after = set
	}
	return err
}

// lookedAtSet records what a look at a set says about its variants.
func (p *planner) lookedAtSet(ctx context.Context, s *setRecord, look *sets.Look) error {
	key := func(name string) types.NamespacedName {
		return types.NamespacedName{Namespace: s.key.Namespace, Name: name}
	}
	if !look.Held {
		for _, name := range look.Created {
			if err := p.record(ctx, key(name), s.key.Name, ""); err != nil {
				return err
			}
		}
	}
	for name, wave := range look.Waves {
		if r := p.records[key(name)]; r != nil && look.Rollout != nil {
			r.wave, r.waits = cmp.Or(wave, v1alpha2.RestWave), ""
		}
	}
	for _, name := range look.HeldBack {
		if err := p.record(ctx, key(name), s.key.Name, cmp.Or(look.Waves[name], v1alpha2.RestWave)); err != nil {
			return err
		}
		r := p.records[key(name)]
		if r.waits = "its wave, " + r.wave + ", is not open"; r.after != nil && r.after.Spec.Suspend {
			r.waits = "it is suspended, and its wave, " + r.wave + ", does not wait for it"
		}
	}
	return nil
}

// lookAt reconciles a variant until it is settled.
func (p *planner) lookAt(ctx context.Context, r *record) error {
	for range maxLooks {
		version := p.world.Version()
		look, err := p.step(ctx, r.key)
		if isStale(look, err) {
			continue
		}
		r.err = err
		r.requests = append(r.requests, p.requests()...)
		if look != nil && (len(look.Decision.Steps) > 0 || len(r.looks) == 0 || r.looks[len(r.looks)-1].Err != nil) {
			r.looks = append(r.looks, look)
		}
		if err != nil || look == nil || p.world.Version() == version || look.Err != nil {
			break
		}
	}
	pv, err := p.world.Objects.Variant(ctx, r.key.Namespace, r.key.Name)
	if err != nil {
		return err
	}
	r.gone = pv == nil && r.after != nil // a set may make it again
	if pv != nil {
		r.after = pv
	}
	return nil
}

// isStale reports whether a look is to be done again at once: what it was over has changed.
func isStale(look *reconcile.Look, err error) bool {
	return errors.Is(err, packages.ErrStale) || look != nil && errors.Is(look.Err, packages.ErrStale)
}

// step does one step for a variant, or reports that there is none, as the controller does. It returns nil if the
// variant is settled, or does not exist.
func (p *planner) step(ctx context.Context, variant types.NamespacedName) (*reconcile.Look, error) {
	p.look = nil
	if p.Held != nil {
		if held, err := p.Held(ctx, variant); held || err != nil {
			return nil, err
		}
	}
	_, _, err := p.variants.Step(ctx, variant)
	if p.look != nil {
		err = nil // the look says why the steps ended
	}
	return p.look, err
}

// requests returns the writes since its last call, in order, without those of statuses.
func (p *planner) requests() []string {
	var out []string
	for _, w := range p.world.Writes() {
		if w.Subresource != "status" {
			out = append(out, w.Request())
		}
	}
	return out
}
