// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAspectSet(t *testing.T) {
	t.Parallel()
	const kind = "Approved"
	is := func(status metav1.ConditionStatus, reason, message string) []metav1.Condition {
		return []metav1.Condition{{Type: "Ready", Status: "True"}, {Type: kind, Status: status, Reason: reason, Message: message,
			ObservedGeneration: 3}}
	}
	none := []metav1.Condition{{Type: "Ready", Status: "True"}}
	long := strings.Repeat("x", 40000)
	for name, c := range map[string]struct {
		before  []metav1.Condition
		set     Aspect
		want    []metav1.Condition
		changed bool
	}{
		"first":           {none, Aspect{kind, true, "Published", "all"}, is("True", "Published", "all"), true},
		"another status":  {is("True", "A", "a"), Aspect{kind, false, "A", "a"}, is("False", "A", "a"), true},
		"another reason":  {is("False", "A", "a"), Aspect{kind, false, "B", "a"}, is("False", "B", "a"), true},
		"another message": {is("False", "A", "a"), Aspect{kind, false, "A", "b"}, is("False", "A", "b"), false},
		"the same":        {is("False", "A", "a"), Aspect{kind, false, "A", "a"}, is("False", "A", "a"), false},
		"taken away":      {is("False", "A", "a"), Aspect{Type: kind}, none, true},
		"none, as before": {none, Aspect{Type: kind}, none, false},
		"too long for the API": {none, Aspect{kind, false, "A", long},
			is("False", "A", long[:32768-len("... (cut)")]+"... (cut)"), true},
	} {
		conditions := append([]metav1.Condition(nil), c.before...)
		if changed := c.set.Set(&conditions, 3); changed != c.changed {
			t.Errorf("%s: changed is %v", name, changed)
		}
		for i := range conditions {
			conditions[i].LastTransitionTime = metav1.Time{}
		}
		if diff := cmp.Diff(c.want, conditions); diff != "" {
			t.Errorf("%s, -want +got:\n%s", name, diff)
		}
	}
}
