// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/yaml"
)

// TestNotCurrentBeforeReconcile has the API server set the defaults of a new object: to kstatus it is not Current, though
// no controller has seen it.
func TestNotCurrentBeforeReconcile(t *testing.T) {
	t.Parallel()
	for _, file := range []string{variantCRD, variantSetCRD} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(crdDir, file)
			_, props := storedSchema(t, readCRD(t, path))
			structural, err := structuralschema.NewStructural(props)
			if err != nil {
				t.Fatal(err)
			}
			u := newServer(t, path).object(map[string]any{})
			u.SetGeneration(1)
			defaulting.Default(u.Object, structural)
			if n, _, err := unstructured.NestedInt64(u.Object, "status", "observedGeneration"); n != -1 || err != nil {
				t.Errorf("status.observedGeneration is %d, want -1: %v", n, err)
			}
			result, err := status.Compute(u)
			if err != nil {
				t.Fatal(err)
			}
			if result.Status != status.InProgressStatus {
				t.Errorf("kstatus is %s: %s", result.Status, result.Message)
			}
		})
	}
}

// shown returns the names of the columns that kubectl shows of an object, and with -o wide, with what is in them.
func shown(t *testing.T, file, object string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(crdDir, file))
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(content, &crd); err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(object), &u.Object); err != nil {
		t.Fatal(err)
	}
	convertor, err := tableconvertor.New(crd.Spec.Versions[0].AdditionalPrinterColumns)
	if err != nil {
		t.Fatal(err)
	}
	table, err := convertor.ConvertToTable(t.Context(), u, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i, column := range table.ColumnDefinitions {
		if column.Name == "Age" {
			continue
		}
		fmt.Fprintf(&out, "%s%s: %v\n", map[bool]string{true: "wide "}[column.Priority > 0], column.Name, table.Rows[0].Cells[i])
	}
	return out.String()
}

// TestColumns checks what kubectl shows of a variant with a draft, of one without, and of a set.
func TestColumns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, object, want string }{
		"a draft that waits": {variantCRD, `
metadata: {name: web}
spec: {upstream: {repo: blueprints, package: web, revision: latest}, downstream: {repo: edge, package: shop}}
status:
  conditions:
  - {type: ConfigInjected, status: "False", reason: InjectionUnmet}
  - {type: Ready, status: "True", reason: UpToDate}
  downstreamTargets: [{name: edge.shop.one, lifecycle: Draft}]
  openDraft: {name: edge.shop.one, reason: Manual}
`, `Name: web
Upstream: web
Revision: latest
Repository: edge
Downstream: shop
Draft: edge.shop.one
Ready: True
Injected: False
wide Reason: UpToDate
wide Waits for: Manual
`},
		"what is published": {variantCRD, `
metadata: {name: web}
spec: {upstream: {repo: blueprints, package: web, revision: 3}, downstream: {repo: edge, package: shop}}
status:
  conditions: [{type: Ready, status: "False", reason: UpstreamNotFound}]
  downstreamTargets: [{name: edge.shop.one, lifecycle: Published}]
`, `Name: web
Upstream: web
Revision: 3
Repository: edge
Downstream: shop
Draft: <nil>
Ready: False
Injected: <nil>
wide Reason: UpstreamNotFound
wide Waits for: <nil>
`},
		"a set": {variantSetCRD, `
metadata: {name: fleet}
spec: {upstream: {repo: blueprints, package: web, revision: latest}, suspend: true}
status:
  conditions: [{type: Ready, status: "False", reason: Suspended}]
  desired: 4
  current: 3
  ready: 2
  injected: 1
  rollout: {phase: Progressing, wave: eu}
  counts: {updated: 5, pendingApproval: 6, failed: 7}
`, `Name: fleet
Upstream: web
Revision: latest
Desired: 4
Current: 3
Ready Variants: 2
Injected: 1
Ready: False
wide Reason: Suspended
wide Suspended: true
wide Rollout: Progressing
wide Wave: eu
wide Updated: 5
wide Pending Approval: 6
wide Failed: 7
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, shown(t, c.file, c.object)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
