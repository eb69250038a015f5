// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/plans"
)

// TestOthers checks where each format shows what becomes of sets and variants that are not named: under their own heading, deletions first.
func TestOthers(t *testing.T) {
	t.Parallel()
	plan := &plans.Plan{Sets: []plans.Set{{Name: "own"}, {Name: "far", Other: true}}, Variants: []plans.Variant{
		{Name: "a", Action: plans.Create, Other: true}, {Name: "b", Action: plans.Delete, Other: true}, {Name: "c", Action: plans.Wait}}}
	plan.Count()
	for format, c := range map[string]struct {
		print func(io.Writer, *plans.Plan) error
		want  []string
	}{
		"text": {func(w io.Writer, p *plans.Plan) error { return Text(w, p, false) }, []string{"PackageVariantSet own: ", "\nwait ",
			"\nWhat changes, outside of -f:\n", "\nPackageVariantSet far: ", "\ndelete ", "\ncreate "}},
		"markdown": {Markdown, []string{"#### Look at these first\n", "| **delete, outside of -f** | b |", "#### PackageVariantSet own\n",
			"#### What else changes, and what waits\n", "| **wait** | c |", "#### PackageVariantSet far, outside of -f\n",
			"#### What changes, outside of -f\n", "| **create** | a |"}},
		"html": {HTML, []string{`<span class="state bad">delete, outside of -f</span> <a href=`, `<span class="name">own</span>`,
			`<span class="name">far</span><span class="kind">PackageVariantSet</span><span class="detail">outside of -f</span>`,
			`<span class="name">a</span><span class="kind">PackageVariant</span><span class="detail">outside of -f</span>`}},
	} {
		var out bytes.Buffer
		if err := c.print(&out, plan); err != nil {
			t.Fatal(err)
		}
		rest := out.String()
		for _, want := range c.want {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: there is no %q in:\n%s", format, want, rest)
			}
			rest = after
		}
	}
}

// TestUnused checks that a plan says so if nothing follows from what -f names, and that this is no error.
func TestUnused(t *testing.T) {
	t.Parallel()
	const facts = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: facts, namespace: fleet}\ndata: {a: \"1\"}\n"
	for name, c := range map[string]struct{ manifest, want string }{
		"nobody uses it": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n", "No variant is affected.\n\nPlan: nothing.\n" +
			"Note: No set and no variant uses what -f names: ConfigMap (v1)\n"},
		"another kind": {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n", "No variant is affected.\n\nPlan: nothing.\n" +
			"Note: No set and no variant uses what -f names: Deployment (apps/v1)\n"},
		"nothing changes": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: facts}\ndata: {a: \"1\"}\n",
			"No variant is affected.\n\nPlan: nothing.\n"},
		"a new Repository": {"apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: new}\n",
			"No variant is affected.\n\nPlan: nothing.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "manifest.yaml")
			if err := os.WriteFile(file, []byte(c.manifest), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := run(t, "-f", file, "--from", snapshotOf(t, facts))
			if err != nil || !strings.HasPrefix(got, c.want) {
				t.Errorf("%v, got:\n%s\nwant:\n%s", err, got, c.want)
			}
		})
	}
}
