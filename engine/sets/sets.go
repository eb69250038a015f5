// SPDX-License-Identifier: Apache-2.0

// Package sets makes the PackageVariants of PackageVariantSets: gather, plan, apply, report (section "The
// controller" of the design).
package sets

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/largework"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"k8s.io/apimachinery/pkg/types"
)

// Ports are what a Reconciler sees and changes the world by.
type Ports struct {
	Packages packages.Home
	Known    packages.Known
	Sets     objects.Sets
	// Selected has the objects that object selectors choose from.
	Selected objects.Source
	// Functions runs the function that expands sets.
	Functions mutate.Runtime
	// Event tells people of something that was done, or that they should know. Its kind is that of an Event. It may be
	// nil.
	Event func(set *v1alpha2.PackageVariantSet, kind, reason, message string)
	// Looked is called with each plan of a set; nil for none.
	Looked func(*Look)
}

// Options are the options of a Reconciler.
type Options struct {
	// Version identifies the rules and the functions. After it changes, each set is expanded once.
	Version string
	// Large limits what is computed at once; nil for no limit.
	Large *largework.Limit
}

// Reconciler makes the PackageVariants of PackageVariantSets.
type Reconciler struct {
	Ports
	Options
	// lacking has the names of the variants that a set wants and that none of its own has, by the key of the set.
	lacking sync.Map
}

// New returns a Reconciler.
func New(ports Ports, options Options) *Reconciler {
	if ports.Event == nil {
		ports.Event = func(*v1alpha2.PackageVariantSet, string, string, string) {}
	}
	return &Reconciler{Ports: ports, Options: options}
}

// Reconcile makes the variants of one set what its spec asks for. The variants of a set that is being deleted are left
// to who owns them then. It returns after how long to look at the set again; 0 to wait for an event.
func (r *Reconciler) Reconcile(ctx context.Context, key types.NamespacedName) (time.Duration, error) {
	set, err := r.Sets.Set(ctx, key.Namespace, key.Name)
	if err != nil {
		return 0, err
	}
	if set == nil || !set.DeletionTimestamp.IsZero() {
		r.Selected.Release(key)
		r.lacking.Delete(key)
		return 0, nil
	}
	o := r.sync(ctx, set)
	if err := errors.Join(o.err, r.report(ctx, set, &o)); err != nil {
		return 0, err
	}
	return o.wait, nil
}

// sync does what the plan says. Nothing is done if the set cannot be expanded.
func (r *Reconciler) sync(ctx context.Context, set *v1alpha2.PackageVariantSet) outcome {
	in, err := r.gather(ctx, set)
	if err != nil {
		return failed(err)
	}
	steps, held, err := r.plan(ctx, set, in)
	if err != nil {
		return unapplied(err)
	}
	if held.reason != v1alpha2.ReasonTooManyDeletions {
		if err := r.writeRollout(ctx, set, in); errors.Is(err, packages.ErrStale) {
			return outcome{err: err} // someone else has changed the set: there is nothing to report
		} else if err != nil {
			return unapplied(err)
		}
	}
	if held.reason == "" {
		r.apply(ctx, set, steps)
	}
	o := judge(in, steps, held)
	r.expose(set, in, steps, held, &o)
	return o
}

// plan plans what to do. For a set whose errorPolicy is Continue, it leaves out what the API server refuses: that is
// tried before anything is written, so a refused variant takes no place in a rollout.
func (r *Reconciler) plan(ctx context.Context, set *v1alpha2.PackageVariantSet, in *input) ([]step, hold, error) {
	tried := map[string]bool{}
	for {
		pairs, err := r.rollOut(ctx, set, in)
		if err != nil {
			return nil, hold{}, err
		}
		steps := in.steps(pairs)
		held := in.hold(steps)
		if held.reason != "" || in.spec.ErrorPolicy != v1alpha2.ErrorPolicyContinue ||
			!in.refuse(r.try(ctx, steps, tried)) {
			return steps, held, nil
		}
	}
}
