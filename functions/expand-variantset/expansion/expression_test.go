// SPDX-License-Identifier: Apache-2.0

package expansion_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

// evaluate returns what an expression gives for a Repository that is target and repository, with the labels and
// annotations given.
func evaluate(source string, labels, annotations map[string]string) (string, error) {
	set := newSet(0)
	set.Spec.Targets[0].RepositorySelector = &v1alpha2.RepositorySelector{}
	set.Spec.Targets[0].Template = &v1alpha2.PackageVariantTemplate{PackageContext: &v1alpha2.PackageContextTemplate{
		DataExprs: []v1alpha2.MapExpr{{Key: ptr("x"), ValueExpr: &source}},
	}}
	s := newSnapshot(1)
	s.Repositories[0].Labels, s.Repositories[0].Annotations = labels, annotations
	got, err := expansion.Expand(set, "spec", s)
	if err != nil {
		return "", err
	}
	return got.Variants[0].Spec.PackageContext.Data["x"], nil
}

// TestExpressions checks what expressions give. Those that Porch accepts have a test beside Porch's own controller.
func TestExpressions(t *testing.T) {
	t.Parallel()
	labels := map[string]string{"env": "prod", "region": "eu", "a": "1", "z": "26", "zone": "b", "m": "13"}
	for source, want := range map[string]string{
		"target.labels['env'] + target.labels['region']":                           "prodeu",
		"repository.labels['env'] + repository.name":                               "prodedge-000000",
		"target.name + target.labels['env']":                                       "edge-000000prod",
		"string(target.labels.env + target.labels.region + target.name)":           "prodeuedge-000000",
		"target['labels']['env'] + target['name'] + target.labels['env']":          "prodedge-000000prod",
		"target.labels.env.upperAscii().replace('R', 'r').substring(1)":            "rOD",
		"(target.labels.env + '-' + target.labels.zone).split('-').join('/')":      "prod/b",
		"'%s in %s'.format([target.name, target.labels.region])":                   "edge-000000 in eu",
		"target.labels.map(k, k).join(',')":                                        "a,env,m,region,z,zone",
		"target.labels.filter(k, target.labels[k].size() == 1).join(',')":          "a,zone",
		"target.labels.map(k, k + '=' + target.labels[k]).join(',')":               "a=1,env=prod,m=13,region=eu,z=26,zone=b",
		"target['labels'].map(k, k).join(',')":                                     "a,env,m,region,z,zone",
		"target.map(k, k).join(',')":                                               "annotations,labels,name,namespace",
		"{'z': 1, 'b': 2, 'x': 3, 'a': 4, 'm': 5}.map(k, k).join('')":              "abmxz",
		"{9: 'a', 10: 'b', 1: 'c', 5: 'd'}.map(k, string(k)).join(',')":            "1,5,9,10",
		"string([target.labels, repository.labels].map(m, m.size()).size())":       "2",
		"target.labels == repository.labels && 'env' in target.labels ? 'y' : 'n'": "y",
	} {
		for range 20 { // Go's order of a map is another each time
			if got, err := evaluate(source, labels, nil); err != nil || got != want {
				t.Errorf("%s: got %q (%v), want %q", source, got, err, want)
				break
			}
		}
	}
}

// TestHiddenAnnotation checks that expressions do not see the annotation in which kubectl repeats the whole object, a
// Secret with its data for one.
func TestHiddenAnnotation(t *testing.T) {
	t.Parallel()
	annotations := map[string]string{"a": "b", "kubectl.kubernetes.io/last-applied-configuration": `{"data":{"p":"secret"}}`}
	for source, want := range map[string]string{
		"target.annotations.map(k, k + '=' + target.annotations[k]).join(',')":                         "a=b",
		"repository.annotations.map(k, k).join(',')":                                                   "a",
		"'kubectl.kubernetes.io/last-applied-configuration' in target.annotations ? 'seen' : 'hidden'": "hidden",
	} {
		if got, err := evaluate(source, nil, annotations); err != nil || got != want {
			t.Errorf("%s: got %q (%v), want %q", source, got, err, want)
		}
	}
	if len(annotations) != 2 {
		t.Errorf("the annotations of the object have changed: %v", annotations)
	}
}

