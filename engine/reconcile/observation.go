// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"cmp"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/types"
)

// observation is what is known of a variant before anything is read. It is made by observe, and then only read.
type observation struct {
	decide.Input
	pv *v1alpha1.PackageVariant
	// progress is what was written since the status was.
	progress *progress
	// objects are the versions of the objects that the status says are injected.
	objects []string
	// lookedUp reports whether the home was asked for the revisions that the cache does not have.
	lookedUp bool
}

// inspection is an observation brought up to date, with the results of the functions. It is made by inspect, and then
// only read.
type inspection struct {
	*observation
	// contents are the contents that were read, with the results of the functions, by the name of the revision.
	contents map[string]evaluated
	// injected are the objects that are injected, once a step was done.
	injected []v1alpha1.ObjectReference
}

// copy returns an observation for inspect to bring up to date.
func (o *observation) copy() *observation {
	now := *o
	now.Revisions = slices.Clone(o.Revisions)
	now.Read = decide.Read{Saved: o.Remembered, Mutations: map[string]decide.Mutation{},
		Unusable: map[string]v1alpha1.Condition{}, Merges: map[string]decide.Merge{}}
	return &now
}

// after returns an inspection once the first step of a decision was done, or has failed.
func (in *inspection) after(d *decide.Decision) *inspection {
	o := *in.observation
	o.Memory = remember(&o.pv.Status, o.progress)
	if len(d.Steps) > 0 {
		o.Revisions, o.Saved = slices.DeleteFunc(slices.Clone(o.Revisions), o.progress.removed), o.Remembered
	}
	now := &inspection{observation: &o, contents: in.contents, injected: o.pv.Status.InjectedObjects}
	if len(in.contents) > 0 {
		now.injected, o.objects = injectedObjects(in.contents)
	}
	return now
}

func (o *observation) key() types.NamespacedName { return objects.KeyOf(o.pv) }

// written returns the names of the Repositories that may be written, in a fixed order; none while a guard holds.
func (o *observation) written() []string {
	var names []string
	switch {
	case o.Deleting:
		for _, r := range slices.Concat(o.Revisions, o.OwnedInOtherPackages) {
			names = append(names, r.Package.Repo)
		}
		if d := o.Spec.Downstream; d != nil {
			names = append(names, d.Repo)
		}
	case decide.Guard(&o.Input) == nil:
		names = append(names, o.Spec.Downstream.Repo)
		for _, r := range decide.Obsolete(&o.Input) {
			names = append(names, r.Package.Repo)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// target returns the downstream revision with a name, or nil.
func (o *observation) target(name string) *revision.Revision {
	for i := range o.Revisions {
		if o.Revisions[i].Name == name {
			return &o.Revisions[i]
		}
	}
	return nil
}

// references returns the objects that the status says are injected.
func references(pv *v1alpha1.PackageVariant) []objects.Reference {
	var out []objects.Reference
	for _, o := range pv.Status.InjectedObjects {
		kind := objects.Kind{APIVersion: o.APIVersion, Kind: o.Kind, Namespace: pv.Namespace}
		out = append(out, objects.Reference{Kind: kind, Name: o.Name})
	}
	return out
}

// versions returns the versions of objects, including those that do not exist or cannot be read.
func (r *Reconciler) versions(references []objects.Reference) []string {
	var out []string
	for _, reference := range references {
		version := "none"
		if r.Injected.Problem(reference.Kind) != nil {
			version = "unreadable"
		} else if object := r.Injected.Object(reference.Kind, reference.Name); object != nil {
			version = objects.Version(object)
		}
		out = append(out, cmp.Or(reference.APIVersion, "-")+" "+reference.Kind.Kind+" "+reference.Name+" "+version)
	}
	return out
}

// suspendReason returns why a variant is suspended, from its annotation; "" if it is not.
func suspendReason(pv *v1alpha1.PackageVariant) string {
	if !pv.Spec.Suspend {
		return ""
	}
	return v1alpha1.SuspendReason(pv.Annotations)
}
