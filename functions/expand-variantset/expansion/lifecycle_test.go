// SPDX-License-Identifier: Apache-2.0

package expansion_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/internal/fntest"
)

func TestLifecycleFailures(t *testing.T) {
	t.Parallel()
	by := func(expression string) string { return fmt.Sprintf(" (for target edge-2/web, by %q)", expression) }
	least := func(expression string) string { return "{dependsOn: [{name: a, minRevisionExpr: " + expression + "}]}" }
	const (
		field = `PackageVariantSet "web": spec.targets[0].template`
		at    = field + `.dependsOn[0].minRevisionExpr: `
		two   = `.approvalPolicy: is Automatic, and the annotation approval.nephio.org/policy asks another approver: ` +
			`leave out one of them`
	)
	for name, c := range map[string]struct {
		template, want string
	}{
		"unknown policy": {"{approvalPolicy: Sometimes}",
			field + `.approvalPolicy: is "Sometimes", but must be one of ["Manual" "Initial" "Automatic"]`},
		"unknown policy of an expression": {`{approvalPolicyExpr: "'Some' + 'times'"}`,
			field + `.approvalPolicyExpr: is "Sometimes", but must be one of ["Manual" "Initial" "Automatic"]` +
				by("'Some' + 'times'")},
		"two approvers": {"{approvalPolicy: Automatic, annotations: {approval.nephio.org/policy: always}}", field + two},
		"two approvers, by expressions": {"{approvalPolicyExpr: \"'Automatic'\", annotationExprs: [{keyExpr: " +
			"\"'approval.nephio.org/' + 'policy'\", value: always}]}",
			strings.Replace(field+two+by("'Automatic'"), "approvalPolicy", "approvalPolicyExpr", 1)},
		"a policy and an expression": {"{approvalPolicy: Manual, approvalPolicyExpr: \"''\"}",
			field + `: has both approvalPolicy and approvalPolicyExpr: decide for one`},
		"a number that is none": {"{dependsOn: [{name: a, minRevision: many}]}",
			field + `.dependsOn[0].minRevision: is a string, but must be a whole number`},
		"a number that is a string": {least("target.repo"), at +
			`cannot compile "target.repo": it gives string, but must give an int: use int(...)`},
		"a number that is a list": {least("\"[1]\""),
			at + `cannot compile "[1]": it gives a list, but must give an int: use another expression`},
		"a number of a dynamic type": {least("\"target['repo']\""),
			at + `cannot evaluate "target['repo']" for target edge-2/web: it gives string, but must give an int`},
		"a number out of range": {least("\"3000000000\""), at +
			`cannot evaluate "3000000000" for target edge-2/web: it gives 3000000000, which is out of range: ` +
			`give a smaller number`},
		"a number that is none in text": {least("int(target.repo)"), at +
			`cannot evaluate "int(target.repo)" for target edge-2/web: type conversion error from 'string' to 'int'`},
		"dependencies without a name": {"{dependsOn: [{}, {name: a, nameExpr: b}, {name: ''}]}",
			field + ".dependsOn[0]: has neither name nor nameExpr: set one\n" +
				field + ".dependsOn[1]: has both name and nameExpr: decide for one"},
		"an empty name": {"{dependsOn: [{name: ''}]}", field + `.dependsOn[0].name: is missing: ` +
			`name a PackageVariant of this namespace`},
		"an empty name of an expression": {"{dependsOn: [{nameExpr: \"''\"}]}", field + `.dependsOn[0].nameExpr: is missing: ` +
			`name a PackageVariant of this namespace` + by("''")},
		"a dependency twice": {"{dependsOn: [{name: a}, {name: a}]}", field + `.dependsOn[1].name: is "a", which is named ` +
			`before: keep one of them`},
		"a dependency twice, by expressions": {"{dependsOn: [{name: edge-2}, {nameExpr: target.repo}]}", field +
			`.dependsOn[1].nameExpr: is "edge-2", which is named before: keep one of them` + by("target.repo")},
		"least revisions": {"{dependsOn: [{name: a, minRevision: 0}, {name: b, minRevision: -1}, {name: c, minRevision: 1, " +
			"minRevisionExpr: '1'}]}",
			field + ".dependsOn[0].minRevision: is 0: set it to 1 or more, or leave it out for any\n" +
				field + ".dependsOn[2]: has both minRevision and minRevisionExpr: decide for one\n" +
				field + ".dependsOn[1].minRevision: is -1: set it to 1 or more, or leave it out for any"},
		"a least revision of an expression": {"{dependsOn: [{name: a, minRevisionExpr: size(target.repo) - 7}]}", field +
			`.dependsOn[0].minRevisionExpr: is -1: set it to 1 or more, or leave it out for any` + by("size(target.repo) - 7")},
		"a least revision 0 of an expression": {"{dependsOn: [{name: a, minRevisionExpr: size(target.repo) - 6}]}", field +
			`.dependsOn[0].minRevisionExpr: cannot evaluate "size(target.repo) - 6" for target edge-2/web: it gives 0: give 1 ` +
			`or more`},
		"suspend": {"{suspend: true}", field + `.suspend: is not a field of this config; it has adoptionPolicy, ` +
			`annotationExprs, annotations, approvalPolicy, approvalPolicyExpr, deletionPolicy, dependsOn, downstream, ` +
			`injectors, labelExprs, labels, packageContext, pipeline, upgrade`},
		"variantName of two": {"{dependsOn: [{nameExpr: \"variantName('namespaces', target.repo)\"}]}",
			field + `.dependsOn[0].nameExpr: cannot compile "variantName('namespaces', target.repo)": found no matching ` +
				`overload for 'variantName' applied to '(string, string)', at column 12`},
		"variantName of a number": {"{dependsOn: [{nameExpr: \"variantName('namespaces', dyn(1), 'ns')\"}]}",
			field + `.dependsOn[0].nameExpr: cannot evaluate "variantName('namespaces', dyn(1), 'ns')" for target edge-2/web: ` +
				`no such overload: variantName(string, int, string)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fntest.Fails(t, expansion.Run, templated(c.template), snapshot, c.want)
		})
	}
}

// TestVariantName checks that expressions name variants as sets do.
func TestVariantName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ set, repo, pkg string }{{"namespaces", "edge-1", "ns"}, {"a", "b-c", "apps/d"},
		{"s", "r", "a-name-that-is-so-long-that-it-does-not-fit-into-the-name-of-one"}, {"", "", ""}} {
		source := "variantName('" + c.set + "', '" + c.repo + "', '" + c.pkg + "')"
		got, err := evaluate(source, nil, nil)
		if want := expansion.Name(c.set, c.repo, c.pkg); err != nil || got != want {
			t.Errorf("%s: got %q (%v), want %q", source, got, err, want)
		}
	}
	manual, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if name := expansion.Name("namespaces", "edge-1", "ns"); !strings.Contains(string(manual), "    - name: "+name+"\n") {
		t.Errorf("the manual does not show %s, which variantName('namespaces', target.repo, 'ns') gives for edge-1", name)
	}
}
