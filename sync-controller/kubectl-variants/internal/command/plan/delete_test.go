// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
)

// owned is a set, whose variants are those of ownedVariant.
const owned = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: web, namespace: fleet, uid: s1, resourceVersion: "1", generation: 1}
spec: {upstream: {repo: blueprints, package: web, revision: 1}, targets: [{repositories: [{name: edge-1}]}]}
status: {observedGeneration: 1}
`

// ownedVariant returns a variant of an owner.
func ownedVariant(name, finalizers, uid, policy string) string {
	return `---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata:
  name: ` + name + `
  namespace: fleet
  uid: u-` + name + `
  resourceVersion: "1"
  generation: 1
  finalizers: [` + finalizers + `]
  ownerReferences: [{apiVersion: config.porch.kpt.dev/v1alpha2, kind: PackageVariantSet, name: web, uid: ` + uid + `}]
spec:
  upstream: {repo: blueprints, package: web, revision: 1}
  downstream: {repo: edge-1, package: ` + name + `}
  deletionPolicy: ` + policy + `
status: {observedGeneration: 1}
---
apiVersion: porch.kpt.dev/v1alpha1
kind: PackageRevision
metadata:
  name: edge-1.` + name + `.packagevariant-1
  namespace: fleet
  uid: p-` + name + `
  resourceVersion: "1"
  ownerReferences: [{apiVersion: config.porch.kpt.dev/v1alpha1, kind: PackageVariant, name: ` + name + `, uid: u-` + name + `, controller: true}]
spec: {lifecycle: Draft, packageName: ` + name + `, repository: edge-1, workspaceName: packagevariant-1,
  tasks: [{type: clone, clone: {upstreamRef: {upstreamRef: {name: blueprints.web.v1}}}}]}
---
apiVersion: porch.kpt.dev/v1alpha1
kind: PackageRevisionResources
metadata: {name: edge-1.` + name + `.packagevariant-1, namespace: fleet, resourceVersion: "1"}
spec: {packageName: ` + name + `, repository: edge-1, workspaceName: packagevariant-1, resources: {Kptfile: "{apiVersion: kpt.dev/v1, kind: Kptfile, metadata: {name: x}}"}}
`
}

// TestDeleteSet checks that the variants that a set owns are deleted with it, each by its deletion policy.
func TestDeleteSet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	known, err := os.ReadFile("testdata/snapshot/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const finalizer = "config.porch.kpt.dev/packagevariants"
	snapshot := filepath.Join(dir, "snapshot")
	ofAnother := strings.Replace(ownedVariant("c", finalizer, "s2", "delete"), "status: {observedGeneration: 1}\n", broken, 1)
	for file, text := range map[string]string{"snapshot/cluster.yaml": string(known), "set.yaml": owned,
		"snapshot/owned.yaml": owned + ownedVariant("a", finalizer, "s1", "delete") + ownedVariant("b", finalizer, "s1", "orphan") +
			ofAnother + ownedVariant("d", "", "s1", "delete")} {
		file = filepath.Join(dir, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := run(t, "-f", filepath.Join(dir, "set.yaml"), "--delete", cluster, snapshot, "-o", "json")
	if !errors.Is(err, cli.ErrChanges) {
		t.Errorf("error %v, want that there are changes", err)
	}
	var plan plans.Plan
	if err := json.Unmarshal([]byte(out), &plan); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, s := range plan.Sets {
		got[s.Name] = append(s.Deleted, s.Requests...)
	}
	for i := range plan.Variants {
		v := &plan.Variants[i]
		got[v.Name] = append([]string{string(v.Action), v.Set}, v.Texts()...)
	}
	want := map[string][]string{
		"web": {"a", "b", "d"},
		"a":   {"delete", "web", "delete edge-1.a.packagevariant-1", "let the variant go"},
		"b":   {"delete", "web", "orphan edge-1.b.packagevariant-1", "let the variant go"},
		"c":   {"stalled", ""},
		"d":   {"delete", "web", "the variant goes at once, as it has no finalizer"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

// TestDeleteVariant checks that the requests are the controller's alone: the deletion itself is the user's.
func TestDeleteVariant(t *testing.T) {
	t.Parallel()
	snapshot := snapshotOf(t, ownedVariant("a", "config.porch.kpt.dev/packagevariants", "s1", "delete"))
	file := filepath.Join(t.TempDir(), "manifest.yaml")
	if err := os.WriteFile(file, []byte(variantText("a", "{repo: edge-1, package: a}", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	plan, _ := planOf(t, "-f", file, "--delete", cluster, snapshot)
	if diff := cmp.Diff([]string{"delete packagerevisions", "patch packagevariants"}, plan.Variants[0].Requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestMoved checks that each format for people says what a variant deletes when it goes on with another package.
func TestMoved(t *testing.T) {
	t.Parallel()
	const finalizer = "config.porch.kpt.dev/packagevariants"
	snapshot := snapshotOf(t, ownedVariant("a", finalizer, "s1", "delete"))
	file := filepath.Join(t.TempDir(), "manifest.yaml")
	const moved = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: a}\n" +
		"spec: {upstream: {repo: blueprints, package: web, revision: 1}, downstream: {repo: edge-1, package: b}}\n"
	if err := os.WriteFile(file, []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{
		"text":     "\ncreate, prune  a ",
		"markdown": "#### Look at these first\n\n| action | variant | package | upstream | files | then |\n|---|---|---|---|---|---|\n| **create, prune** | `a` |",
		"html":     `<p><span class="state bad">create, prune</span> <a href=`,
	} {
		out, err := run(t, "-f", file, cluster, snapshot, "-o", format)
		if !errors.Is(err, cli.ErrChanges) {
			t.Fatal(err)
		}
		for _, want := range []string{want, "delete edge-1.a.packagevariant-1"} {
			if strings.Count(out, want) != 1 {
				t.Errorf("%s: there is not one %q in:\n%s", format, want, out)
			}
		}
	}
}
