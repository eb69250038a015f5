// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"fmt"
	"slices"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// refresh replaces what the caches said of the downstream package by what Porch says now, so that no draft is made
// twice. A revision that the status names must be gone for certain: Porch leaves out of its lists what it fails to read.
func (r *Reconciler) refresh(ctx context.Context, s *snapshot) error {
	if s.in.Upstream == nil || r.untouched(s) {
		return nil
	}
	fresh, err := r.porch.Revisions(ctx, s.pv.Namespace, s.downstream())
	if err != nil {
		return err
	}
	for _, target := range s.pv.Status.DownstreamTargets {
		if slices.ContainsFunc(fresh, func(r revision.Revision) bool { return r.Name == target.Name }) {
			continue
		}
		found, err := r.porch.Revision(ctx, s.pv.Namespace, target.Name)
		if err == nil && found.Package == s.downstream() {
			fresh = append(fresh, found)
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	slices.SortFunc(fresh, revision.ByName)
	r.setRevisions(s, fresh)
	return r.gatherBases(ctx, s)
}

// untouched reports whether nothing is known of the downstream package, and nothing was ever tried. If a cache that is
// behind says so, Porch refuses to make the first workspace a second time.
func (r *Reconciler) untouched(s *snapshot) bool {
	return len(s.in.Revisions) == 0 && len(s.owned) == 0 && len(s.pv.Status.DownstreamTargets) == 0 && r.memos.attempt(s.key(), s.downstream()) == ""
}

// evaluate reads the contents of the targets that stand on the upstream asked for, and runs the functions over them.
func (r *Reconciler) evaluate(ctx context.Context, s *snapshot) error {
	if s.in.Upstream == nil || !s.in.Upstream.Published() || s.in.Rival != "" {
		return nil
	}
	for _, target := range decide.Targets(&s.in) {
		_, current := target.Of(s.in.Owner)
		isDraft := target.Lifecycle == porchapi.PackageRevisionLifecycleDraft
		switch {
		case target.Lock == nil, isDraft && !current, target.Lifecycle == porchapi.PackageRevisionLifecycleDeletionProposed:
			continue // decided without the content
		case !isDraft && !decide.OnUpstream(&s.in, &target):
			continue
		}
		content, err := r.porch.Content(ctx, target.Namespace, target.Name)
		if err != nil {
			return err
		}
		if err := r.apply(ctx, s, target.Name, content); err != nil {
			return err
		}
	}
	return nil
}

// apply runs the functions over a content and keeps what they make of it.
func (r *Reconciler) apply(ctx context.Context, s *snapshot, name string, content porch.Content) error {
	out, err := mutate.Apply(ctx, r.runtime, content.Files, mutate.Request{
		Name: s.pv.Name, Namespace: s.pv.Namespace, Spec: s.in.Spec,
		Objects: func(ctx context.Context, candidates []injection.Candidate) ([]map[string]any, error) {
			return r.objects(ctx, s, candidates)
		},
	})
	if err != nil {
		return functionError(name, err)
	}
	s.contents[name] = evaluated{content: content, outcome: out}
	s.in.Mutations[name] = decide.Mutation{Changed: out.Changed(), Unmet: out.Unmet}
	return nil
}

// objects returns those candidates that exist, and watches all of them from now on.
func (r *Reconciler) objects(ctx context.Context, s *snapshot, candidates []injection.Candidate) ([]map[string]any, error) {
	first := len(s.interests)
	for _, c := range candidates {
		kind := objects.Kind{APIVersion: c.APIVersion, Kind: c.Kind, Namespace: s.pv.Namespace}
		s.interests = append(s.interests, objects.Interest{Kind: kind, Names: []string{c.Name}})
	}
	if err := r.watches.Use(ctx, s.key(), s.interests); err != nil {
		return nil, err
	}
	r.memos.interested(s.key(), s.interests)
	s.versions = r.objectVersions(s.key())
	var out []map[string]any
	for _, interest := range s.interests[first:] {
		known := r.watches.Object(interest.Kind, interest.Names[0])
		if known == nil {
			continue
		}
		object, err := r.contents.Read(ctx, interest.Kind, known)
		if apierrors.IsNotFound(err) {
			continue // the watch will tell
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the %s %q to inject: %w", interest.Kind.Kind, known.Name, err)
		}
		out = append(out, object)
	}
	return out, nil
}

// objectVersions returns the versions of the objects that the variant is known to inject.
func (r *Reconciler) objectVersions(key types.NamespacedName) []string {
	var versions []string
	for _, interest := range r.memos.interests(key) {
		version := "none"
		if o := r.watches.Object(interest.Kind, interest.Names[0]); o != nil {
			version = objects.Version(o)
		} else if r.watches.Unknown(interest.Kind) {
			version = "of an unknown kind" // once it is known, it is to be watched
		}
		versions = append(versions, fmt.Sprint(interest, version))
	}
	return versions
}
