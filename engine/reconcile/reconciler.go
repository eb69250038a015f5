// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/largework"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/ttlcache"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// keptContents is how many upstream contents are kept, each for keptFor: all variants of a fleet want the same one.
const keptContents, keptFor = 16, time.Minute

// Ports are what a Reconciler sees and changes the world by. Those after Functions may be nil.
type Ports struct {
	Packages packages.Home
	Known    packages.Known
	Variants objects.Variants
	// Injected has the objects that are injected into packages.
	Injected objects.Source
	// Functions runs the functions.
	Functions mutate.Runtime
	// Turns says who may write; all may, if it is nil.
	Turns Turns
	// MayApprove asks whether drafts may be published in a namespace; they may, if it is nil.
	MayApprove func(ctx context.Context, namespace string) (bool, error)
	// Event tells people of something that was done, or that they should know. Its kind is that of an Event.
	Event func(pv *v1alpha1.PackageVariant, kind, reason, message string)
	// Stepped is called with each step that was done, or failed, and Evaluated when something has changed for a variant.
	// Looked is called with each look at a variant.
	Stepped   func(*decide.Step, error)
	Evaluated func()
	Looked    func(*Look)
}

// Turns limits how many variants write at a time, for homes of packages that do not bear all writes at once.
type Turns interface {
	// Take reports whether a variant may write to the packages of Repositories now. If not, it is woken when its turn
	// comes. inParts says that the revisions there are saved in parts.
	Take(ctx context.Context, variant types.NamespacedName, repositories []string, inParts bool) (bool, error)
	// Release ends the variant's turn.
	Release(variant types.NamespacedName)
}

// Options are the options of a Reconciler.
type Options struct {
	// Version identifies the rules and the functions. After it changes, each variant is looked at once, all of them within
	// LookWithin.
	Version    string
	LookWithin time.Duration
	// RequestTimeout is how long a call to the home of packages takes at most, and so how long a save may be in progress.
	RequestTimeout time.Duration
	// Patience is for how long a draft that its home does not find is waited for before another is made in its place.
	Patience time.Duration
	// Large limits what is computed at once; nil for no limit.
	Large *largework.Limit
	// Now is the clock; nil for the time of day.
	Now func() time.Time
}

// Reconciler keeps the downstream packages of PackageVariants in step.
type Reconciler struct {
	Ports
	Options
	started    time.Time
	upstream   *ttlcache.Values[upstreamContent]
	progresses *progresses
	backoffs   *backoffs
	absences   *absences
}

// New returns a Reconciler.
func New(ports Ports, options Options) *Reconciler {
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Reconciler{Ports: ports.complete(), Options: options, started: options.Now(),
		upstream:   ttlcache.New[upstreamContent](keptContents, keptFor),
		progresses: newProgresses(options.Now), backoffs: newBackoffs(options.Now),
		absences: newAbsences(options.Patience, options.Now)}
}

// complete returns the ports with something in place of those that are nil.
func (p Ports) complete() Ports {
	if p.Turns == nil {
		p.Turns = alone{}
	}
	if p.MayApprove == nil {
		p.MayApprove = func(context.Context, string) (bool, error) { return true, nil }
	}
	if p.Event == nil {
		p.Event = func(*v1alpha1.PackageVariant, string, string, string) {}
	}
	if p.Stepped == nil {
		p.Stepped = func(*decide.Step, error) {}
	}
	if p.Evaluated == nil {
		p.Evaluated = func() {}
	}
	return p
}

// alone is the turns of variants that are reconciled one after the other.
type alone struct{}

// Take implements Turns.
func (alone) Take(context.Context, types.NamespacedName, []string, bool) (bool, error) {
	return true, nil
}

// Release implements Turns.
func (alone) Release(types.NamespacedName) {}

// affected returns what finds other variants and revisions by the ports.
func (r *Reconciler) affected() *Affected { return &Affected{Variants: r.Variants, Known: r.Known} }

// second returns the time now, as statuses have it: in whole seconds.
func (r *Reconciler) second() metav1.Time { return metav1.Time{Time: r.Now()}.Rfc3339Copy() }
