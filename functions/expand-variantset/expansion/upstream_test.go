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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	oneUpstream = "upstream: {repo: blueprints, package: web, revision: 3}"
	toAll       = "  - repositorySelector: {}\n"
)

// upstreams returns a set with other fields in place of its upstream.
func upstreams(fields, targets string) string {
	return strings.Replace(set(targets), oneUpstream, fields, 1)
}

func TestUpstreamFailures(t *testing.T) {
	t.Parallel()
	const webTwice = "upstreams: [{repo: blueprints, package: web, revision: 3}, {repo: blueprints, package: web, " +
		"revision: latest}]"
	for name, c := range map[string]struct {
		config, want string
	}{
		"none": {upstreams("allowEmpty: true", toAll),
			`PackageVariantSet "web": spec.upstream: is missing: name the package to make variants of, or several by ` +
				`upstreams, or select them by upstreamSelector`},
		"upstream and upstreams": {upstreams(oneUpstream+"\n  upstreams: [{repo: blueprints, package: web, revision: 3}]",
			toAll),
			`PackageVariantSet "web": spec.upstreams: stands beside upstream, but a set has exactly one of upstream, ` +
				`upstreams and upstreamSelector: decide for one`},
		"upstreams and a selector": {upstreams("upstreams: []\n  upstreamSelector: {}", toAll),
			`PackageVariantSet "web": spec.upstreamSelector: stands beside upstreams, but a set has exactly one of upstream, ` +
				`upstreams and upstreamSelector: decide for one`},
		"an empty list": {upstreams("upstreams: []", toAll),
			`PackageVariantSet "web": spec.upstreams: is empty: name the packages to make variants of`},
		"an entry without a revision": {upstreams("upstreams: [{repo: blueprints, package: web, revision: 3}, {repo: Up}]",
			toAll),
			"PackageVariantSet \"web\": spec.upstreams[1].repo: is \"Up\", which no Repository can have as a name: use at " +
				"most 63 lower-case letters, digits and '-', of which the first and the last are no '-'\n" +
				"PackageVariantSet \"web\": spec.upstreams[1].package: is missing: set it\n" +
				"PackageVariantSet \"web\": spec.upstreams[1]: has neither revision nor workspaceName: set one"},
		"a selector in an entry": {upstreams("upstreams: [{upstreamSelector: {}}]", toAll),
			`PackageVariantSet "web": spec.upstreams[0].upstreamSelector: is not a field of this config; it has package, ` +
				`repo, revision, workspaceName`},
		"one that is not there": {upstreams("upstreams: [{repo: blueprints, package: web, revision: 3}, {repo: blueprints, "+
			"package: db, revision: 1}]", toAll),
			`PackageVariantSet "web": spec.upstreams[1]: there is no PackageRevision of blueprints/db with revision 1 in ` +
				`namespace "fleet": correct the upstream, or add the PackageRevision to the snapshot`},
		"no label selector": {upstreams("upstreamSelector: {matchExpressions: [{key: a, operator: Near}]}", toAll),
			`PackageVariantSet "web": spec.upstreamSelector: is no label selector: "Near" is not a valid label selector ` +
				`operator`},
		"no Repository": {upstreams("upstreamSelector: {repo: Up}", toAll),
			`PackageVariantSet "web": spec.upstreamSelector.repo: is "Up", which no Repository can have as a name: use at ` +
				`most 63 lower-case letters, digits and '-', of which the first and the last are no '-'`},
		"claimed by two upstreams": {upstreams(webTwice, toAll),
			`PackageVariantSet "web": spec.targets[0]: wants package "web" in repository "catalog" for target catalog/web of ` +
				`spec.upstreams[1], which spec.targets[0] (for catalog/web of spec.upstreams[0]) wants already: ` +
				`give each variant a package of its own, by packageExpr`},
		"claimed by two upstreams of an explicit list": {upstreams(webTwice, "  - repositories: [{name: nowhere}]\n"),
			`PackageVariantSet "web": spec.targets[0]: wants package "web" in repository "nowhere" for target nowhere/web of ` +
				`spec.upstreams[1], which spec.targets[0] (for nowhere/web of spec.upstreams[0]) wants already: ` +
				`give each variant a package of its own, by packageExpr`},
		"claimed by two that are selected": {upstreams("upstreamSelector: {}", "  - repositorySelector: {packageNames: [x]}\n"),
			`PackageVariantSet "web": spec.targets[0]: wants package "x" in repository "catalog" for target catalog/x of ` +
				`upstream catalog/app, which spec.targets[0] (for catalog/x of upstream blueprints/web) wants already: ` +
				`give each variant a package of its own, by packageExpr`},
		"an upstream that the set makes": {upstreams("upstreamSelector: {}",
			"  - repositories: [{name: edge-1}]\n    template: {downstream: {repo: catalog, packageExpr: \"upstream.repo == "+
				"'catalog' ? 'a' : 'app'\"}}\n"),
			`PackageVariantSet "web": spec.upstreamSelector: takes catalog/app as an upstream, which spec.targets[0] (for ` +
				`edge-1/web of upstream blueprints/web) makes: name, or select, only packages that this set does not make`},
		"an expression, of one of the upstreams": {upstreams("upstreamSelector: {repo: catalog}",
			"  - repositorySelector: {}\n    template: {labelExprs: [{key: a, valueExpr: upstream.labels.a}]}\n"),
			`PackageVariantSet "web": spec.targets[0].template.labelExprs[0].valueExpr: cannot evaluate "upstream.labels.a" ` +
				`for target catalog/app of upstream catalog/app: no such key: a`},
		"one upstream shows neither repository nor package": {expr("upstream.repo"),
			exprField + `cannot evaluate "upstream.repo" for target edge-2/web: no such key: repo`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := fntest.Files{"repositories.yaml": repositories + "---\napiVersion: config.porch.kpt.dev/v1alpha1\n" +
				"kind: Repository\nmetadata: {name: catalog, namespace: fleet}\n",
				"revisions.yaml": revisions + "---\napiVersion: porch.kpt.dev/v1alpha1\nkind: PackageRevision\n" +
					"metadata: {name: app, namespace: fleet}\nspec: {packageName: app, repository: catalog, revision: 1, " +
					"workspaceName: v1, lifecycle: Published}\n"}
			fntest.Fails(t, expansion.Run, c.config, files, c.want)
		})
	}
}

