// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/review"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/status"
	"github.com/package-variants/package-variants/engine/trace"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/local/home"
	"k8s.io/apimachinery/pkg/types"
)

// Words are what the command line of this home calls things.
func (f *Fleet) Words() words.Home {
	return words.Home{Command: "variants", Controller: "variants sync", Packages: "git", Wait: "run variants sync",
		Flags: flagsFor(f.called)}
}

// flagsFor returns how a command is told that the fleet is in a directory; "" if it need not be.
func flagsFor(dir string) string {
	if dir = filepath.Clean(dir); dir == "." {
		return ""
	}
	return " --dir " + words.Quoted(dir)
}

// variantsAt returns the variants whose package a name of the report stands for: REPOSITORY/PATH in a namespace, or
// NAMESPACE/REPOSITORY/PATH.
func (f *Fleet) variantsAt(namespace, name string) (all []v1alpha1.PackageVariant) {
	for _, pv := range f.store.AllVariants() {
		if pv.Spec.Downstream == nil {
			continue
		}
		pkg := revision.DownstreamOf(&pv.Spec).String()
		if pv.Namespace == namespace && pkg == name || pv.Namespace+"/"+pkg == name {
			all = append(all, pv)
		}
	}
	return all
}

// keyOf returns what a name of the report stands for: NAME in a namespace, or NAMESPACE/NAME.
func keyOf(namespace, name string) types.NamespacedName {
	if in, of, given := strings.Cut(name, "/"); given {
		namespace, name = in, of
	}
	return types.NamespacedName{Namespace: namespace, Name: name}
}

// Chosen is a variant that a name stands for. Draft is the one that was named; "" if the variant was.
type Chosen struct {
	*v1alpha1.PackageVariant
	Draft string
}

// Choose returns the variant that a name of the report stands for: that of a package, its own, or that of its draft.
func (f *Fleet) Choose(ctx context.Context, namespace, name string) (Chosen, error) {
	key := keyOf(namespace, name)
	pv, err := f.store.Variant(ctx, key.Namespace, key.Name)
	if err != nil {
		return Chosen{}, err
	}
	all := f.variantsAt(namespace, name)
	if pv != nil {
		all = append(all, *pv)
	}
	switch len(all) {
	case 0:
		return f.chooseDraft(ctx, namespace, name)
	case 1:
		return Chosen{&all[0], ""}, nil
	}
	var names []string
	for i := range all {
		names = append(names, objects.KeyOf(&all[i]).String())
	}
	return Chosen{}, fmt.Errorf("%s stands for several variants: name one of %s, with --namespace", name,
		strings.Join(names, ", "))
}

// chooseDraft returns the variant of a draft that is named.
func (f *Fleet) chooseDraft(ctx context.Context, namespace, name string) (Chosen, error) {
	key := keyOf(namespace, name)
	r, err := f.home.Get(ctx, key.Namespace, key.Name)
	if errors.Is(err, packages.ErrAbsent) {
		return Chosen{}, f.notFound(namespace, name)
	}
	if err != nil {
		return Chosen{}, err
	}
	for _, owner := range variantsOf(key.Namespace, r.Owners) {
		pv, err := f.store.Variant(ctx, owner.Namespace, owner.Name)
		switch {
		case err != nil:
			return Chosen{}, err
		case pv != nil && r.Open():
			return Chosen{pv, r.Name}, nil
		case pv != nil:
			return Chosen{}, fmt.Errorf("%s is published already: name a draft, or its variant %s", r.Name, owner.Name)
		}
	}
	return Chosen{}, fmt.Errorf("%s is no draft of this fleet, because none of its variants owns it: merge or remove the "+
		"branch %s in git", r.Name, f.home.BranchesOf(&r).Branch)
}

// notFound returns the error for a name that stands for nothing.
func (f *Fleet) notFound(namespace, name string) error {
	key := keyOf(namespace, name)
	var variants, all []string
	for _, pv := range f.store.AllVariants() {
		if pv.Namespace == key.Namespace {
			variants = append(variants, pv.Name)
		}
		if pv.Namespace == namespace && pv.Spec.Downstream != nil {
			all = append(all, revision.DownstreamOf(&pv.Spec).String())
		}
	}
	if key.Namespace != namespace && len(variants) == 0 { // it is no namespace
		return naming.NotFound(naming.Package, name, namespace, all)
	}
	return naming.NotFound(naming.Variant, key.Name, key.Namespace, variants)
}