// TestLimits checks that results and sets that are too large are refused, and what is just small enough is not.
func TestLimits(t *testing.T) {
	t.Parallel()
	const field = "spec.targets[0].template.packageContext.dataExprs[0].valueExpr: cannot evaluate "
	big := map[string]string{"a": strings.Repeat("x", 250_000), "full": strings.Repeat("x", 16<<10),
		"more": strings.Repeat("x", 16<<10+1)}
	joined := strings.Repeat("target.annotations.a + ", 200) + "''"
	for source, want := range map[string]string{
		"target.annotations.full": "",
		"target.annotations.more": `"target.annotations.more" for target edge-000000/web: ` +
			`it gives 16385 bytes, and a value may have 16384: make it shorter`,
		joined: fmt.Sprintf("%q", joined[:200]+"...") +
			` for target edge-000000/web: it is too expensive and was stopped at the cost limit of 100000: make it simpler`,
		"target.annotations.more.replace('x', target.annotations.full)": `"target.annotations.more.replace('x', ` +
			`target.annotations.full)" for target edge-000000/web: replace gives a text of at most 256 KiB: make it smaller`,
		"lists.range(100).map(i, target.annotations.a).join('')": `"lists.range(100).map(i, ` +
			`target.annotations.a).join('')" for target edge-000000/web: join takes lists of at most 1000 elements and texts ` +
			`of at most 256 KiB in all: make them smaller`,
		"(lists.range(600) + lists.range(600)).slice(0, 1).size() > 0 ? 'a' : 'b'": `"(lists.range(600) + lists.range(600)).slice(` +
			`0, 1).size() > 0 ? 'a' : 'b'" for target edge-000000/web: slice takes lists of at most 1000 elements and texts of ` +
			`at most 256 KiB in all: make them smaller`,
		"lists.range(1001).size() > 0 ? 'a' : 'b'": `"lists.range(1001).size() > 0 ? 'a' : 'b'" for target ` +
			`edge-000000/web: lists.range: size 1001 exceeds maximum allowed (1000)`,
		"'%.1000000000f'.replace('', '').format([1.0])": `"'%.1000000000f'.replace('', '').format([1.0])" ` +
			`for target edge-000000/web: could not parse formatting clause: error while parsing precision: ` +
			`precision 1000000000 exceeds maximum allowed precision 100`,
	} {
		got, err := evaluate(source, nil, big)
		switch {
		case want == "" && (err != nil || len(got) != 16<<10):
			t.Errorf("%.60s: got %d bytes and error %v", source, len(got), err)
		case want != "" && (err == nil || err.Error() != field+want):
			t.Errorf("%.60s: got error %v, want %s", source, err, field+want)
		}
	}
}

// TestSetLimits checks that a set is bounded in whole, and fails alone.
func TestSetLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source  string
		targets int
		want    string
	}{
		"size": {"target.labels.text", 2_000,
			"spec.targets[0].template: makes, with target edge-001047/web, more than the 16 MiB that all variants of a set " +
				"may have: make its values shorter, or select fewer targets"},
		"cost": {"lists.range(100).map(i, i * i + i * 2 + i % 7).size() > 0 ? 'a' : 'b'", 8_000,
			`spec.targets[0].template.packageContext.dataExprs[0].valueExpr: cannot evaluate "lists.range(100).map(i, i * i + ` +
				`i * 2 + i % 7).size() > 0 ? 'a' : 'b'" for target edge-006880/web: ` +
				"the expressions of this set have come to the cost limit of 50000000 for all targets: " +
				"make them simpler, or select fewer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, s := newSet(1), newSnapshot(c.targets)
			set.Spec.Targets[0].Template.PackageContext.DataExprs = []v1alpha2.MapExpr{{Key: ptr("x"), ValueExpr: &c.source}}
			set.Spec.Targets[0].Template.Downstream.PackageExpr = ptr("packageDefault + '-x'")
			for i := range s.Repositories {
				s.Repositories[i].Labels = map[string]string{"env": "prod", "text": strings.Repeat("x", 16_020)}
			}
			_, err := expansion.Expand(set, "spec", s)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCostStopsInTime checks that no expression runs for long, however it tries. It asserts no time: an expression that
// is not stopped would make the test binary run into its timeout.
func TestCostStopsInTime(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x,", 100_000)
	for _, source := range []string{
		"lists.range(1000).map(a, lists.range(1000).map(b, lists.range(1000).map(c, a * b * c))).size() > 0 ? 'a' : 'b'",
		"'a'.replace('', 'aaaaaaaaaa').replace('', 'aaaaaaaaaa').replace('', 'aaaaaaaaaa').replace('', " +
			"'aaaaaaaaaa').replace('', 'aaaaaaaaaa').replace('', 'aaaaaaaaaa')",
		"repository.annotations.huge.split(',').map(a, repository.annotations.huge.split(',').size()).size() == 1 ? 'a' : " +
			"'b'",
		"lists.range(100000000).size() == 1 ? 'a' : 'b'",
		"[lists.range(1000)].map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x).map(x, x " +
			"+ x).map(x, x + x).size() == 1 ? 'a' : 'b'",
		"[repository.annotations.huge.split(',')].map(x, x.distinct().size()).size() == 1 ? 'a' : 'b'",
		"repository['annotations'].huge.replace(',', repository['annotations'].huge)",
		"lists.range(1000).map(i, repository['annotations']['huge'].matches('(x,)*x{100}')).size() == 1 ? 'a' : 'b'",
		"[lists.range(900)].map(x, x.map(i, x)).map(x, x.map(i, x)).flatten(3).size() == 1 ? 'a' : 'b'",
		"lists.range(1000).distinct().map(a, lists.range(1000).distinct().size()).size() == 1 ? 'a' : 'b'",
	} {
		t.Run(source[:min(len(source), 40)], func(t *testing.T) {
			t.Parallel()
			set := newSet(1)
			set.Spec.Targets[0].Template.LabelExprs = []v1alpha2.MapExpr{{Key: ptr("x"), ValueExpr: &source}}
			s := newSnapshot(1)
			s.Repositories[0].Annotations = map[string]string{"huge": huge}
			start := time.Now()
			_, err := expansion.Expand(set, "spec", s)
			t.Logf("%v: %v", time.Since(start), err)
			if err == nil || !strings.Contains(err.Error(),
				"spec.targets[0].template.labelExprs[0].valueExpr: cannot evaluate") {
				t.Errorf("got %v, want an error of the expression", err)
			}
		})
	}
}