// TestLostUpstream checks that a package which is not there at all is not taken for one that the selector leaves out.
func TestLostUpstream(t *testing.T) {
	t.Parallel()
	files := fntest.Files{"repositories.yaml": repositories, "revisions.yaml": revisions}
	files["branch.yaml"] = "apiVersion: porch.kpt.dev/v1alpha1\nkind: PackageRevision\nmetadata: {name: db, namespace: " +
		"fleet}\nspec: {packageName: db, repository: blueprints, revision: -1, workspaceName: main, lifecycle: Published}\n"
	files["pv.yaml"] = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: a-pv, namespace: " +
		"fleet, labels: {config.porch.kpt.dev/packagevariantset: web}}\nspec: {upstream: {repo: blueprints, package: db, " +
		"workspaceName: main}, downstream: {repo: edge-9, package: db}}\n" // not made from what is selected
	for i, pkg := range []string{"db", "db", "tools", "web"} {
		files[fmt.Sprintf("pv-%d.yaml", i)] = fmt.Sprintf("apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\n"+
			"metadata: {name: pv-%d, namespace: fleet, labels: {config.porch.kpt.dev/packagevariantset: web}}\n"+
			"spec: {upstream: {repo: blueprints, package: %s, revision: 1}, downstream: {repo: edge-%d, package: %s}}\n",
			i, pkg, i, pkg)
	}
	fntest.Fails(t, expansion.Run, upstreams("upstreamSelector: {}", toAll), files,
		`PackageVariantSet "web": spec.upstreamSelector: there is no published PackageRevision of blueprints/db any more, `+
			`which 2 variants of this set are made from: bring it back, or delete these variants: pv-0, pv-1`)

	// Of a Repository that is not selected from any more, they go.
	list := fntest.List(t, upstreams("upstreamSelector: {repo: catalog}\n  allowEmpty: true", toAll), files)
	if stdout, stderr, code := fntest.Run(expansion.Run, list); code != 0 || strings.Contains(string(stdout), "{name: pv-") {
		t.Errorf("exit code %d: %s\n%s", code, stderr, stdout)
	}
}

