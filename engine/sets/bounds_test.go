// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
)

// TestBounds checks the reason of a set that exceeds a bound: InvalidSpec if its spec alone does, and ExpansionFailed if
// that depends on the cluster, or shows only in what the set expands to.
func TestBounds(t *testing.T) {
	t.Parallel()
	list := func(n int, format string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(all, ", ")
	}
	exprs := func(all string) string { return prodsWith("packageContext: {dataExprs: [" + all + "]}") }
	names := list(10_000, "p%d")
	for name, c := range map[string]struct{ targets, reason, says string }{
		"listed targets": {"targets: [{repositories: [" + list(3, "{name: edge-%d, packageNames: ["+names+"]}") + "]}]",
			"InvalidSpec", "select 30000 variants in all, and a set may have 10000"},
		"selected targets": {"targets: [" + strings.Repeat("{repositorySelector: {matchLabels: {env: prod}, packageNames: ["+
			names+"]}}, ", 2) + "]", "ExpansionFailed", "select 20000 variants in all, and a set may have 10000"},
		"expressions": {exprs(list(2_001, `{key: k%[1]d, valueExpr: "'%[1]d'"}`)), "InvalidSpec",
			"a set may have 2000 with 262144 bytes"},
		"bytes of an expression": {exprs(`{key: k, valueExpr: "'` + strings.Repeat("x", 10_000) + `'"}`), "InvalidSpec",
			"it has 10002 characters, and 10000 are allowed"},
		"constant regular expressions": {exprs(list(300, `{key: k%[1]d, valueExpr: "''.matches('a{1000}%[1]d') ? 'a' : 'b'"}`)),
			"InvalidSpec", "have programs of more than 200000 steps"},
		"a regular expression that is not constant": {exprs(`{key: k, valueExpr: "''.matches('(` + strings.Repeat("a", 1_500) +
			`' + '){1000}') ? 'a' : 'b'"}`), "ExpansionFailed", "matches takes a regular expression that is not constant up to"},
		"values": {"targets: [{repositories: [{name: edge-1, packageNames: [" + list(1_000, "p%d") +
			"]}], template: {packageContext: {data: {" + list(201, "k%d: v") + "}}}}]", "ExpansionFailed",
			"values in all by their templates, and a set may have 200000"},
		"the result of an expression": {exprs(`{key: k, valueExpr: "'` + strings.Repeat("x", 5_000) +
			`'.replace('x', 'xxxx')"}`), "ExpansionFailed", "it gives 20000 bytes, and a value may have 16384"},
		"the cost of an expression": {exprs(`{key: k, valueExpr: "lists.range(1000).map(a, a).map(a, a).size() > 0 ? 'a' : 'b'"}`),
			"ExpansionFailed", "it is too expensive and was stopped at the cost limit of 100000"},
		"what a function takes": {exprs(`{key: k, valueExpr: "lists.range(1001).size() > 0 ? 'a' : 'b'"}`),
			"ExpansionFailed", "exceeds maximum allowed (1000)"},
		"text": {"targets: [{repositories: [{name: edge-1, packageNames: [" + list(1_000, "p%d") +
			"]}], template: {packageContext: {data: {k: " + strings.Repeat("x", 20_000) + "}}}}]", "ExpansionFailed",
			"more than the 16 MiB that all variants of a set may have"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t)
			f.sites("env=prod", "edge-1", "edge-2")
			f.applies(latest, c.targets)
			f.reconcile("fleet")
			conditions := f.sets()[0].Status.Conditions
			ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
			if ready.Reason != c.reason || !strings.Contains(ready.Message, c.says) ||
				!meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionStalled) {
				t.Errorf("it is %s: %.400s\nwant %s with %q", ready.Reason, ready.Message, c.reason, c.says)
			}
			if f.Errs["fleet"] != nil || f.again["fleet"] != 0 || len(f.made()) > 0 {
				t.Errorf("error %v, tried again after %s, %d variants, want nothing", f.Errs["fleet"], f.again["fleet"],
					len(f.made()))
			}
		})
	}
}
