// SPDX-License-Identifier: Apache-2.0

package expansion_test

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestTooManyDeletions(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d", "e"}
	const most = "nothing is changed, for 5 of the 9 variants of this set would be deleted (a, b, c and 2 more), and " +
		"spec.maxDeletions, which is "
	const remedy = ": correct the targets, or the labels that they select by, or raise spec.maxDeletions"
	for name, c := range map[string]struct {
		limit  *intstr.IntOrString
		there  int
		doomed int
		want   string
	}{
		"no limit":            {nil, 9, 5, ""},
		"none":                {ptr(intstr.FromInt32(0)), 9, 0, ""},
		"none of none":        {ptr(intstr.FromString("0%")), 0, 0, ""},
		"as many":             {ptr(intstr.FromInt32(5)), 9, 5, ""},
		"more":                {ptr(intstr.FromInt32(4)), 9, 5, most + "4, allows 4" + remedy},
		"any":                 {ptr(intstr.FromInt32(0)), 9, 5, most + "0, allows 0" + remedy},
		"as large a share":    {ptr(intstr.FromString("56%")), 9, 5, ""},
		"rounded down":        {ptr(intstr.FromString("55%")), 9, 5, most + "55%, allows 4" + remedy},
		"all":                 {ptr(intstr.FromString("100%")), 5, 5, ""},
		"no share that it is": {ptr(intstr.FromString("many")), 9, 5, most + "many, allows 0" + remedy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := &v1alpha2.PackageVariantSetSpec{MaxDeletions: c.limit}
			if got := expansion.TooManyDeletions(spec, "spec", c.there, names[:c.doomed]); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestMaxDeletionsFailures(t *testing.T) {
	t.Parallel()
	const must = ", but must be a number of variants from 0, or a percentage of them from 0% to 100%, such as 20%"
	for limit, want := range map[string]string{
		"-1": `is "-1"` + must, "101%": `is "101%"` + must, "abc": `is "abc"` + must, "\"3\"": `is "3"` + must,
		"-5%": `is "-5%"` + must, "1.5%": `is "1.5%"` + must, "''": `is ""` + must,
		"99999999999": "is 99999999999, which is out of range: use a smaller number",
		"true":        "is a boolean, but must be a whole number, or a percentage such as 20%",
		"1.5":         "is a number, but must be a whole number, or a percentage such as 20%",
		"[1]":         "is a list, but must be a whole number, or a percentage such as 20%",
	} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			config := strings.Replace(set(toAll), "spec:\n", "spec:\n  maxDeletions: "+limit+"\n", 1)
			fntest.Fails(t, expansion.Run, config, snapshot, `PackageVariantSet "web": spec.maxDeletions: `+want)
		})
	}
}

// TestMaxDeletionsOfFiles checks that the limit counts the variants among the files, and that a variant whose
// downstream changes does not count as deleted.
func TestMaxDeletionsOfFiles(t *testing.T) {
	t.Parallel()
	files := fntest.Files{"repositories.yaml": repositories, "revisions.yaml": revisions}
	for _, repo := range []string{"edge-1", "edge-2", "gone-1", "gone-2"} {
		files[repo+".yaml"] = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata:\n  name: pv-" + repo +
			"\n  namespace: fleet\n  labels: {config.porch.kpt.dev/packagevariantset: web}\n" +
			"spec: {upstream: {repo: blueprints, package: web, revision: 1}, downstream: {repo: " + repo + ", package: web}}\n"
	}
	for limit, kept := range map[string]bool{"1": true, "2": false, "49%": true, "50%": false, "0": true} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			config := strings.Replace(set(toAll), "spec:\n", "spec:\n  maxDeletions: "+limit+"\n", 1)
			stdout, stderr, code := fntest.Run(expansion.Run, fntest.List(t, config, files))
			if code != 0 {
				t.Fatal(stderr)
			}
			out := string(stdout)
			if got := strings.Contains(out, "{repo: gone-1, package: web}"); got != kept {
				t.Errorf("the variant that is to go is kept: %v, want %v", got, kept)
			}
			if got := strings.Contains(out, "package: web, revision: 1}"); got != kept {
				t.Errorf("the variants that stay are as they were: %v, want %v", got, kept)
			}
		})
	}
}

// TestSuspendDoesNothing checks that spec.suspend of a set is for the controller: the function still writes its output.
func TestSuspendDoesNothing(t *testing.T) {
	t.Parallel()
	config := strings.Replace(set("  - repositories: [{name: edge-1}]\n"), "spec:\n", "spec:\n  suspend: true\n", 1)
	stdout, stderr, code := fntest.Run(expansion.Run, fntest.List(t, config, snapshot))
	if code != 0 || !strings.Contains(string(stdout), "name: "+expansion.Name("web", "edge-1", "web")) ||
		strings.Count(string(stdout), "suspend: true") != 1 { // that of the set
		t.Errorf("exit code %d: %s\n%s", code, stderr, stdout)
	}
}
