// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/sync-controller/internal/functions/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/packagevariant"
	"github.com/package-variants/package-variants/sync-controller/internal/packagevariantset"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// maxRounds is how often all sets and variants are looked at, maxLooks how often a variant is in a row: each of the
	// steps of its life takes one, and most need two.
	maxRounds, maxLooks = 50, 10
)

// Options say what is planned, and how.
type Options struct {
	// Version identifies the functions.
	Version string
	Runtime mutate.Runtime
	// Diffs has the diffs of files written.
	Diffs bool
	// Rendered reports whether the world runs the pipelines of packages.
	Rendered bool
	// Write is given the files of each package revision that is made or changed, as they are then; nil for nobody.
	Write func(draft types.NamespacedName, files map[string]string) error
	// Deleted are the variants that go with a set which is deleted, by the set.
	Deleted map[types.NamespacedName][]string
	// Progress is told of how many of how many variants were looked at; nil for nobody.
	Progress func(done, of int)
}

// Indexes adds to a world the indexes that the reconcilers ask for. It must be called before objects are added.
func Indexes(world *snapshot.World) error {
	for _, add := range []func(client.FieldIndexer) error{
		porch.AddIndexes, packagevariant.Indexes, packagevariantset.Indexes,
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
	world    *snapshot.World
	variants *packagevariant.Planner
	sets     *packagevariantset.Planner

	setRecords map[types.NamespacedName]*setRecord
	records    map[types.NamespacedName]*record
}

// record is what is known of a variant.
type record struct {
	key types.NamespacedName
	// before is the variant as it was, nil if it did not exist; after is as it was seen last.
	before, after *v1alpha1.PackageVariant
	looks         []*packagevariant.Look
	requests      []string
	gone          bool
	err           error
	// waits is why a variant is not made yet, or does not get its spec; the set's wave is not open.
	waits     string
	set, wave string
}

// setRecord is what is known of a set.
type setRecord struct {
	key   types.NamespacedName
	looks []*packagevariantset.Look
	last  *packagevariantset.Look
	after *v1alpha2.PackageVariantSet
	err   error
}

// Make returns what the controller is going to do about sets and variants of a world, and about the variants of those
// sets. All that it would write is written to the world. An error is one of the world.
func Make(ctx context.Context, world *snapshot.World, sets, variants []types.NamespacedName, options Options) (
	*Plan, error) {
	source := objects.NewStatic(func(ctx context.Context, kind objects.Kind) ([]*metav1.PartialObjectMetadata, error) {
		gv, err := schema.ParseGroupVersion(kind.APIVersion)
		if err != nil {
			return nil, err
		}
		return world.Metadata(ctx, gv.WithKind(kind.Kind), kind.Namespace)
	})
	p := &planner{
		Options: options, world: world,
		variants:   packagevariant.NewPlanner(world, source, options.Runtime, options.Version),
		sets:       packagevariantset.NewPlanner(world, source, options.Runtime, options.Version),
		setRecords: map[types.NamespacedName]*setRecord{}, records: map[types.NamespacedName]*record{},
	}
	for _, key := range sets {
		p.setRecords[key] = &setRecord{key: key}
		if err := p.recordDeleted(ctx, p.setRecords[key]); err != nil {
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
	return p.plan(ctx)
}

// run looks at all sets and variants until nothing is written any more.
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

func sortedSets(m map[types.NamespacedName]*setRecord) []*setRecord {
	out := make([]*setRecord, 0, len(m))
	for _, s := range m {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *setRecord) int { return compareKeys(a.key, b.key) })
	return out
}

func sortedRecords(m map[types.NamespacedName]*record) []*record {
	out := make([]*record, 0, len(m))
	for _, r := range m {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *record) int { return compareKeys(a.key, b.key) })
	return out
}

func compareKeys(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// variant returns a variant of the world; nil if there is none.
func (p *planner) variant(ctx context.Context, key types.NamespacedName) (*v1alpha1.PackageVariant, error) {
	pv := &v1alpha1.PackageVariant{}
	if err := p.world.Get(ctx, key, pv); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return pv, nil
}

// record begins to note what becomes of a variant, or notes to which set it belongs.
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

// isPlanned reports whether a variant is not there yet.
func isPlanned(pv *v1alpha1.PackageVariant) bool { return snapshot.IsPlanned(pv) }

// lookAtSet reconciles a set, and begins to note what becomes of its variants.
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
	p.world.Writes() // which are told as what becomes of its variants
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

// lookedAtSet notes what a plan of a set says of its variants.
func (p *planner) lookedAtSet(ctx context.Context, s *setRecord, look *packagevariantset.Look) error {
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
		for _, w := range p.world.Writes() {
			if w.Subresource != "status" {
				r.requests = append(r.requests, strings.TrimSuffix(w.Verb+" "+w.Resource+"/"+w.Subresource, "/"))
			}
		}
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
	if pv == nil {
		r.gone = r.after != nil
		return nil
	}
	r.after = pv
	return nil
}
