// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"context"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/engine/reconcile"
	"github.com/package-variants/package-variants/engine/sets"
	"github.com/package-variants/package-variants/engine/words"
	"k8s.io/apimachinery/pkg/types"
)

// add starts the records of sets and variants that have none yet.
func (p *planner) add(ctx context.Context, keys Keys) error {
	for _, key := range keys.Sets {
		if err := p.recordSet(ctx, key); err != nil {
			return err
		}
	}
	for _, key := range keys.Variants {
		if err := p.record(ctx, key, "", ""); err != nil {
			return err
		}
	}
	return nil
}

// addOthers looks at the sets and variants that are not named, and keeps the records of those of which something
// becomes. Where that cannot be told, as the person who plans may not read what it takes, a note says so.
func (p *planner) addOthers(ctx context.Context) error {
	if len(p.Others.Sets)+len(p.Others.Variants) == 0 {
		return nil
	}
	named, variants := maps.Clone(p.setRecords), maps.Clone(p.records)
	if err := p.add(ctx, p.Others); err != nil {
		return err
	}
	if err := p.run(ctx); err != nil {
		return err
	}
	unknown := map[string]bool{}
	maps.DeleteFunc(p.setRecords, func(key types.NamespacedName, s *setRecord) bool {
		if s.other = named[key] == nil; s.other && s.err != nil {
			unknown[key.Name] = true
		}
		return s.other && (s.err != nil || !s.changes())
	})
	maps.DeleteFunc(p.records, func(key types.NamespacedName, r *record) bool {
		if r.other = variants[key] == nil; r.other && r.fails() {
			unknown[key.Name] = true
			return true
		}
		waits := r.waits != "" && p.setRecords[types.NamespacedName{Namespace: key.Namespace, Name: r.set}] != nil
		return r.other && !waits && !r.changes()
	})
	if len(unknown) > 0 {
		p.notes = []string{"The plan cannot tell what becomes of these, which are not named: " +
			words.First(slices.Sorted(maps.Keys(unknown)), maxNames, ", ") + ": name them to see why"}
	}
	return nil
}

// maxNames is the most names in a note.
const maxNames = 10

// changes reports whether a set writes variants, or gets another condition.
func (s *setRecord) changes() bool {
	return s.after == nil || slices.ContainsFunc(s.looks, func(l *sets.Look) bool { return !l.Held }) ||
		conditionOf(s.before) != conditionOf(s.after.Status.Conditions)
}

// fails reports whether it cannot be told what becomes of a variant.
func (r *record) fails() bool {
	return r.err != nil || r.failure() != ""
}

// changes reports whether something is done about a variant, or whether it gets another condition. One that waits for
// its wave does not change.
func (r *record) changes() bool {
	done := func(l *reconcile.Look) bool { return len(l.Decision.Steps) > 0 }
	switch {
	case r.gone, slices.ContainsFunc(r.looks, done):
		return true
	case r.after == nil:
		return r.waits == ""
	}
	return r.before == nil || conditionOf(r.before.Status.Conditions) != conditionOf(r.after.Status.Conditions)
}
