// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/plans"
)

// emptied is a variant whose draft Porch was asked to make of the published package, and left without any files when
// what it needs was killed.
const emptied = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata:
  name: web
  namespace: fleet
  uid: u1
  resourceVersion: "1"
  generation: 2
  finalizers: [config.porch.kpt.dev/packagevariants]
spec:
  upstream: {repo: blueprints, package: web, revision: 1}
  downstream: {repo: edge-1, package: web}
  packageContext: {data: {zone: a}}
status:
  ownedRevisions: [edge-1.web.packagevariant-1]
  requestedDraft: {repo: edge-1, package: web, workspaceName: packagevariant-2, task: edit, source: edge-1.web.packagevariant-1}
---
apiVersion: porch.kpt.dev/v1alpha1
kind: PackageRevision
metadata:
  name: edge-1.web.packagevariant-1
  namespace: fleet
  uid: p2
  resourceVersion: 3f1c9a7be0d24c5f8a6b1d2e3f4a5b6c7d8e9f0b
  ownerReferences: [{apiVersion: config.porch.kpt.dev/v1alpha1, kind: PackageVariant, name: web, uid: u1, controller: true}]
spec: {lifecycle: Published, packageName: web, repository: edge-1, revision: 1, workspaceName: packagevariant-1}
status:
  upstreamLock: {type: git, git: {repo: "https://git.example.com/blueprints.git", directory: web, ref: web/v1,
    commit: 3f1c9a7be0d24c5f8a6b1d2e3f4a5b6c7d8e9f0a}}
---
apiVersion: porch.kpt.dev/v1alpha1
kind: PackageRevisionResources
metadata: {name: edge-1.web.packagevariant-1, namespace: fleet, resourceVersion: 3f1c9a7be0d24c5f8a6b1d2e3f4a5b6c7d8e9f0b}
spec:
  packageName: web
  repository: edge-1
  workspaceName: packagevariant-1
  resources:
    Kptfile: "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: web}\n"
    package-context.yaml: |
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: kptfile.kpt.dev}
      data: {name: web}
---
apiVersion: porch.kpt.dev/v1alpha1
kind: PackageRevision
metadata:
  name: edge-1.web.packagevariant-2
  namespace: fleet
  uid: p3
  resourceVersion: 3f1c9a7be0d24c5f8a6b1d2e3f4a5b6c7d8e9f0c
  ownerReferences: [{apiVersion: config.porch.kpt.dev/v1alpha1, kind: PackageVariant, name: web, uid: u1, controller: true}]
spec:
  lifecycle: Draft
  packageName: web
  repository: edge-1
  workspaceName: packagevariant-2
  tasks: [{type: edit, edit: {sourceRef: {name: edge-1.web.packagevariant-1}}}]
---
apiVersion: porch.kpt.dev/v1alpha1
kind: PackageRevisionResources
metadata: {name: edge-1.web.packagevariant-2, namespace: fleet, resourceVersion: 3f1c9a7be0d24c5f8a6b1d2e3f4a5b6c7d8e9f0c}
spec: {packageName: web, repository: edge-1, workspaceName: packagevariant-2}
`

// TestEmptyDraft holds that a draft which Porch left without any files is made anew, by the controller's own code over
// a snapshot: a Porch that is killed leaves one too seldom for a test.
func TestEmptyDraft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/snapshot")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "variant.yaml"), []byte(emptied), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := run(t, "--from", dir, "-o", "json")
	if !errors.Is(err, cli.ErrChanges) {
		t.Fatalf("error %v, want that there are changes:\n%s", err, out)
	}
	var plan plans.Plan
	if err := json.Unmarshal([]byte(out), &plan); err != nil || len(plan.Variants) != 1 {
		t.Fatalf("%v:\n%s", err, out)
	}
	want := []string{"delete packagerevisions", "create packagerevisions", "update packagerevisionresources"}
	if diff := cmp.Diff(want, plan.Variants[0].Requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s\n%s", diff, out)
	}
}