// Fetch reads where the branches and tags of the packages are.
func (f *Fleet) Fetch(ctx context.Context) error { return f.home.Fetch(ctx) }

// Revisions returns all package revisions of a namespace.
func (f *Fleet) Revisions(ctx context.Context, namespace string) ([]revision.Revision, error) {
	return f.home.Find(ctx, namespace, packages.All, "")
}

// Files returns the files of a package revision.
func (f *Fleet) Files(ctx context.Context, namespace, name string) (map[string]string, error) {
	content, err := f.home.Read(ctx, namespace, name)
	return content.Files, err
}

// Input returns what is known of a variant for a review of its drafts.
func (f *Fleet) Input(ctx context.Context, pv *v1alpha1.PackageVariant) (*review.Input, error) {
	revisions, err := f.Revisions(ctx, pv.Namespace)
	if err != nil {
		return nil, err
	}
	in := &review.Input{Home: f.Words(), Variant: pv, Revisions: revisions,
		Repositories: map[string]revision.Repository{}}
	all, err := f.store.Repositories(ctx, pv.Namespace)
	for i := range all {
		in.Repositories[all[i].Name] = all[i].Repository
	}
	return in, errors.Join(err, in.Read(func(name string) (map[string]string, error) {
		return f.Files(ctx, pv.Namespace, name)
	}))
}

// OfSet returns what is known of the variants of a set.
func (f *Fleet) OfSet(ctx context.Context, namespace, name string) (*review.Fleet, error) {
	all, err := f.store.Sets(ctx, namespace)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range all {
		names = append(names, all[i].Name)
	}
	if !slices.Contains(names, name) {
		return nil, naming.NotFound(naming.Set, name, namespace, names)
	}
	of := &review.Fleet{Labels: map[string]map[string]string{},
		Files: func(name string) (map[string]string, error) { return f.Files(ctx, namespace, name) }}
	for _, pv := range f.store.AllVariants() {
		if pv.Namespace == namespace && naming.SetOf(&pv) == name {
			of.Variants = append(of.Variants, pv)
		}
	}
	repositories, err := f.store.Repositories(ctx, namespace)
	if err != nil {
		return nil, err
	}
	for i := range repositories {
		of.Labels[repositories[i].Name] = repositories[i].Labels
	}
	of.Revisions, err = f.Revisions(ctx, namespace)
	return of, err
}

// Approve publishes a draft in memory: Push does the rest.
func (f *Fleet) Approve(ctx context.Context, r *revision.Revision) error {
	return f.home.Publish(ctx, r)
}

// Reject removes a draft in memory: Push does the rest.
func (f *Fleet) Reject(ctx context.Context, r *revision.Revision) error { return f.home.Reject(ctx, r) }

// Push pushes what was approved or rejected, and returns why something was not, by the namespace and name of the draft.
func (f *Fleet) Push(ctx context.Context, of []*revision.Revision) map[types.NamespacedName]error {
	failed := map[types.NamespacedName]error{}
	for _, o := range f.home.Push(ctx) {
		if o.Err != nil {
			failed[types.NamespacedName{Namespace: o.Namespace, Name: o.Name}] = o.Err
		}
	}
	for _, r := range of {
		key := types.NamespacedName{Namespace: r.Namespace, Name: r.Name}
		if refusal, ok := errors.AsType[*home.Refusal](failed[key]); ok && refusal.OfBranch() {
			failed[key] = fmt.Errorf("%w: if only the forge may merge, let it merge the branch %s", refusal,
				f.BranchesOf(r).Branch)
		}
	}
	return failed
}

// Status returns what is known of a namespace, or of all of them if that is "".
func (f *Fleet) Status(ctx context.Context, namespace string) (all []*status.Input, err error) {
	reviewed, untagged, frozen := f.reviewed(f.was.Reviews), f.untagged(ctx), f.frozen()
	names := map[string]bool{}
	for name := range frozen {
		names[name] = true
	}
	for _, pv := range f.store.AllVariants() {
		names[pv.Namespace] = true
	}
	for _, set := range f.store.AllSets() {
		names[set.Namespace] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if namespace != "" && name != namespace {
			continue
		}
		in := &status.Input{Namespace: name, Branch: func(r *revision.Revision) string {
			return cmp.Or(reviewed[types.NamespacedName{Namespace: r.Namespace, Name: r.Name}], f.BranchesOf(r).Branch)
		}}
		in.Notes = slices.Concat(frozen[name], untagged[name])
		if in.Input, err = f.Trace(ctx, name); err != nil {
			return nil, err
		}
		all = append(all, in)
	}
	return all, nil
}