// TestCandidates checks which package revisions concern a set.
func TestCandidates(t *testing.T) {
	t.Parallel()
	revision := func(name, number string, published bool) expansion.PackageRevision {
		repo, pkg, _ := strings.Cut(name, "/")
		return expansion.PackageRevision{Repo: repo, Package: pkg, Revision: number, Published: published, WorkspaceName: "w",
			Object: expansion.Object{Name: name + "@" + number, Labels: map[string]string{"pkg": pkg}}}
	}
	all := []expansion.PackageRevision{revision("a/web", "1", true), revision("a/web", "2", true),
		revision("a/web", "0", false), revision("a/web", "-1", true), revision("b/web", "1", true), revision("b/db", "1", true)}
	web := metav1.LabelSelector{MatchLabels: map[string]string{"pkg": "web"}}
	for name, c := range map[string]struct {
		spec v1alpha2.PackageVariantSetSpec
		want []string
	}{
		"no upstream": {},
		"one upstream": {spec: v1alpha2.PackageVariantSetSpec{Upstream: &variant.Upstream{Repo: "a", Package: "web",
			Revision: variant.RevisionNumber(2)}}, want: []string{"a/web@2"}},
		"several": {spec: v1alpha2.PackageVariantSetSpec{Upstreams: []variant.Upstream{
			{Repo: "a", Package: "web", Revision: variant.RevisionNumber(1)},
			{Repo: "b", Package: "db", Revision: variant.Revision{Str: "latest"}}}}, want: []string{"a/web@1", "b/db@1"}},
		"all": {spec: v1alpha2.PackageVariantSetSpec{UpstreamSelector: &v1alpha2.UpstreamSelector{}},
			want: []string{"a/web@1", "a/web@2", "b/web@1", "b/db@1"}},
		"by label": {spec: v1alpha2.PackageVariantSetSpec{UpstreamSelector: &v1alpha2.UpstreamSelector{LabelSelector: web}},
			want: []string{"a/web@1", "a/web@2", "b/web@1"}},
		"of one Repository": {spec: v1alpha2.PackageVariantSetSpec{UpstreamSelector: &v1alpha2.UpstreamSelector{
			LabelSelector: web, Repo: "b"}}, want: []string{"b/web@1"}},
		"an invalid selector": {spec: v1alpha2.PackageVariantSetSpec{UpstreamSelector: &v1alpha2.UpstreamSelector{
			LabelSelector: metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a",
				Operator: "Near"}}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			is := expansion.Candidates(&v1alpha2.PackageVariantSet{Spec: c.spec})
			var got []string
			for i := range all {
				if is(&all[i]) {
					got = append(got, all[i].Name)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// matrix returns a set that selects its upstreams, and a snapshot in which it makes upstreams times targets variants.
func matrix(upstreams, targets int) (*v1alpha2.PackageVariantSet, *expansion.Snapshot) {
	set, s := newSet(2), newSnapshot(targets)
	set.Spec.Upstream, set.Spec.UpstreamSelector = nil, &v1alpha2.UpstreamSelector{Repo: "blueprints"}
	set.Spec.Targets[0].Template.Downstream.PackageExpr = ptr("upstream.package + '-' + repository.labels.region")
	s.PackageRevisions = nil
	for i := range upstreams {
		s.PackageRevisions = append(s.PackageRevisions, expansion.PackageRevision{Repo: "blueprints",
			Package: fmt.Sprintf("pkg-%d", i), Revision: "1", Published: true})
	}
	return set, s
}

// TestMatrixIsLinear counts the allocations of an expansion: each variant costs as many, however they come about.
func TestMatrixIsLinear(t *testing.T) {
	each := func(upstreams, targets int) float64 {
		set, s := matrix(upstreams, targets)
		return testing.AllocsPerRun(5, func() {
			got, err := expansion.Expand(set, "spec", s)
			if err != nil || len(got.Variants) != upstreams*targets {
				t.Fatal(got, err)
			}
		}) / float64(upstreams*targets)
	}
	few := each(10, 20)
	for _, c := range [][2]int{{200, 20}, {10, 400}, {100, 100}} {
		if got := each(c[0], c[1]); got > few {
			t.Errorf("%d upstreams times %d targets: %.1f allocations for each variant, and %.1f for one of 200", c[0], c[1],
				got, few)
		}
	}
}

// BenchmarkMatrix measures the expansion of many upstreams for many targets.
func BenchmarkMatrix(b *testing.B) {
	for _, upstreams := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%d upstreams, 100 targets", upstreams), func(b *testing.B) {
			set, s := matrix(upstreams, 100)
			b.ReportAllocs()
			for b.Loop() {
				if got, err := expansion.Expand(set, "spec", s); err != nil || len(got.Variants) != upstreams*100 {
					b.Fatal(got, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*upstreams*100), "ns/variant")
		})
	}
}
