// SPDX-License-Identifier: Apache-2.0

package expansion_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 30)
	for name, c := range map[string]struct{ set, repo, pkg, want string }{
		"readable":      {"web", "edge-1", "web", "web-edge-1-web-v831j5f0mm"},
		"a-b/c":         {"s", "a-b", "c", "s-a-b-c-e39kk8qp3t"},
		"a/b-c":         {"s", "a", "b-c", "s-a-b-c-2zabc39jq2"},
		"path":          {"s", "r", "apps/Web_1.2", "s-r-apps-web-1-2-xy21j34sb6"},
		"cut":           {"s", "r", long, ""},
		"cut elsewhere": {"s", "r", long + "x", ""},
		"unreadable":    {"é", "ü", "ß", ""},
	} {
		got := expansion.Name(c.set, c.repo, c.pkg)
		if c.want != "" && got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		checkName(t, got)
	}
	if a, b := expansion.Name("s", "r", long), expansion.Name("s", "r", long+"x"); a == b {
		t.Errorf("names that are cut collide: %s", a)
	}
}

var dnsLabel = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

func checkName(t *testing.T, name string) {
	t.Helper()
	if len(name) > 63 || !dnsLabel.MatchString(name) {
		t.Errorf("%q is no DNS label", name)
	}
}

// FuzzVariantName checks that every name is a DNS label, and that the same parts cut differently give another name.
func FuzzVariantName(f *testing.F) {
	f.Add("web", "a-b", "c")
	f.Add("web", "a/b", "../c")
	f.Add("", "", "")
	f.Fuzz(func(t *testing.T, set, repo, pkg string) {
		checkName(t, expansion.Name(set, repo, pkg))
		if pkg != "" && expansion.Name(set, repo, pkg) == expansion.Name(set, repo+"-"+pkg[:1], pkg[1:]) {
			t.Errorf("%q %q %q: the name does not tell the parts apart", set, repo, pkg)
		}
	})
}

// TestFindUpstream checks that the function reads numbers in each of Porch's notations; the rule has its table in the
// API.
func TestFindUpstream(t *testing.T) {
	t.Parallel()
	revision := func(workspace, number string) expansion.PackageRevision {
		r := expansion.PackageRevision{Repo: "r", Package: "p", WorkspaceName: workspace, Revision: number, Published: true}
		r.Labels = map[string]string{variant.TagLabelPrefix + "stable": fmt.Sprint(number == "v9")}
		return r
	}
	all := []expansion.PackageRevision{revision("main", "-1"), revision("w10", "10"), revision("w9", "v9"),
		revision("draft", "0")}
	for revision, want := range map[string]string{
		"10": "w10", "v10": "w10", "9": "w9", "latest": "w10", "stable": "w9", "main": "w10", "11": "",
	} {
		r, err := variant.ParseRevision(revision)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if found := expansion.FindUpstream(&variant.Upstream{Repo: "r", Package: "p", Revision: r}, all); found != nil {
			got = found.WorkspaceName
		}
		if got != want {
			t.Errorf("revision %s: got %q, want %q", revision, got, want)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// newSet returns a set over all repositories, with as many expressions for a target.
func newSet(expressions int) *v1alpha2.PackageVariantSet {
	exprs := []v1alpha2.MapExpr{
		{Key: ptr("region"), ValueExpr: ptr("repository.labels['region']")},
		{Key: ptr("env"), ValueExpr: ptr("repository.labels.env + '-' + target.name")},
		{Key: ptr("tier"), ValueExpr: ptr("repository.labels.env == 'prod' ? 'gold' : 'silver'")},
		{KeyExpr: ptr("'repo-' + repoDefault"), Value: ptr("yes")},
	}
	return &v1alpha2.PackageVariantSet{
		ObjectMeta: metav1.ObjectMeta{Name: "fleet", Namespace: "default"},
		Spec: v1alpha2.PackageVariantSetSpec{
			Upstream: &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(3)},
			Targets: []v1alpha2.Target{{
				RepositorySelector: &v1alpha2.RepositorySelector{LabelSelector: metav1.LabelSelector{MatchLabels: map[string]string{"env": "prod"}}},
				Template: &v1alpha2.PackageVariantTemplate{
					Downstream:     &v1alpha2.DownstreamTemplate{PackageExpr: ptr("packageDefault + '-' + repository.labels.region")},
					PackageContext: &v1alpha2.PackageContextTemplate{DataExprs: exprs[:max(0, expressions-1)]},
				},
			}},
		},
	}
}

// newSnapshot returns a snapshot with as many repositories.
func newSnapshot(n int) *expansion.Snapshot {
	s := &expansion.Snapshot{PackageRevisions: []expansion.PackageRevision{{Repo: "blueprints", Package: "web",
		Revision: "3", Published: true}}}
	for i := range n {
		s.Repositories = append(s.Repositories, expansion.Object{
			Name: fmt.Sprintf("edge-%06d", i), Namespace: "default",
			Labels: map[string]string{"env": "prod", "region": fmt.Sprintf("region-%d", i%20)},
		})
	}
	return s
}

// BenchmarkExpand measures the pure expansion with five expressions a target.
func BenchmarkExpand(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			set, s := newSet(5), newSnapshot(n)
			b.ReportAllocs()
			for b.Loop() {
				if got, err := expansion.Expand(set, "spec", s); err != nil || len(got.Variants) != n {
					b.Fatal(got, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/target")
		})
	}
}

func TestExpandIsPure(t *testing.T) {
	t.Parallel()
	set, s := newSet(5), newSnapshot(3)
	wantSet, wantSnapshot := set.DeepCopy(), newSnapshot(3)
	got, err := expansion.Expand(set, "spec", s)
	if err != nil || len(got.Variants) != 3 {
		t.Fatal(got, err)
	}
	got.Variants[0].Spec.PackageContext.Data["region"] = "changed"
	if diff := cmp.Diff(wantSet, set); diff != "" {
		t.Errorf("the set was changed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantSnapshot, s); diff != "" {
		t.Errorf("the snapshot was changed (-want +got):\n%s", diff)
	}
}

// FuzzExpression checks that no expression makes the function panic, hang, or end without saying why.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{
		"repository.name", "target.labels['env']", "repository.labels[", "1/0 == 1 ? 'a' : 'b'",
		"lists.range(99999999).size() == 1 ? '' : 'x'",
		"upstream.labels.all(k, k == 'a') ? 'x' : 'y'", "'%s'.format([repository])", "dyn(1)", "[1, 'a'].map(x, x)[1]",
		"target.labels['env'] + target['labels']['region'] + target.name", "upstream.labels.map(k, k).join(',')",
		"'a'.replace('', target.name)",
		"[[1]].map(x, x + x).map(x, x + x).flatten().size() == 1 ? 'a' : 'b'", "'%.9999f'.format([1.0])",
		"{'b': 1, 'a': 2}.map(k, k)[0]", "target.repo +\n  '-'",
		"variantName('s', target.repo, packageDefault)", "int(target.repo)", "variantName('s', dyn(1), '')",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		template := fmt.Sprintf("{labelExprs: [{key: x, valueExpr: %q}], downstream: {packageExpr: %q}, dependsOn: [{nameExpr: "+
			"%q, minRevisionExpr: %q}]}", source, source, source, source)
		fntest.TryPackage(t, expansion.Run, templated(template), snapshot)
		fntest.TryPackage(t, expansion.Run, templated(template)+"  errorPolicy: Continue\n", snapshot)
	})
}
