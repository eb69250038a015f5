// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"cmp"
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/life"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/sets"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/manifests"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	"github.com/package-variants/package-variants/sync-controller/internal/packagevariant"
	"github.com/package-variants/package-variants/sync-controller/internal/packagevariantset"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// maxRounds is how often all sets and variants are looked at, maxLooks how often one variant is looked at in a row:
	// each step of its life takes one look.
	maxRounds, maxLooks = 50, 100
)

// Options say what is planned, and how.
type Options struct {
	// Version identifies the functions.
	Version string
	Runtime mutate.Runtime
	// Diffs asks for diffs of files.
	Diffs bool
	// Rendered reports whether the world runs the pipelines of packages.
	Rendered bool
	// Write is called with the final files of each package revision that is made or changed; nil to skip that.
	Write func(draft types.NamespacedName, files map[string]string) error
	// Deleted are the variants that go with a deleted set, by set.
	Deleted map[types.NamespacedName][]string
	// Progress is called with (done, total) as variants are looked at; nil to skip that.
	Progress func(done, of int)
	// Denied returns an *watches.DeniedError if the controller lacks one of the verbs for the objects of a kind; nil for a
	// controller that may read all kinds.
	Denied func(ctx context.Context, kind objects.Kind, verbs ...string) error
	// Outside is what may change without being named; nil to ignore that.
	Outside *Outside
}

// Indexes adds the indexes that the reconcilers use to a world. Call it before objects are added.
func Indexes(world *memory.World) error {
	for _, add := range []func(client.FieldIndexer) error{
		porch.AddIndexes, manifests.AddIndexes,
	} {
		if err := add(world); err != nil {
			return err
		}
	}
	return nil
}

// planner is a plan in the making.
type planner struct {
	Options
	world    *memory.World
	variants *packagevariant.Planner
	sets     *packagevariantset.Planner

	setRecords map[types.NamespacedName]*setRecord
	records    map[types.NamespacedName]*record
	// follows are the sets and variants that change although they are not named.
	follows followers
}

// record is what the planner knows about a variant.
type record struct {
	key types.NamespacedName
	// before is the variant before the plan, nil if it did not exist; after is its latest state.
	before, after *v1alpha1.PackageVariant
	looks         []*life.Look
	requests      []string
	gone          bool
	err           error
	// waits is why a variant is not created yet, or does not get its spec: the set's wave is not open.
	waits     string
	set, wave string
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
}

// Make returns what the controller would do about sets and variants of a world, and about the variants of those sets.
// It applies the controller's writes to the world. It fails if the world does.
func Make(ctx context.Context, world *memory.World, sets, variants []types.NamespacedName, options Options) (
	*Plan, error) {
	p := newPlanner(world, options)
	for _, key := range sets {
		if err := p.recordSet(ctx, key); err != nil {
			return nil, err
		}
	}
	for _, key := range variants {
		if err := p.record(ctx, key, "", ""); err != nil {
			return nil, err
		}
	}
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	if options.Outside != nil {
		if err := p.follow(ctx); err != nil {
			return nil, err
		}
	}
	return p.plan(ctx)
}

// newPlanner returns a planner over a world, without records.
func newPlanner(world *memory.World, options Options) *planner {
	// The controller reads whole objects to inject them, and only the metadata of those that a set selects.
	world.Writes() // those until now are not the controller's
	injected, selected := sourceOf(world, options.Denied, "list", "get"), sourceOf(world, options.Denied, "list")
	return &planner{
		Options: options, world: world,
		variants:   packagevariant.NewPlanner(world, injected, options.Runtime, options.Version),
		sets:       packagevariantset.NewPlanner(world, selected, options.Runtime, options.Version),
		setRecords: map[types.NamespacedName]*setRecord{}, records: map[types.NamespacedName]*record{},
	}
}

// sourceOf returns the objects of a world that a controller with its rights can read, for which it needs the verbs.
func sourceOf(world *memory.World, denied func(context.Context, objects.Kind, ...string) error,
	verbs ...string) objects.Source {
	return world.Source(world, func(ctx context.Context, kind objects.Kind) error {
		if denied == nil {
			return nil
		}
		return denied(ctx, kind, verbs...)
	})
}

// run looks at all sets and variants until nothing more is written.
func (p *planner) run(ctx context.Context) error {
	for range maxRounds {
		version := p.world.Version()
		for _, s := range sortedSets(p.setRecords) {
			if err := p.lookAtSet(ctx, s); err != nil {
				return err
			}
		}
		all := sortedRecords(p.records)
		for i, r := range all {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := p.lookAt(ctx, r); err != nil {
				return err
			}
			if p.Progress != nil {
				p.Progress(i+1, len(all))
			}
		}
		if p.world.Version() == version {
			return nil
		}
	}
	return nil
}

// variant returns a variant of the world; nil if it does not exist.
func (p *planner) variant(ctx context.Context, key types.NamespacedName) (*v1alpha1.PackageVariant, error) {
	pv := &v1alpha1.PackageVariant{}
	if err := p.world.Get(ctx, key, pv); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return pv, nil
}

// record starts the record of a variant, or adds the set that it belongs to.
func (p *planner) record(ctx context.Context, key types.NamespacedName, set, wave string) error {
	r := p.records[key]
	if r == nil {
		pv, err := p.variant(ctx, key)
		if err != nil {
			return err
		}
		r = &record{key: key, after: pv}
		if pv != nil && pv.Generation > 0 && !isPlanned(pv) {
			r.before = pv
		}
		p.records[key] = r
	}
	r.set, r.wave = cmp.Or(set, r.set), cmp.Or(wave, r.wave)
	return nil
}

// isPlanned reports whether a variant exists only in the plan.
func isPlanned(pv *v1alpha1.PackageVariant) bool { return memory.IsPlanned(pv) }

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
	look, err := p.sets.Reconcile(ctx, s.key)
	s.requests = append(s.requests, p.requests()...)
	s.err = err
	if look != nil {
		s.last = look
		if len(look.Created)+len(look.Updated)+len(look.Deleted) > 0 {
			s.looks = append(s.looks, look)
		}
		if err := p.lookedAtSet(ctx, s, look); err != nil {
			return err
		}
	}
	var set v1alpha2.PackageVariantSet
	if err := p.world.Get(ctx, s.key, &set); client.IgnoreNotFound(err) != nil {
		return err
	} else if err == nil {
		s.after = &set
	}
	return nil
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
		r.waits = "its wave, " + r.wave + ", is not open"
	}
	return nil
}

// lookAt reconciles a variant until it is settled.
func (p *planner) lookAt(ctx context.Context, r *record) error {
	for range maxLooks {
		version := p.world.Version()
		look, err := p.variants.Reconcile(ctx, r.key)
		r.err = err
		r.requests = append(r.requests, p.requests()...)
		if look != nil && (len(look.Decision.Steps) > 0 || len(r.looks) == 0 || r.looks[len(r.looks)-1].Err != nil) {
			r.looks = append(r.looks, look)
		}
		if err != nil || look == nil || p.world.Version() == version || look.Err != nil {
			break
		}
	}
	pv, err := p.variant(ctx, r.key)
	if err != nil {
		return err
	}
	r.gone = pv == nil && r.after != nil // a set may make it again
	if pv != nil {
		r.after = pv
	}
	return nil
}
