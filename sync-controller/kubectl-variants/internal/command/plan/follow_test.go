// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/plans"
)

// selecting is a set that selects Repositories by a label, with the variant that it has made for edge-1, and a variant of
// which something becomes all the same.
const selecting = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata:
  name: site-1
  namespace: fleet
  labels: {site: "true"}
  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"metadata":{"labels":{"site":"true"}}}'}
  resourceVersion: "1"
  generation: 1
spec: {type: git, git: {repo: https://git.example.com/site-1}}
status: {conditions: [{type: Ready, status: "True", reason: Ready, message: ok, lastTransitionTime: "2026-11-01T10:00:00Z"}]}
---
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: sites, namespace: fleet, uid: s1, resourceVersion: "1", generation: 1}
spec: {allowEmpty: true, upstream: {repo: blueprints, package: web, revision: 1}, targets: [{repositorySelector: {matchLabels: {site: "true"}}}]}
status: {observedGeneration: 1}
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: pending, namespace: fleet, uid: u1, resourceVersion: "1", generation: 1}
spec: {upstream: {repo: blueprints, package: web, revision: 1}, downstream: {repo: edge-1, package: pending}}
status: {observedGeneration: 1}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: facts, namespace: fleet, resourceVersion: "1"}
data: {a: "1"}
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: injecting, namespace: fleet, uid: u2, resourceVersion: "1", generation: 1}
spec: {upstream: {repo: blueprints, package: web, revision: 1}, downstream: {repo: edge-1, package: injecting}, injectors: [{name: facts}]}
status: {observedGeneration: 1}
---
`

// settled returns a snapshot in which the set has made its variant.
func settled(t *testing.T) string {
	t.Helper()
	const owner = "ownerReferences: [{apiVersion: config.porch.kpt.dev/v1alpha2, kind: PackageVariantSet, name: sites, uid: s1, controller: true}]"
	first, _ := planOf(t, "--from", snapshotOf(t, selecting))
	created := first.Sets[0].Created
	if len(created) != 1 {
		t.Fatalf("the set creates %q", created)
	}
	dir := snapshotOf(t, selecting+`apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata:
  name: `+created[0]+`
  namespace: fleet
  uid: u3
  resourceVersion: "1"
  generation: 1
  finalizers: [config.porch.kpt.dev/packagevariants]
  `+owner+`
spec: {upstream: {repo: blueprints, package: web, revision: 1}, downstream: {repo: site-1, package: web}}
status: {observedGeneration: 1}
`)
	file := filepath.Join(dir, "contents.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	required := strings.Replace(string(text), "        name: settings\n",
		"        name: settings\n        annotations: {kpt.dev/config-injection: required}\n", 1)
	if err := os.WriteFile(file, []byte(required), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFollow checks that a plan has the consequences of manifests for sets and variants that they do not name, but not
// what the controller does anyway.
func TestFollow(t *testing.T) {
	t.Parallel()
	const repository = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: NAME, labels: {LABELS}}\n" +
		"spec: {type: git, git: {repo: https://git.example.com/NAME}}\n"
	const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata: {a: \"2\"}\n"
	const variant = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: new}\nspec:\n" +
		"  upstream: {repo: blueprints, package: web, revision: 1}\n  downstream: {repo: edge-1, package: new}\n"
	for name, c := range map[string]struct {
		manifest string
		want     map[string]string
	}{
		"a Repository that gets a label": {strings.NewReplacer("NAME", "site-2", "LABELS", `site: "true"`).Replace(repository),
			map[string]string{"sites": "created 1 deleted 0, follows", "create site-2": "follows"}},
		"a Repository that loses a label": {strings.NewReplacer("NAME", "site-1", "LABELS", "").Replace(repository),
			map[string]string{"sites": "created 0 deleted 1, follows", "delete site-1": "follows"}},
		"a ConfigMap that is injected":   {strings.ReplaceAll(configMap, "NAME", "facts"), map[string]string{"create edge-1": "follows"}},
		"a Repository as it is":          {strings.NewReplacer("NAME", "site-1", "LABELS", `site: "true"`).Replace(repository), map[string]string{}},
		"a variant that nothing follows": {variant, map[string]string{"create edge-1": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "manifest.yaml")
			if err := os.WriteFile(file, []byte(c.manifest), 0o600); err != nil {
				t.Fatal(err)
			}
			plan, _ := planOf(t, "-f", file, "--from", settled(t))
			follows := map[bool]string{true: "follows"}
			got := map[string]string{}
			for i := range plan.Sets {
				s := &plan.Sets[i]
				got[s.Name] = fmt.Sprintf("created %d deleted %d, %s", len(s.Created), len(s.Deleted), follows[s.Follows])
			}
			for i := range plan.Variants {
				v := &plan.Variants[i]
				got[string(v.Action)+" "+v.Repo] = follows[v.Follows]
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFollowTold checks where each format shows these consequences: under their own heading, deletions first.
func TestFollowTold(t *testing.T) {
	t.Parallel()
	plan := &plans.Plan{Sets: []plans.Set{{Name: "own"}, {Name: "far", Follows: true}}, Variants: []plans.Variant{
		{Name: "a", Action: plans.Create, Follows: true}, {Name: "b", Action: plans.Delete, Follows: true}, {Name: "c", Action: plans.Wait}}}
	plan.Count()
	for format, c := range map[string]struct {
		print func(io.Writer, *plans.Plan) error
		want  []string
	}{
		"text": {func(w io.Writer, p *plans.Plan) error { return Text(w, p, false) }, []string{"PackageVariantSet own: ", "\nwait ",
			"\nWhat follows from that, outside of -f:\n", "\nPackageVariantSet far: ", "\ndelete ", "\ncreate "}},
		"markdown": {Markdown, []string{"#### Look at these first\n", "| **delete, outside of -f** | b |", "#### PackageVariantSet own\n",
			"#### What else changes, and what waits\n", "| **wait** | c |", "#### PackageVariantSet far, outside of -f\n",
			"#### What follows from that, outside of -f\n", "| **create** | a |"}},
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

// TestFollowNothing checks that a plan says so if nothing follows from what -f names, and that this is no error.
func TestFollowNothing(t *testing.T) {
	t.Parallel()
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
			got, err := run(t, "-f", file, "--from", settled(t))
			if err != nil || !strings.HasPrefix(got, c.want) {
				t.Errorf("%v, got:\n%s\nwant:\n%s", err, got, c.want)
			}
		})
	}
}
