// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/ledger"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// asked identifies what a variant asks for: its spec, the upstream revision that this stands for, and the objects that
// are injected.
func (s *syncer) asked(ctx context.Context, pv *v1alpha1.PackageVariant) (string, error) {
	of := []any{pv.Spec}
	upstream, err := s.upstream(ctx, pv)
	if err != nil {
		return "", err
	}
	if upstream != nil {
		of = append(of, upstream.Name, upstream.Version)
	}
	for _, o := range pv.Status.InjectedObjects {
		kind := objects.Kind{APIVersion: o.APIVersion, Kind: o.Kind, Namespace: pv.Namespace}
		if err := s.source.Use(ctx, objects.KeyOf(pv), []objects.Reference{{Kind: kind, Name: o.Name}}); err != nil {
			return "", err
		}
		if found := s.source.Object(kind, o.Name); found != nil {
			of = append(of, o.Name, found.ResourceVersion)
		}
	}
	text, err := json.Marshal(of)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), err
}

// upstream returns the revision that a variant asks for; nil if there is none.
func (s *syncer) upstream(ctx context.Context, pv *v1alpha1.PackageVariant) (*revision.Revision, error) {
	u := pv.Spec.Upstream
	if u == nil {
		return nil, nil
	}
	found, err := s.home.Find(ctx, pv.Namespace, packages.ByPackage, revision.UpstreamOf(u).String())
	if err != nil {
		return nil, err
	}
	i := u.Resolve(revision.Candidates(found))
	if i < 0 {
		return nil, nil
	}
	return &found[i], nil
}

// held reports whether a variant is left as it is, because its manifest is not taken, or because a person removed its
// package, which its status says then. It forgets what a person rejected if something else is asked for.
func (s *syncer) held(ctx context.Context, key types.NamespacedName) (bool, error) {
	pv, err := s.store.Variant(ctx, key.Namespace, key.Name)
	if err != nil || pv == nil || pv.Spec.Downstream == nil {
		return false, err
	}
	if s.store.problemOf(pv) != nil {
		return true, nil
	}
	if shared, err := s.isShared(ctx, pv); shared || err != nil {
		return shared, err
	}
	pkg := revision.DownstreamOf(&pv.Spec)
	if why := s.replaced[ledger.KeyOf(key.Namespace, pkg)]; why != "" {
		return true, s.store.setStatus(ctx, key, func(pv *v1alpha1.PackageVariant) {
			pv.Status.ObservedInputs = ""
			v1alpha1.Stalled(v1alpha1.ReasonRepositoryReplaced, why).Set(&pv.Status.Conditions, pv.Generation)
		})
	}
	if pv.DeletionTimestamp != nil {
		return false, nil
	}
	if r := s.home.RejectedOf(key.Namespace, pkg); r != nil {
		asked, err := s.asked(ctx, pv)
		if err != nil {
			return false, err
		}
		if asked != r.Asked {
			s.home.Forgive(key.Namespace, pkg)
			if err := s.disown(ctx, key, pkg.NameOf(r.Workspace)); err != nil {
				return false, err
			}
		}
	}
	if why := s.away(ctx, pv); why != nil {
		return true, s.leave(ctx, key, why)
	}
	return false, nil
}

// disown says of a variant that a draft is its own no more, because a person rejected it: what is made in its place
// then replaces nothing.
func (s *syncer) disown(ctx context.Context, key types.NamespacedName, draft string) error {
	if _, err := s.home.Get(ctx, key.Namespace, draft); !errors.Is(err, packages.ErrAbsent) {
		return err
	}
	return s.store.setStatus(ctx, key, func(pv *v1alpha1.PackageVariant) {
		pv.Status.OwnedRevisions = slices.DeleteFunc(slices.Clone(pv.Status.OwnedRevisions),
			func(name string) bool { return name == draft })
	})
}

// refusal is the error of a draft that is not made again, because of what was rejected of a package.
func refusal(pkg revision.Package, r *ledger.Rejected) error {
	what := "the branch of its draft %s was removed without a merge: nothing is asked for again until the upstream " +
		"revision, the spec, or an injected object changes; restore the branch to take that back"
	if r.TakenBack {
		what = "%s was taken back, or takes an upgrade back, which is not made again until the upstream revision, the " +
			"spec, or an injected object changes"
	}
	err := fmt.Errorf(what, pkg.NameOf(r.Workspace))
	return &packages.Error{Kind: packages.ErrRefused, Err: err,
		Condition: v1alpha1.Stalled(v1alpha1.ReasonRejected, err.Error())}
}

// away returns what it means that the package of a variant was published, and is not on the branch; nil if it is.
func (s *syncer) away(ctx context.Context, pv *v1alpha1.PackageVariant) *v1alpha1.Condition {
	d, pkg := pv.Status.Downstream, revision.DownstreamOf(&pv.Spec)
	if d == nil || !strings.HasPrefix(d.Name, pkg.NameOf("")) {
		return nil
	}
	return s.home.Away(ctx, pv.Namespace, pkg)
}

// leave says of a variant why it is left as it is. It keeps what was published, by which the next sync knows that.
func (s *syncer) leave(ctx context.Context, key types.NamespacedName, why *v1alpha1.Condition) error {
	return s.store.setStatus(ctx, key, func(pv *v1alpha1.PackageVariant) {
		pv.Status.ObservedGeneration, pv.Status.ObservedInputs, pv.Status.Operation = pv.Generation, "", nil
		why.Set(&pv.Status.Conditions, pv.Generation)
	})
}

// owners returns the variants that own packages.
func owners(of ledger.Ledger) map[types.NamespacedName]bool {
	all := map[types.NamespacedName]bool{}
	for key, e := range of {
		for _, name := range variantsOf(key.Namespace, e.Owners) {
			all[name] = true
		}
	}
	return all
}

// variantsOf returns the variants of a namespace that are owners.
func variantsOf(namespace string, owners []metav1.OwnerReference) (all []types.NamespacedName) {
	for _, name := range revision.Variants(owners) {
		all = append(all, types.NamespacedName{Namespace: namespace, Name: name})
	}
	return all
}