// Trace returns all of a namespace from which trees are made.
func (f *Fleet) Trace(ctx context.Context, namespace string) (*trace.Input, error) {
	in := &trace.Input{Home: f.Words(), Waves: map[string]trace.Waves{}}
	var err error
	if in.Sets, err = f.store.Sets(ctx, namespace); err != nil {
		return nil, err
	}
	for i := range in.Sets {
		in.Waves[in.Sets[i].Name] = f.wavesOf(ctx, &in.Sets[i])
	}
	for _, pv := range f.store.AllVariants() {
		if pv.Namespace == namespace {
			in.Variants = append(in.Variants, pv)
		}
	}
	in.Revisions, err = f.Revisions(ctx, namespace)
	return in, err
}

// wavesOf returns the waves of a set; none if it has no rollout, or cannot be expanded, of which it tells itself.
func (f *Fleet) wavesOf(ctx context.Context, set *v1alpha2.PackageVariantSet) trace.Waves {
	if set.Spec.Rollout == nil {
		return nil
	}
	expanded, err := f.sets().Expand(ctx, set)
	if err != nil {
		return nil
	}
	return trace.NewWaves(expanded.Variants)
}

// Wave is what is known of the drafts of a set, or of one wave of it.
type Wave struct {
	// Whole are the variants whose drafts are as the sync made them, and wait for nothing but a person.
	Whole *review.Fleet
	// Others are the names of the variants whose drafts wait for more.
	Others []string
	// Approval is the value of the annotation that approves the wave; "" if it is to be approved by none.
	Approval string
}

// InWave returns what is known of the drafts of a set, or of those of one wave of it, unless that is "".
func (f *Fleet) InWave(ctx context.Context, namespace, name, wave string) (*Wave, error) {
	of, err := f.OfSet(ctx, namespace, name)
	if err != nil {
		return nil, err
	}
	set, err := f.store.Set(ctx, namespace, name)
	if err != nil {
		return nil, err
	}
	w, waves := &Wave{Whole: of}, f.wavesOf(ctx, set)
	if wave != "" {
		if w.Approval, err = approvalOf(set, wave); err != nil {
			return nil, err
		}
	}
	drafts, err := f.home.OpenDrafts(ctx)
	if err != nil {
		return nil, err
	}
	edited := map[string]bool{}
	for i := range drafts {
		if drafts[i].Namespace == namespace && (drafts[i].Edited || drafts[i].Overtaken) {
			edited[drafts[i].Name] = true
		}
	}
	of.Variants = slices.DeleteFunc(of.Variants, func(pv v1alpha1.PackageVariant) bool {
		waits := pv.Status.OpenDraft
		if waits == nil || wave != "" && waves.Of(&pv) != wave {
			return true
		}
		whole := waits.Reason == v1alpha1.ReasonManualApproval && !edited[waits.Name]
		if !whole {
			w.Others = append(w.Others, pv.Name)
		}
		return !whole
	})
	return w, nil
}

// approvalOf returns the annotation that approves a wave of a set; "" if none is needed.
func approvalOf(set *v1alpha2.PackageVariantSet, wave string) (string, error) {
	if set.Spec.Rollout == nil {
		return "", fmt.Errorf("the PackageVariantSet %s has no spec.rollout, and so no waves: leave --wave out", set.Name)
	}
	names := []string{v1alpha2.RestWave}
	for _, w := range set.Spec.Rollout.Waves {
		if names = append(names, w.Name); w.Name == wave && w.After != nil && w.After.Approval && set.Status.Rollout != nil {
			return wave + "@" + set.Status.Rollout.Revision.Name, nil
		}
	}
	if slices.Contains(names, wave) {
		return "", nil
	}
	return "", fmt.Errorf("the PackageVariantSet %s has no wave %q, but %s", set.Name, wave, words.Some(names, ", "))
}
