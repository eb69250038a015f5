// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/life"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Outside is what may change although the plan does not name it.
type Outside struct {
	// Before is the world before the changes. It is planned too where necessary: what the controller does in both worlds
	// is not a consequence of the changes.
	Before *memory.World
	// Sets and Variants are all that may change, with or without those that are named.
	Sets, Variants []types.NamespacedName
}

// followers are the sets and variants that change although they are not named.
type followers struct{ sets, variants map[types.NamespacedName]bool }

// follow looks at the sets and variants outside of the named ones, and keeps the records of those that change.
func (p *planner) follow(ctx context.Context) error {
	named := p.recorded()
	if err := p.add(ctx, p.Outside.Sets, p.Outside.Variants); err != nil {
		return err
	}
	if err := p.run(ctx); err != nil {
		return err
	}
	var err error
	if p.follows, err = p.changed(ctx, named); err != nil {
		return err
	}
	if len(p.follows.sets)+len(p.follows.variants) > 0 {
		if err := p.leaveOutOthers(ctx); err != nil {
			return err
		}
	}
	maps.DeleteFunc(p.setRecords, func(key types.NamespacedName, _ *setRecord) bool {
		return !named.sets[key] && !p.follows.sets[key]
	})
	maps.DeleteFunc(p.records, func(key types.NamespacedName, _ *record) bool {
		return !named.variants[key] && !p.follows.variants[key]
	})
	return nil
}

// recorded returns the sets and variants that have a record.
func (p *planner) recorded() followers {
	out := followers{map[types.NamespacedName]bool{}, map[types.NamespacedName]bool{}}
	for key := range p.setRecords {
		out.sets[key] = true
	}
	for key := range p.records {
		out.variants[key] = true
	}
	return out
}

// changed returns the sets and variants that change, except the named ones.
func (p *planner) changed(ctx context.Context, named followers) (followers, error) {
	out := p.recorded()
	for key, s := range p.setRecords {
		changes, err := p.changesSet(ctx, s)
		if err != nil {
			return out, err
		}
		if named.sets[key] || !changes {
			delete(out.sets, key)
		}
	}
	for key, r := range p.records {
		if named.variants[key] || !r.changes() {
			delete(out.variants, key)
		}
	}
	return out, nil
}

// add starts records of sets and variants that have none yet.
func (p *planner) add(ctx context.Context, sets, variants []types.NamespacedName) error {
	for _, key := range sets {
		if p.setRecords[key] == nil {
			p.setRecords[key] = &setRecord{key: key}
		}
	}
	for _, key := range variants {
		if err := p.record(ctx, key, "", ""); err != nil {
			return err
		}
	}
	return nil
}

// leaveOutOthers removes the followers that change in the same way in the world before.
func (p *planner) leaveOutOthers(ctx context.Context) error {
	options := Options{Version: p.Version, Runtime: p.Runtime, Rendered: p.Rendered, Diffs: true}
	before := newPlanner(p.Outside.Before, options)
	if err := before.add(ctx, p.Outside.Sets, p.Outside.Variants); err != nil {
		return err
	}
	if err := before.run(ctx); err != nil {
		return err
	}
	for key := range p.follows.sets {
		if was := before.setRecords[key]; was != nil && reflect.DeepEqual(before.set(was), p.set(p.setRecords[key])) {
			delete(p.follows.sets, key)
		}
	}
	given := p.Options
	p.Options = options // comparing uses diffs and writes nothing
	defer func() { p.Options = given }()
	for key := range p.follows.variants {
		was := before.records[key]
		if was == nil {
			continue
		}
		a, err := before.describe(ctx, was)
		if err != nil {
			return err
		}
		b, err := p.describe(ctx, p.records[key])
		if err != nil {
			return err
		}
		if reflect.DeepEqual(a, b) {
			delete(p.follows.variants, key)
		}
	}
	return nil
}

// changes reports whether a variant or its condition changes, or whether the variant fails or is held back.
func (r *record) changes() bool {
	return r.err != nil || r.before == nil || r.after == nil || r.gone || r.waits != "" ||
		slices.ContainsFunc(r.looks, func(l *life.Look) bool {
			return l.Err != nil || len(l.Decision.Steps) > 0
		}) ||
		conditionOf(r.before.Status.Conditions) != conditionOf(r.after.Status.Conditions)
}

// changesSet reports whether a set writes variants, or whether its condition changes.
func (p *planner) changesSet(ctx context.Context, s *setRecord) (bool, error) {
	if s.err != nil || len(s.looks) > 0 || s.after == nil {
		return true, nil
	}
	var was v1alpha2.PackageVariantSet
	if err := p.Outside.Before.Get(ctx, s.key, &was); err != nil {
		return true, client.IgnoreNotFound(err)
	}
	return conditionOf(was.Status.Conditions) != conditionOf(s.after.Status.Conditions), nil
}
