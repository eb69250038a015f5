// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lists is a reader that lists these.
type lists struct {
	client.Reader
	variants  []v1alpha1.PackageVariant
	sets      []v1alpha2.PackageVariantSet
	noVariant error
}

func (l *lists) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	switch list := list.(type) {
	case *v1alpha1.PackageVariantList:
		list.Items = l.variants
		return l.noVariant
	case *v1alpha2.PackageVariantSetList:
		list.Items = l.sets
		return nil
	default:
		return fmt.Errorf("a list of %T", list)
	}
}

// scrape returns the series of a collector, as Prometheus writes them.
func scrape(t *testing.T, c *collector) (series []string) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			series = append(series, fmt.Sprintf("%s{%s} %v", f.GetName(), strings.Join(labels, ","), m.GetGauge().GetValue()))
		}
	}
	return series
}

// conditions are those of an object of which one condition is True, for its generation 2.
func conditions(isTrue, reason string) []metav1.Condition {
	var all []metav1.Condition
	v1alpha1.Condition{Type: isTrue, Reason: reason, Message: "m"}.Set(&all, 2)
	return all
}

func variant(namespace string, of []metav1.Condition) v1alpha1.PackageVariant {
	return v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Generation: 2},
		Status: v1alpha1.PackageVariantStatus{Conditions: of}}
}

// TestVariants checks by which labels variants are counted.
func TestVariants(t *testing.T) {
	t.Parallel()
	old := variant("eu", conditions("Ready", "UpToDate"))
	old.Generation = 3
	l := &lists{variants: []v1alpha1.PackageVariant{
		variant("eu", conditions("Ready", "UpToDate")), variant("eu", conditions("Ready", "UpToDate")),
		variant("us", conditions("Ready", "UpToDate")), variant("us", conditions("Ready", "BranchMoved")),
		variant("eu", conditions("Stalled", "RenderFailed")), variant("eu", conditions("Reconciling", "PorchUnavailable")),
		variant("eu", conditions("Stalled", "by-another-controller-17")),
		variant("eu", conditions("Stalled", "by-another-controller-18")),
		variant("eu", []metav1.Condition{{Type: "Ready", Status: "False", Reason: "Error", ObservedGeneration: 2}}),
		variant("us", nil), old,
	}}
	c := &collector{}
	c.serve(l)
	if diff := cmp.Diff([]string{
		"package_variants{namespace=eu,reason=Other,state=Reconciling} 1",
		"package_variants{namespace=eu,reason=Pending,state=Reconciling} 1",
		"package_variants{namespace=eu,reason=PorchUnavailable,state=Reconciling} 1",
		"package_variants{namespace=eu,reason=UpToDate,state=Ready} 2",
		"package_variants{namespace=eu,reason=Other,state=Stalled} 2",
		"package_variants{namespace=eu,reason=RenderFailed,state=Stalled} 1",
		"package_variants{namespace=us,reason=BranchMoved,state=Ready} 1",
		"package_variants{namespace=us,reason=Pending,state=Reconciling} 1",
		"package_variants{namespace=us,reason=UpToDate,state=Ready} 1",
	}, scrape(t, c), inAnyOrder); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	l.variants = l.variants[2:3]
	if diff := cmp.Diff([]string{"package_variants{namespace=us,reason=UpToDate,state=Ready} 1"}, scrape(t, c)); diff != "" {
		t.Errorf("when the others are deleted, -want +got:\n%s", diff)
	}
}

var inAnyOrder = cmpopts.SortSlices(strings.Compare)

