// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConsequences checks how far the consequences of manifests reach: what is published, what derives from that, and
// who takes what becomes free.
func TestConsequences(t *testing.T) {
	t.Parallel()
	const variant = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: NAME, namespace: fleet}\n" +
		"spec: {upstream: {repo: REPO, package: OF, revision: 1}, downstream: {repo: edge-1, package: NAME}MORE}\n"
	const of = "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: NAME, namespace: fleet}\n" +
		"spec: {upstream: {repo: blueprints, package: web, revision: 1}, targets: [{SELECTS}]}\n"
	text := func(template string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(template) }
	known := func(s string) string { // as it is in a cluster
		return strings.ReplaceAll(s, "namespace: fleet}", "namespace: fleet, uid: u-new, resourceVersion: \"1\", generation: 1}") +
			"status: {observedGeneration: 1}\n---\n"
	}
	const filled = ", approvalPolicy: Automatic, injectors: [{name: facts}]"
	head := text(variant, "NAME", "head", "REPO", "blueprints", "OF", "web", "MORE", "")
	for name, c := range map[string]struct {
		there, manifest string
		args            []string
		want            map[string]string
	}{
		"a ConfigMap publishes a revision": {
			there: known(text(variant, "NAME", "waiting", "REPO", "blueprints", "OF", "web",
				"MORE", ", approvalPolicy: Automatic, injectors: [{name: absent}]")),
			manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: absent}\ndata: {a: \"2\"}\n",
			want:     map[string]string{"waiting": "create, publish, outside of -f"}},
		"the head of a chain publishes the next ones": {
			there: known(head) + strings.ReplaceAll(known(text(variant, "NAME", "next", "REPO", "edge-1", "OF", "head",
				"MORE", filled)), "u-new", "u-next"),
			manifest: text(variant, "NAME", "head", "REPO", "blueprints", "OF", "web", "MORE", filled),
			want:     map[string]string{"head": "create, publish", "next": "create, publish, outside of -f"}},
		"a set that is deleted frees a package for another": {
			there:    known(text(of, "NAME", "heir", "SELECTS", "repositories: [{name: site-1}]")),
			manifest: text(of, "NAME", "sites", "SELECTS", "repositories: [{name: site-1}]"),
			args:     []string{"--delete"},
			want:     map[string]string{"sites": "delete", "heir": "create, outside of -f"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "manifest.yaml")
			snapshot := settled(t)
			for path, text := range map[string]string{file: c.manifest, filepath.Join(snapshot, "there.yaml"): c.there} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			plan, _ := planOf(t, append(c.args, "-f", file, "--from", snapshot)...)
			got := map[string]string{}
			for i := range plan.Variants {
				v := &plan.Variants[i]
				name := v.Name
				if v.Set != "" {
					name = v.Set
				}
				got[name] = doingFirst(v)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// TestKeep checks the plan of a variant that wants a package whose deletion is proposed.
func TestKeep(t *testing.T) {
	t.Parallel()
	const downstream = "{repo: edge-1, package: a}"
	proposed := strings.Replace(there("a", downstream, "", healthy), "lifecycle: Published", "lifecycle: DeletionProposed", 1)
	plan, err := planManifests(t, proposed, variantText("a", downstream, ""))
	if len(plan.Variants) != 1 || plan.Variants[0].Action != "keep" {
		t.Fatalf("%v: %+v", err, plan.Variants)
	}
	if diff := cmp.Diff("take back the proposal to delete edge-1.a.packagevariant-1", stepsOf(&plan.Variants[0])[0]); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}
