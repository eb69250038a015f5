// SPDX-License-Identifier: Apache-2.0

package expansion_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	k8syaml "sigs.k8s.io/yaml"
)

// continuing returns a set that goes on without targets that fail. In addition to the given targets it has edge-1/rest.
func continuing(t *testing.T, targets string) *v1alpha2.PackageVariantSet {
	t.Helper()
	text := set(targets+"  - repositories: [{name: edge-1, packageNames: [rest]}]\n") + "  errorPolicy: Continue\n"
	var out v1alpha2.PackageVariantSet
	if err := k8syaml.UnmarshalStrict([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return &out
}

// TestExcluded checks what excludes which target and what is known of its variant, and what stops the set still.
func TestExcluded(t *testing.T) {
	t.Parallel()
	s := &expansion.Snapshot{
		PackageRevisions: []expansion.PackageRevision{{Repo: "blueprints", Package: "web", Revision: "3", Published: true},
			{Repo: "blueprints", Package: "db", Revision: "1", Published: true}},
		Repositories: []expansion.Object{{Name: "edge-1", Labels: map[string]string{"n": "1"}}, {Name: "edge-2"}},
	}
	const noKey = "cannot evaluate %q for target %s: no such key: n"
	both := func(template string) string { return "  - repositorySelector: {}\n    template: " + template + "\n" }
	missing := func(template string) string {
		return "  - repositories: [{name: edge-9}]\n    template: " + template + "\n"
	}
	const template = "spec.targets[0].template."
	byExpr := strings.NewReplacer("[0]: wants", "[0].template.downstream.repoExpr: wants", "edge-9/web, but",
		`edge-9/web, by "repoDefault", but`)
	const unregistered = `spec.targets[0]: wants a package in repository "edge-9" for target edge-9/web, but there is no ` +
		`such Repository in namespace "fleet": register it, or correct the target`
	one, two := "edge-1/web", "edge-2/web"
	for name, c := range map[string]struct {
		targets  string
		made     []string // beside edge-1/rest
		excluded []string // as "target -> downstream: message"
		err      string
	}{
		"none": {targets: both("{}"), made: []string{one, two}},
		"a label": {targets: both("{labelExprs: [{key: n, valueExpr: repository.labels.n}]}"), made: []string{one},
			excluded: []string{two + " -> " + two + ": " + template + "labelExprs[0].valueExpr: " +
				fmt.Sprintf(noKey, "repository.labels.n", two)}},
		"an int": {targets: both("{dependsOn: [{name: a, minRevisionExpr: 'int(repoDefault.substring(5)) * 2147483647'}]}"),
			made: []string{one}, excluded: []string{two + " -> " + two + ": " + template + "dependsOn[0].minRevisionExpr: cannot " +
				`evaluate "int(repoDefault.substring(5)) * 2147483647" for target edge-2/web: it gives 4294967294, which is out ` +
				`of range: give a smaller number`}},
		"two rules of the API": {targets: both("{injectors: [{nameExpr: \"repoDefault == 'edge-1' ? 'a' : ''\"}], " +
			"packageContext: {dataExprs: [{keyExpr: \"repoDefault == 'edge-1' ? 'a' : 'name'\"}]}}"), made: []string{one},
			excluded: []string{two + " -> " + two + ": " + template + "packageContext.dataExprs[0].keyExpr: is set by kpt itself and " +
				"cannot be changed: remove the key \"name\" (for target edge-2/web, by \"repoDefault == 'edge-1' ? 'a' : " +
				"'name'\")\n" + template + "injectors[0].nameExpr: is missing: set it (for target edge-2/web, by " +
				"\"repoDefault == 'edge-1' ? 'a' : ''\")"}},
		"the package": {targets: both("{downstream: {packageExpr: \"'web-' + repository.labels.n\"}}"),
			made: []string{"edge-1/web-1"}, excluded: []string{two + " -> /: " + template + "downstream.packageExpr: " +
				fmt.Sprintf(noKey, "'web-' + repository.labels.n", two)}},
		"no package": {targets: both("{downstream: {packageExpr: \"repoDefault == 'edge-1' ? 'a' : ''\"}}"),
			made: []string{"edge-1/a"}, excluded: []string{two + " -> /: " + template + "downstream.packageExpr: gives an " +
				"empty name for target edge-2/web, by \"repoDefault == 'edge-1' ? 'a' : ''\": name the package by packageNames, package or packageExpr"}},
		"a package that cannot be": {targets: both("{downstream: {packageExpr: \"repoDefault == 'edge-1' ? 'a' : 'A'\"}}"),
			made: []string{"edge-1/a"}, excluded: []string{two + " -> /: " + template + "downstream.packageExpr: is \"A\", " +
				noPackage + " (for target edge-2/web, by \"repoDefault == 'edge-1' ? 'a' : 'A'\")"}},
		"the repository": {targets: both("{downstream: {repoExpr: \"'edge-' + target.labels.n\"}}"), made: []string{one},
			excluded: []string{two + " -> /: " + template + "downstream.repoExpr: " +
				fmt.Sprintf(noKey, "'edge-' + target.labels.n", two)}},
		"a repository that is not there": {targets: missing("{}"),
			excluded: []string{"edge-9/web -> edge-9/web: " + unregistered}},
		"whose name an expression gives": {targets: missing("{downstream: {repoExpr: repoDefault}}"),
			excluded: []string{"edge-9/web -> /: " + byExpr.Replace(unregistered)}},
		"that the package does not depend on": {targets: missing("{downstream: {packageExpr: packageDefault + '-x'}}"),
			excluded: []string{"edge-9/web -> edge-9/web-x: " + unregistered}},
		"that the package depends on": {targets: missing("{downstream: {packageExpr: \"has(repository.labels) ? 'a' : " +
			"'b'\"}}"), excluded: []string{"edge-9/web -> /: " + unregistered}},
		"one that is claimed by another": {targets: both("{labelExprs: [{key: n, valueExpr: repository.labels.n}]}") +
			"  - repositories: [{name: edge-2}]\n",
			err: `spec.targets[1]: wants package "web" in repository "edge-2" for target edge-2/web, which spec.targets[0] ` +
				`(for edge-2/web) wants already: give each target a package of its own, by packageNames or packageExpr`},
		"an expression that does not compile": {targets: both("{labelExprs: [{key: n, valueExpr: repo}]}"),
			err: template + `labelExprs[0].valueExpr: cannot compile "repo": undeclared reference to 'repo' (in container ` +
				`''), at column 1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := expansion.Expand(continuing(t, c.targets), "spec", s)
			if c.err != "" {
				if diff := cmp.Diff(c.err, fmt.Sprint(err)); diff != "" {
					t.Errorf("error (-want +got):\n%s", diff)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var made, excluded []string
			for i := range got.Variants {
				made = append(made, place(*got.Variants[i].Spec.Downstream))
			}
			for _, x := range got.Excluded {
				excluded = append(excluded, fmt.Sprintf("%s -> %s: %v", x.Target, place(x.Downstream), x.Err))
			}
			if diff := cmp.Diff(append(c.made, "edge-1/rest"), made); diff != "" {
				t.Errorf("made (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.excluded, excluded); diff != "" {
				t.Errorf("excluded (-want +got):\n%s", diff)
			}
		})
	}
}

func place(d variant.Downstream) string { return d.Repo + "/" + d.Package }

// TestExcludedOfOneUpstream checks that a target is excluded for the upstream that fails, and for no other.
func TestExcludedOfOneUpstream(t *testing.T) {
	t.Parallel()
	set := continuing(t, "  - repositories: [{name: edge-1}]\n    template: {labelExprs: [{key: n, valueExpr: "+
		"upstream.labels.n}]}\n")
	set.Spec.Upstreams, set.Spec.Upstream = []variant.Upstream{*set.Spec.Upstream, *set.Spec.Upstream}, nil
	set.Spec.Upstreams[1].Package = "db"
	set.Spec.Targets = set.Spec.Targets[:1]
	s := newSnapshot(0)
	s.Repositories = []expansion.Object{{Name: "edge-1"}}
	s.PackageRevisions = append(s.PackageRevisions, s.PackageRevisions[0])
	s.PackageRevisions[1].Package, s.PackageRevisions[1].Labels = "db", map[string]string{"n": "1"}
	got, err := expansion.Expand(set, "spec", s)
	if err != nil || len(got.Variants) != 1 || got.Variants[0].Spec.Downstream.Package != "db" || len(got.Excluded) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if diff := cmp.Diff("edge-1/web of spec.upstreams[0]", got.Excluded[0].Target); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	set.Spec.Targets[0].Repositories[0].Name = "edge-9"
	set.Spec.Upstreams = append(set.Spec.Upstreams, variant.Upstream{Repo: "blueprints", Package: "none"})
	const want = `spec.upstreams[2]: there is no PackageRevision of blueprints/none on the main branch in namespace "fleet": ` +
		`correct the upstream, or add the PackageRevision to the snapshot`
	if _, err := expansion.Expand(set, "spec", s); fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestLimitsExcludeNone checks that the limits of a set as a whole stop it, however many targets fail.
func TestLimitsExcludeNone(t *testing.T) {
	t.Parallel()
	const costs = "string(lists.range(1000).map(a, lists.range(1000).map(b, a * b)).size())"
	for name, c := range map[string]struct{ source, want string }{
		"cost": {costs, `spec.targets[0].template.packageContext.dataExprs[0].valueExpr: cannot evaluate "` + costs +
			`" for target edge-000499/web: the expressions of this set have come to the cost limit of 50000000 for all ` +
			`targets: make them simpler, or select fewer`},
		"words": {"repository.labels[repository.labels.text]", `spec.targets[0]: fails, with target edge-000104/web, in more ` +
			`than 16 MiB of words: correct its expressions`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, s := newSet(1), newSnapshot(600)
			set.Spec.ErrorPolicy = v1alpha2.ErrorPolicyContinue
			set.Spec.Targets[0].Template.PackageContext.DataExprs = []v1alpha2.MapExpr{{Key: ptr("x"), ValueExpr: &c.source}}
			set.Spec.Targets[0].Template.Downstream.PackageExpr = nil
			for i := range s.Repositories {
				s.Repositories[i].Labels["text"] = strings.Repeat("x", 160_000)
			}
			got, err := expansion.Expand(set, "spec", s)
			if diff := cmp.Diff(c.want, fmt.Sprint(err)); diff != "" || got != nil {
				t.Errorf("%+v; error (-want +got):\n%s", got, diff)
			}
		})
	}
}

// TestSpared checks which variants stay where targets are excluded, and what the function says of it.
func TestSpared(t *testing.T) {
	t.Parallel()
	const head = `PackageVariantSet "web": `
	const gone = head + `spec.targets[0]: wants a package in repository "edge-9" for target edge-9/web, but there is no such ` +
		`Repository in namespace "fleet": register it, or correct the target; this target is left out until that is corrected, `
	const one, maybe = head + "1 variants that no other target wants are kept (",
		"), for those of targets that are left out may be among them"
	const goes = `other.yaml: PackageVariant "other": is removed, because no target of the set wants it`
	name := expansion.Name("web", "edge-9", "web")
	for test, c := range map[string]struct {
		spec     string
		variants map[string]string // downstream by name, before
		want     map[string]string // after
		results  []string
	}{
		"there is none": {want: map[string]string{},
			results: []string{gone + "and its variant " + name + " is not made"}},
		"of another name": {variants: map[string]string{"mine": "edge-9/web"}, want: map[string]string{"mine": "edge-9/web"},
			results: []string{gone + "and its variant mine is neither changed nor removed"}},
		"of another downstream": {variants: map[string]string{name: "edge-1/a"}, want: map[string]string{name: "edge-1/a"},
			results: []string{gone + "and its variant " + name + " is not made", one + name + maybe}},
		"of a downstream that has changed": {spec: "    template: {downstream: {package: new}}\n  allowEmpty: true\n",
			variants: map[string]string{"mine": "edge-9/web", "other": "edge-2/web"},
			want:     map[string]string{"mine": "edge-9/web", "other": "edge-2/web"},
			results: []string{gone + "and its variant " + expansion.Name("web", "edge-9", "new") + " is not made",
				head + "2 variants that no other target wants are kept (mine, other" + maybe}},
		"twice": {variants: map[string]string{"mine": "edge-9/web", "too": "edge-9/web"},
			want:    map[string]string{"mine": "edge-9/web", "too": "edge-9/web"},
			results: []string{gone + "and its variant mine is neither changed nor removed"}},
		"with another that goes": {variants: map[string]string{"mine": "edge-9/web", "other": "edge-2/web"},
			want:    map[string]string{"mine": "edge-9/web"},
			results: []string{gone + "and its variant mine is neither changed nor removed", goes}},
		"with others, of which one may go": {spec: "  maxDeletions: 1\n",
			variants: map[string]string{"mine": "edge-9/web", "other": "edge-2/web"},
			want:     map[string]string{"mine": "edge-9/web"},
			results:  []string{gone + "and its variant mine is neither changed nor removed", goes}},
		"with others, of which none may go": {spec: "  maxDeletions: 0\n",
			variants: map[string]string{"mine": "edge-9/web", "other": "edge-2/web"},
			want:     map[string]string{"mine": "edge-9/web", "other": "edge-2/web"},
			results: []string{gone + "and its variant mine is neither changed nor removed",
				"nothing is changed, for 1 of the 2 variants of this set would be deleted (other), and spec.maxDeletions, " +
					"which is 0, allows 0: correct the targets, or the labels that they select by, or raise spec.maxDeletions"}},
		"unknown": {spec: "    template: {downstream: {repoExpr: repoDefault}}\n  maxDeletions: 0\n",
			variants: map[string]string{"mine": "edge-9/web", "other": "edge-2/web"},
			want:     map[string]string{"mine": "edge-9/web", "other": "edge-2/web"},
			results: []string{strings.NewReplacer("[0]: wants", "[0].template.downstream.repoExpr: wants", "edge-9/web, but",
				`edge-9/web, by "repoDefault", but`).Replace(gone) + "and no variant of the set is removed, for it is not known which one is the target's",
				head + "2 variants that no other target wants are kept (mine, other" + maybe}},
	} {
		t.Run(test, func(t *testing.T) {
			t.Parallel()
			files := fntest.Files{"repositories.yaml": repositories, "revisions.yaml": revisions}
			for name, downstream := range c.variants {
				repo, pkg, _ := strings.Cut(downstream, "/")
				files[name+".yaml"] = fmt.Sprintf("apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\n"+
					"metadata: {name: %s, namespace: fleet, labels: {config.porch.kpt.dev/packagevariantset: web}}\n"+
					"spec: {downstream: {repo: %s, package: %s}}\n", name, repo, pkg)
			}
			config := set("  - repositories: [{name: edge-9}]\n") + c.spec + "  errorPolicy: Continue\n"
			out, err := expansion.Run(yaml.MustParse(config), fntest.Nodes(t, files))
			if err != nil {
				t.Fatal(err)
			}
			got, results := map[string]string{}, []string(nil)
			for _, item := range out.Items {
				if item.GetKind() == "PackageVariant" {
					repo, _ := item.GetString("spec.downstream.repo")
					pkg, _ := item.GetString("spec.downstream.package")
					got[item.GetName()] = repo + "/" + pkg
				}
			}
			for _, r := range out.Results {
				results = append(results, r.Message)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("variants (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.results, results); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}
