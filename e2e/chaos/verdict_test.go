// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// downstreams returns the revisions of all packages but the blueprint, those of a package in the order in which they
// were made, without those that follow a branch.
func (w *world) downstreams(ctx context.Context) ([]porchapi.PackageRevision, error) {
	var list porchapi.PackageRevisionList
	if err := w.Client.List(ctx, &list, client.InNamespace(w.Namespace)); err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(list.Items, func(r porchapi.PackageRevision) bool {
		return r.Spec.RepositoryName == "blueprints" || r.Spec.Revision == -1
	})
	slices.SortFunc(out, func(a, b porchapi.PackageRevision) int {
		return cmp.Or(cmp.Compare(packageOf(&a), packageOf(&b)), cmp.Compare(number(&a), number(&b)))
	})
	return out, nil
}

func packageOf(r *porchapi.PackageRevision) string {
	return r.Spec.RepositoryName + "/" + r.Spec.PackageName
}

// number returns the number of the controller's workspace.
func number(r *porchapi.PackageRevision) (n int) {
	_, _ = fmt.Sscanf(r.Spec.WorkspaceName, "packagevariant-%d", &n)
	return n
}

// settled returns why the fleet is not what it is to be; nil if it is.
func (w *world) settled(p *people) error {
	ctx := w.t.Context()
	var variants v1alpha1.PackageVariantList
	if err := w.Client.List(ctx, &variants, client.InNamespace(w.Namespace)); err != nil {
		return err
	}
	if len(variants.Items) != len(manual)+len(automatic)+3 {
		return fmt.Errorf("there are %d variants", len(variants.Items))
	}
	for _, pv := range variants.Items {
		ready := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady)
		if ready == nil || ready.Status != "True" || ready.ObservedGeneration != pv.Generation {
			return fmt.Errorf("PackageVariant %s is not ready: %+v", pv.Name, ready)
		}
	}
	var fleet v1alpha2.PackageVariantSet
	if err := w.Client.Get(ctx, client.ObjectKey{Namespace: w.Namespace, Name: "fleet"}, &fleet); err != nil {
		return err
	}
	want := fmt.Sprintf("blueprints.web.v%d", p.version)
	if r := fleet.Status.Rollout; r == nil || r.Phase != "Complete" || r.Revision.Name != want {
		return fmt.Errorf("the rollout of %s is not complete: %+v", want, r)
	}
	newest, err := w.newest(ctx)
	if err != nil {
		return err
	}
	for _, r := range newest {
		if !r.IsPublished() {
			return fmt.Errorf("%s is %s", r.Name, r.Spec.Lifecycle)
		}
		if err := w.complete(p, r.Name, r.Spec.PackageName); err != nil {
			return err
		}
	}
	return nil
}

// newest returns the newest revision of each package, by the package.
func (w *world) newest(ctx context.Context) (map[string]porchapi.PackageRevision, error) {
	revisions, err := w.downstreams(ctx)
	newest := map[string]porchapi.PackageRevision{}
	for _, r := range revisions {
		newest[packageOf(&r)] = r
	}
	return newest, err
}

// complete returns what a revision lacks of what it is to have: the newest blueprint, the newest fact, the variant's
// context, and all that people wrote to the package.
func (w *world) complete(p *people, name, pkg string) error {
	var resources porchapi.PackageRevisionResources
	if err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name}, &resources); err != nil {
		return err
	}
	want := map[string]string{
		"settings.yaml": fmt.Sprintf("version: \"%d\"", p.version), "region.yaml": fmt.Sprintf("api: \"%d\"", p.round),
	}
	if context := p.contexts[pkg]; context != "" {
		want["package-context.yaml"] = fmt.Sprintf("round: \"%s\"", context)
	}
	for file, in := range p.written {
		if in == pkg {
			want[file] = "name: " + strings.TrimSuffix(file, ".yaml")
		}
	}
	for _, file := range slices.Sorted(maps.Keys(want)) {
		if !strings.Contains(resources.Spec.Resources[file], want[file]) {
			return fmt.Errorf("%s has not %q in %s:\n%s", name, want[file], file, resources.Spec.Resources[file])
		}
	}
	return nil
}

// judge holds what has to be true of all revisions, whatever happened on the way.
func (w *world) judge(p *people) {
	w.t.Helper()
	revisions, err := w.downstreams(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	before := map[string]map[string]string{} // the files of the revision before, by the package
	for _, r := range revisions {
		if len(r.OwnerReferences) != 1 || !strings.Contains(r.OwnerReferences[0].Name, r.Spec.PackageName) {
			w.t.Errorf("%s is owned by %v", r.Name, r.OwnerReferences)
		}
		if !r.IsPublished() {
			w.t.Errorf("%s is %s, beside what is published", r.Name, r.Spec.Lifecycle)
			continue
		}
		files := w.Files(r.Name)
		if pkg := r.Spec.PackageName; !p.approved[r.Name] {
			if !isAutomatic(pkg) {
				w.t.Errorf("%s was approved by nobody", r.Name)
			}
			if edits := newNotes(before[packageOf(&r)], files); len(edits) > 0 {
				w.t.Errorf("the controller has approved %s, in which people wrote %v", r.Name, edits)
			}
		}
		before[packageOf(&r)] = files
	}
}

// newNotes returns what people wrote between two revisions.
func newNotes(before, after map[string]string) (notes []string) {
	for file := range after {
		if strings.HasPrefix(file, "note-") && before[file] == "" {
			notes = append(notes, file)
		}
	}
	return notes
}
