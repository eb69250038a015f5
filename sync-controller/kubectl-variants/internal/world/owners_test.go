// SPDX-License-Identifier: Apache-2.0

package world

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
)

// TestOwned checks the notes about a variant that a set owns: the set takes back what is done to it.
func TestOwned(t *testing.T) {
	t.Parallel()
	types, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	const set = "---\napiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: shops, namespace: fleet, uid: UID}\n" +
		"spec: {SUSPEND upstream: {repo: blueprints, package: web, revision: 1}, targets: [{repositories: [{name: edge}]}]}\n"
	const owner = "  ownerReferences: [{apiVersion: config.porch.kpt.dev/v1alpha2, kind: PackageVariantSet, name: shops, uid: s1}]\n"
	variant := object(ours, "PackageVariant", "fleet")
	owned := strings.Replace(variant, "  name: one\n", "  name: one\n"+owner, 1)
	running := strings.NewReplacer("UID", "s1", "SUSPEND", "").Replace(set)
	changed := strings.Replace(variant, "revision: 1", "revision: 2", 1)
	const written = "A set owns these PackageVariants, and writes their specs itself: change the set instead: one (of shops)"
	const created = "A set owns these PackageVariants, and creates them again while it targets them: change the set instead: one (of shops)"
	for name, c := range map[string]struct {
		there, manifests, wantApplied, wantDeleted string
	}{
		"another spec":              {running + owned, changed, written, created},
		"the same spec":             {running + owned, variant, "", created},
		"with its set":              {running + owned, variant + running, "", ""},
		"no owner":                  {running + variant, changed, "", ""},
		"a suspended set":           {strings.NewReplacer("UID", "s1", "SUSPEND", "suspend: true,").Replace(set) + owned, changed, "", ""},
		"a set that was made again": {strings.NewReplacer("UID", "s2", "SUSPEND", "").Replace(set) + owned, changed, written, created},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, deletes := range []bool{false, true} {
				w, err := FromFiles(types, fileOf(t, object(ours, "Repository", "fleet")+c.there), nil)
				if err != nil {
					t.Fatal(err)
				}
				manifests, err := snapshot.ReadFiles(types, fileOf(t, c.manifests), true)
				if err != nil {
					t.Fatal(err)
				}
				do, want := Overlay, c.wantApplied
				if deletes {
					do, want = Delete, c.wantDeleted
				}
				named, err := do(t.Context(), w, manifests.Objects, "fleet")
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, strings.Join(named.Notes, "; ")); diff != "" {
					t.Errorf("notes, deletes %t (-want +got):\n%s", deletes, diff)
				}
			}
		})
	}
}
