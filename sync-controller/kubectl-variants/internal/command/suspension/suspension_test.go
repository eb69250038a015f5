// SPDX-License-Identifier: Apache-2.0

package suspension

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestPatch checks what is written into an object, and the message about it.
func TestPatch(t *testing.T) {
	t.Parallel()
	const annotation = "config.porch.kpt.dev/suspend-reason"
	says := func(message string) []metav1.Condition {
		return []metav1.Condition{{Type: "Suspended", Status: "True", Message: message}}
	}
	for name, c := range map[string]struct {
		change     change
		suspended  bool
		reason     string
		conditions []metav1.Condition
		want       string // the patch
		told       string
	}{
		"suspend": {change{true, ""}, false, "", nil,
			`{"metadata":{"annotations":{"` + annotation + `":null}},"spec":{"suspend":true}}`, "packagevariant/web suspended"},
		"suspend, with a reason": {change{true, " freeze\n until Monday"}, false, "", nil,
			`{"metadata":{"annotations":{"` + annotation + `":"freeze until Monday"}},"spec":{"suspend":true}}`,
			"packagevariant/web suspended: freeze until Monday"},
		"suspend for another reason": {change{true, "audit"}, true, "freeze", nil,
			`{"metadata":{"annotations":{"` + annotation + `":"audit"}},"spec":{"suspend":true}}`, "packagevariant/web suspended: audit"},
		"suspended already": {change{true, "freeze"}, true, "freeze", nil, "", "packagevariant/web is suspended already: freeze"},
		"resume": {change{false, ""}, true, "freeze", says("freeze; would clone a into b"),
			`{"metadata":{"annotations":{"` + annotation + `":null}},"spec":{"suspend":null}}`,
			"packagevariant/web resumed: the controller would clone a into b"},
		"resume, with nothing to do": {change{false, ""}, true, "", says("there is nothing to do"),
			`{"metadata":{"annotations":{"` + annotation + `":null}},"spec":{"suspend":null}}`,
			"packagevariant/web resumed: there is nothing to do"},
		"resume what was never seen": {change{false, ""}, true, "", nil,
			`{"metadata":{"annotations":{"` + annotation + `":null}},"spec":{"suspend":null}}`, "packagevariant/web resumed"},
		"not suspended": {change{false, ""}, false, "", nil, "", "packagevariant/web is not suspended"},
		"a reason that was left": {change{false, ""}, false, "freeze", nil,
			`{"metadata":{"annotations":{"` + annotation + `":null}},"spec":{"suspend":null}}`, "packagevariant/web resumed"},
	} {
		pv := &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
		if c.reason != "" {
			pv.Annotations = map[string]string{annotation: c.reason}
		}
		patch, told := c.change.patch(&object{live.Variant, pv, c.suspended, c.conditions})
		if string(patch) != c.want || told != c.told {
			t.Errorf("%s:\ngot  %s %s\nwant %s %s", name, patch, told, c.want, c.told)
		}
	}
}