// TestSets checks the series of sets, with a rollout and without.
func TestSets(t *testing.T) {
	t.Parallel()
	set := func(name string, status v1alpha2.PackageVariantSetStatus) v1alpha2.PackageVariantSet {
		return v1alpha2.PackageVariantSet{ObjectMeta: metav1.ObjectMeta{Namespace: "eu", Name: name, Generation: 2},
			Status: status}
	}
	l := &lists{sets: []v1alpha2.PackageVariantSet{
		set("new", v1alpha2.PackageVariantSetStatus{}),
		set("plain", v1alpha2.PackageVariantSetStatus{Conditions: conditions("Ready", "VariantsReady"),
			Counts: &v1alpha2.VariantCounts{Desired: 7, UpToDate: 6, Updated: 5, PendingApproval: 4, Conflicted: 3, Suspended: 2,
				Failed: 1}}),
		set("waves", v1alpha2.PackageVariantSetStatus{Conditions: conditions("Stalled", "RolloutStopped"),
			Rollout: &v1alpha2.RolloutStatus{Phase: v1alpha2.RolloutStopped, Waves: []v1alpha2.WaveStatus{
				{Name: "canary", Targets: 5, Updated: 4, Reached: 3, Failed: 2, Suspended: 1}, {Name: "rest"},
			}}}),
	}}
	c := &collector{}
	c.serve(l)
	if diff := cmp.Diff([]string{
		"package_variant_set_rollout{namespace=eu,phase=AwaitingApproval,set=waves} 0",
		"package_variant_set_rollout{namespace=eu,phase=Complete,set=waves} 0",
		"package_variant_set_rollout{namespace=eu,phase=Paused,set=waves} 0",
		"package_variant_set_rollout{namespace=eu,phase=Progressing,set=waves} 0",
		"package_variant_set_rollout{namespace=eu,phase=Stopped,set=waves} 1",
		"package_variant_set_targets{namespace=eu,set=plain,state=Conflicted} 3",
		"package_variant_set_targets{namespace=eu,set=plain,state=Desired} 7",
		"package_variant_set_targets{namespace=eu,set=plain,state=Failed} 1",
		"package_variant_set_targets{namespace=eu,set=plain,state=PendingApproval} 4",
		"package_variant_set_targets{namespace=eu,set=plain,state=Suspended} 2",
		"package_variant_set_targets{namespace=eu,set=plain,state=UpToDate} 6",
		"package_variant_set_targets{namespace=eu,set=plain,state=Updated} 5",
		"package_variant_set_wave_targets{namespace=eu,set=waves,state=Desired,wave=canary} 5",
		"package_variant_set_wave_targets{namespace=eu,set=waves,state=Desired,wave=rest} 0",
		"package_variant_set_wave_targets{namespace=eu,set=waves,state=Failed,wave=canary} 2",
		"package_variant_set_wave_targets{namespace=eu,set=waves,state=Failed,wave=rest} 0",
		"package_variant_set_wave_targets{namespace=eu,set=waves,state=Reached,wave=canary} 3",
		"package_variant_set_wave_targets{namespace=eu,set=waves,state=Reached,wave=rest} 0",
		"package_variant_set_wave_targets{namespace=eu,set=waves,state=Suspended,wave=canary} 1",
		"package_variant_set_wave_targets{namespace=eu,set=waves,state=Suspended,wave=rest} 0",
		"package_variant_set_wave_targets{namespace=eu,set=waves,state=Updated,wave=canary} 4",
		"package_variant_set_wave_targets{namespace=eu,set=waves,state=Updated,wave=rest} 0",
		"package_variant_sets{namespace=eu,reason=Pending,state=Reconciling} 1",
		"package_variant_sets{namespace=eu,reason=RolloutStopped,state=Stalled} 1",
		"package_variant_sets{namespace=eu,reason=VariantsReady,state=Ready} 1",
	}, scrape(t, c), inAnyOrder); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	l.sets = nil
	if got := scrape(t, c); len(got) > 0 {
		t.Errorf("when they are deleted, there are %q", got)
	}
}

// TestNotServed checks that there are no series while there is no cache to count in, and that what cannot be read does
// not take the others with it.
func TestNotServed(t *testing.T) {
	t.Parallel()
	c := &collector{}
	if got := scrape(t, c); len(got) > 0 {
		t.Errorf("before the controllers run, there are %q", got)
	}
	l := &lists{noVariant: errors.New("the cache is not synced"), variants: []v1alpha1.PackageVariant{variant("eu", nil)},
		sets: []v1alpha2.PackageVariantSet{{ObjectMeta: metav1.ObjectMeta{Namespace: "eu"}}}}
	c.serve(l)
	want := []string{"package_variant_sets{namespace=eu,reason=Pending,state=Reconciling} 1"}
	if diff := cmp.Diff(want, scrape(t, c)); diff != "" {
		t.Errorf("where variants cannot be read, -want +got:\n%s", diff)
	}
	c.serve(nil)
	if got := scrape(t, c); len(got) > 0 {
		t.Errorf("when the controllers have ended, there are %q", got)
	}
}

// TestReasons checks that the reasons of the label are those that the API has of the condition Ready.
func TestReasons(t *testing.T) {
	t.Parallel()
	var want []string
	for _, file := range []string{"v1alpha1/conditions.go", "v1alpha2/conditions.go", "v1alpha2/rollout_status_types.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "..", "api", filepath.FromSlash(file)),
			nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			block, ok := d.(*ast.GenDecl)
			if !ok || !strings.HasPrefix(block.Doc.Text(), "Reasons of the conditions Ready") {
				continue
			}
			for _, spec := range block.Specs {
				value, err := strconv.Unquote(spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, value)
			}
		}
	}
	if diff := cmp.Diff(want, reasons); diff != "" || len(want) < 30 {
		t.Errorf("%d in the API, -want +got:\n%s", len(want), diff)
	}
}
