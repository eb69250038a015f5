// SPDX-License-Identifier: Apache-2.0

package expansion_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

// explicitSet returns a set with as many lists of as many packages.
func explicitSet(lists, packages int) *v1alpha2.PackageVariantSet {
	set := newSet(1)
	set.Spec.Targets[0] = v1alpha2.Target{}
	for i := range lists {
		r := v1alpha2.RepositoryTarget{Name: fmt.Sprintf("edge-%06d", i)}
		for j := range packages {
			r.PackageNames = append(r.PackageNames, fmt.Sprintf("p%d", j))
		}
		set.Spec.Targets[0].Repositories = append(set.Spec.Targets[0].Repositories, r)
	}
	return set
}

// exprSet returns a set with as many different expressions, each of which ends with a number.
func exprSet(format string, n int) *v1alpha2.PackageVariantSet {
	set := newSet(1)
	set.Spec.Targets[0].Template.PackageContext.DataExprs = nil
	for i := range n {
		source := fmt.Sprintf(format, i)
		set.Spec.Targets[0].Template.PackageContext.DataExprs = append(set.Spec.Targets[0].Template.PackageContext.DataExprs,
			v1alpha2.MapExpr{Key: ptr(fmt.Sprintf("k%d", i)), ValueExpr: &source})
	}
	return set
}

// setOf returns a set of 10,000 targets with a template.
func setOf(t v1alpha2.PackageVariantTemplate) *v1alpha2.PackageVariantSet {
	set := explicitSet(10_000, 1)
	set.Spec.Targets[0].Template = &t
	return set
}

