// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// TestNothingElseReachesThePackage checks that of an object that is injected, its data or its spec gets into the files,
// and nothing else of it; and nothing of an object of another namespace.
func TestNothingElseReachesThePackage(t *testing.T) {
	t.Parallel()
	const files, secrets = "points.yaml", `apiVersion: v1
kind: Secret
metadata:
  name: keys
  annotations: {kpt.dev/config-injection: required}
`
	for name, c := range map[string]struct {
		points  string
		objects []string
		want    string // in the file of the points
	}{
		"ConfigMap": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: p, annotations: {kpt.dev/config-injection: required}}\n",
			[]string{`{apiVersion: v1, kind: ConfigMap, metadata: {name: eu, namespace: fleet, uid: LEAK, resourceVersion: LEAK, ` +
				`labels: {a: LEAK}, annotations: {kubectl.kubernetes.io/last-applied-configuration: LEAK}, finalizers: [LEAK], ` +
				`ownerReferences: [{name: LEAK}], managedFields: [{manager: LEAK}]}, data: {a: given}, binaryData: {b: Z2l2ZW4=}, ` +
				`stringData: {a: LEAK}, immutable: true, status: {a: LEAK}, spec: {a: LEAK}}`}, "a: given\nbinaryData:\n  b: Z2l2ZW4="},
		"custom resource": {"apiVersion: example.com/v1\nkind: Team\nmetadata: {name: p, annotations: {kpt.dev/config-injection: " +
			"required}}\n",
			[]string{`{apiVersion: example.com/v1, kind: Team, metadata: {name: eu, namespace: fleet, generation: 7, labels: {LEAK: ` +
				`a}}, spec: {a: given}, data: {a: LEAK}, status: {token: LEAK}, secret: LEAK, spec2: {a: LEAK}}`}, "a: given"},
		"Secret": {secrets, []string{`{apiVersion: v1, kind: Secret, type: LEAK, metadata: {name: eu, namespace: fleet}, data: ` +
			`{password: LEAK}, stringData: {password: LEAK}}`}, ""},
		"another namespace": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: p, annotations: {kpt.dev/config-injection: " +
			"required}}\n", []string{`{apiVersion: v1, kind: ConfigMap, metadata: {name: eu, namespace: other}, data: {a: LEAK}}`},
			""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := request(t, spec(func(s *variant.Spec) { s.Injectors = []variant.InjectionSelector{{Name: "eu"}} }), c.objects...)
			out := apply(t, web(map[string]string{files: c.points}), r)
			for file, text := range out.Files {
				if i := strings.Index(text, "LEAK"); i >= 0 {
					t.Errorf("%s has got something else of the object:\n%s", file, text)
				}
			}
			if !strings.Contains(out.Files[files], c.want) {
				t.Errorf("it is not injected: %s", cmp.Diff(c.want, out.Files[files]))
			}
		})
	}
}