// TestSetBounds checks how much there may be in a set, that more is refused with one sentence, and that it is refused
// before it is paid for.
func TestSetBounds(t *testing.T) { //nolint:paralleltest // it measures memory
	const exprs = "spec.targets[0].template.packageContext.dataExprs"
	const tooLong = "use fewer, or shorter ones"
	twice := newSet(1)
	twice.Spec.Upstream, twice.Spec.Upstreams = nil, []variant.Upstream{
		{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(3)},
		{Repo: "blueprints", Package: "shop", Revision: variant.RevisionNumber(3)}}
	packages := newSet(1)
	packages.Spec.Targets[0].RepositorySelector.PackageNames = explicitSet(1, 10_000).Spec.Targets[0].Repositories[0].PackageNames
	const smaller = "make the templates smaller, select fewer, or split the set"
	var honest, pairs, injectors, selectors v1alpha2.PackageVariantTemplate
	honest.Labels = map[string]string{"tier": "edge", "team": "payments"}
	honest.PackageContext = &v1alpha2.PackageContextTemplate{Data: map[string]string{"region": "eu", "zone": "a", "size": "m"}}
	honest.Injectors = []v1alpha2.InjectionSelectorTemplate{{Kind: ptr("ConfigMap"), Name: ptr("a")}}
	pairs.Annotations = map[string]string{}
	for i := range 1_000 {
		pairs.Annotations[fmt.Sprint(i)] = ""
	}
	for range 200 {
		injectors.Injectors = append(injectors.Injectors, v1alpha2.InjectionSelectorTemplate{Kind: ptr("C"), Name: ptr("a")})
	}
	selectors.Pipeline = &v1alpha2.PipelineTemplate{Mutators: []v1alpha2.FunctionTemplate{
		{Function: variant.Function{Image: "a", Selectors: make([]variant.Selector, 1_000)}}}}
	for name, c := range map[string]struct {
		set          *v1alpha2.PackageVariantSet
		repositories int
		want         string
	}{
		"10,000 targets": {explicitSet(10_000, 1), 10_000, ""},
		"100,000 in ten lists": {explicitSet(10, 10_000), 10,
			"spec.targets: select 100000 variants in all, and a set may have 10000: select fewer, or split the set"},
		"100,000 by a selector": {packages, 10,
			"spec.targets[0].repositorySelector: select 100000 variants in all, and a set may have 10000: select fewer, or split the set"},
		"two upstreams": {twice, 5_001,
			"spec.targets: select 10002 variants in all, and a set may have 10000: select fewer, or split the set"},
		"10,000 targets of honest templates": {setOf(honest), 10_000, ""},
		"many pairs": {setOf(pairs), 10_000,
			"spec.targets: give 10000 variants 10000000 values in all by their templates, and a set may have 200000: " + smaller},
		"many injectors": {setOf(injectors), 10_000,
			"spec.targets: give 10000 variants 4000000 values in all by their templates, and a set may have 200000: " + smaller},
		"many selectors": {setOf(selectors), 10_000,
			"spec.targets: give 10000 variants 10010000 values in all by their templates, and a set may have 200000: " + smaller},
		"1,000 expressions": {exprSet("repository.labels.env + '-%d'", 1_000), 1, ""},
		"many expressions": {exprSet("'%d'", 40_000), 1,
			exprs + "[1999].valueExpr: brings the different expressions of this set to 2001 with 10937 bytes, and a set may have " +
				"2000 with 262144 bytes: " + tooLong},
		"long expressions": {exprSet("'"+strings.Repeat("x", 9_000)+"%d'", 40), 1,
			exprs + "[29].valueExpr: brings the different expressions of this set to 31 with 270157 bytes, and a set may have " +
				"2000 with 262144 bytes: " + tooLong},
		"honest patterns": {exprSet("target.name.matches('^edge-[a-z]{2,8}-[0-9]{1,4}$') ? 'a' : 'b%d'", 500), 1, ""},
		"patterns with repetitions": {exprSet("''.matches('a{1000}%d') ? 'a' : 'b'", 40_000), 1,
			exprs + `[66].valueExpr: cannot compile "''.matches('a{1000}66') ? 'a' : 'b'": ` + tooManySteps},
		"patterns that are converted": {exprSet("''.matches(string(b'a{1000}%d')) ? 'a' : 'b'", 1_000), 1,
			exprs + `[66].valueExpr: cannot compile "''.matches(string(b'a{1000}66')) ? 'a' : 'b'": ` + tooManySteps},
		"a pattern of parts": {exprSet("target.name.matches('^' + repoDefault + '-[0-9]{1,4}$') ? 'a' : 'b%d'", 1), 1, ""},
		"a large pattern of parts": {exprSet("''.matches('("+strings.Repeat("a", 1_500)+"' + '){1000}') ? 'a' : 'b%d'", 1), 1,
			exprs + `[0].valueExpr: cannot evaluate "''.matches('(` + strings.Repeat("a", 187) + `..." for target edge-000000/web: ` + notConstant},
		"a long pattern of parts": {exprSet("matches('', '"+strings.Repeat("a", 2_000)+"' + 'a') ? 'a' : 'b%d'", 1), 1,
			exprs + `[0].valueExpr: cannot evaluate "matches('', '` + strings.Repeat("a", 187) + `..." for target edge-000000/web: ` + notConstant},
		"a long pattern of parts with a short program": {exprSet("matches('', '["+strings.Repeat("a", 2_000)+"' + ']') ? 'a' : 'b%d'", 1), 1,
			exprs + `[0].valueExpr: cannot evaluate "matches('', '[` + strings.Repeat("a", 186) + `..." for target edge-000000/web: ` + notConstant},
		"one pattern": {exprSet("''.matches('("+strings.Repeat("ab", 100)+"){1000}%d') ? 'a' : 'b'", 1), 1,
			exprs + `[0].valueExpr: cannot compile "''.matches('(` + strings.Repeat("ab", 93) + `a...": ` + tooManySteps},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSnapshot(c.repositories)
			s.PackageRevisions = append(s.PackageRevisions, expansion.PackageRevision{Repo: "blueprints", Package: "shop",
				Revision: "3", Published: true})
			before := allocated()
			err := expansion.Validate(c.set, "spec")
			if err == nil {
				_, err = expansion.Expand(c.set, "spec", s)
			}
			used := allocated() - before
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			t.Logf("%d MiB were allocated", used>>20)
			if used > 300<<20 {
				t.Errorf("%d MiB were allocated", used>>20)
			}
		})
	}
}

const tooManySteps = "the regular expressions of this set have programs of more than 200000 steps: use fewer, or with " +
	"fewer repetitions"

const notConstant = "matches takes a regular expression that is not constant up to 2000 bytes, and up to as many steps " +
	"of its program: use a constant, a shorter one, or fewer repetitions"

// allocated returns how many bytes were allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
