// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/metrics"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// expectMetrics waits until the metrics of a controller have these values: a metric and its labels, as in
// "package_variants state=Ready", and a sum.
func (w *world) expectMetrics(c *controller.Process, want map[string]float64) {
	w.t.Helper()
	w.Eventually("the metrics are as they are to be", func() error {
		families, err := c.Metrics()
		if err != nil {
			return err
		}
		got := map[string]float64{}
		for metric := range want {
			name, selection, _ := strings.Cut(metric, " ")
			labels := map[string]string{}
			for label := range strings.FieldsSeq(selection) {
				key, value, _ := strings.Cut(label, "=")
				labels[key] = value
			}
			got[metric] = families.Sum(name, labels)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("-want +got:\n%s", diff)
		}
		return nil
	})
}

// TestDeliveries checks that a package is measured once: when it is first ready and published with an upstream
// revision, and not after an edit nor by a restarted controller.
func TestDeliveries(t *testing.T) {
	const ready, published = "package_variant_delivery_seconds until=Ready",
		"package_variant_delivery_seconds until=Published"
	w := newWorld(t)
	began := time.Now().Add(-time.Second) // times in the API are whole seconds
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", tag("latest")))
	c := w.start()
	first := w.target("web")
	w.expectMetrics(c, map[string]float64{
		ready: 1, published: 0, "package_variants": 1, "package_variants state=Ready reason=UpToDate namespace=" + w.Namespace: 1,
		"package_variant_porch_call_seconds call=Clone result=ok": 1, "package_variant_porch_call_seconds call=SaveContent": 1,
	})
	w.publish(first)
	w.seesPublished("web")
	w.expectMetrics(c, map[string]float64{ready: 1, published: 1})
	u := w.Variant("web").Status.Upstream
	if u.ReadyAt == nil || u.DeliveredAt == nil || u.ReadyAt.Time.Before(began) ||
		u.DeliveredAt.Time.Before(u.ReadyAt.Add(-time.Second)) {
		t.Errorf("the status says %+v, of what began at %s", u, began)
	}
	families, err := c.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range families["package_variant_delivery_seconds"].GetMetric() {
		if sum := m.GetHistogram().GetSampleSum(); sum < 0 || sum > time.Since(began).Seconds() {
			t.Errorf("%v was measured of what began %s ago", sum, time.Since(began))
		}
	}

	c.Stop()
	c = w.start()
	w.Apply(newVariant("web", tag("latest"), zone))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.publish("edge.web.packagevariant-2")
	w.seesPublished("web")
	w.quiet(c)
	w.expectMetrics(c, map[string]float64{ready: 0, published: 0, "package_variants": 1,
		"package_variant_porch_call_seconds call=Edit result=ok": 1})

	w.Publish("blueprints", "web", "v2", settingsV2)
	w.waitTarget("web", "edge.web.packagevariant-3")
	w.expectMetrics(c, map[string]float64{ready: 1, published: 0,
		"package_variant_porch_call_seconds call=Upgrade result=ok": 1})

	w.Delete(newVariant("web"))
	w.waitGone("web")
	w.expectMetrics(c, map[string]float64{"package_variants": 0})
	if families, err = c.Metrics(); err != nil || families["package_variants"] != nil {
		t.Errorf("of a variant that is deleted there are %v, error %v", families["package_variants"], err)
	}
}

// TestRolloutMetrics checks the metrics of a set and its waves, that a deleted set has no metrics, and that all metrics
// have the types and labels that the manual lists.
func TestRolloutMetrics(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.site("alpha", "canary")
	w.site("north", "sites")
	w.Publish("blueprints", "web", "v1", simple())
	set := newSet(t, rolloutSet+canaryThenSites)
	w.Apply(set)
	c := w.start()
	w.waitRollout("AwaitingApproval", "RolloutAwaitingApproval", "canary AwaitingApproval 1/1/1/0", "sites Pending 1/0/0/0")
	const targets, waves = "package_variant_set_targets set=fleet ", "package_variant_set_wave_targets set=fleet "
	w.expectMetrics(c, map[string]float64{
		"package_variant_sets state=Reconciling reason=RolloutAwaitingApproval namespace=" + w.Namespace: 1,
		"package_variant_set_rollout set=fleet phase=AwaitingApproval":                                   1,
		"package_variant_set_rollout set=fleet":                                                          1,
		targets + "state=Desired":                                                                        2,
		targets + "state=Updated":                                                                        1,
		targets + "state=UpToDate":                                                                       1,
		waves + "wave=canary state=Desired":                                                              1,
		waves + "wave=canary state=Reached":                                                              1,
		waves + "wave=sites state=Desired":                                                               1,
		waves + "wave=sites state=Reached":                                                               0,
	})
	w.expectPage(c)
	w.Delete(&v1alpha2.PackageVariantSet{ObjectMeta: metav1.ObjectMeta{Name: "fleet"}})
	w.Eventually("nothing is told of a set that is deleted", func() error {
		families, err := c.Metrics()
		if err != nil {
			return err
		}
		for name := range families {
			if strings.HasPrefix(name, "package_variant_set") {
				return fmt.Errorf("there is %s", name)
			}
		}
		return nil
	})
}

// expectPage fails the test unless the controller's own metrics are those of docs/metrics.md.
func (w *world) expectPage(c *controller.Process) {
	w.t.Helper()
	families, err := c.Metrics()
	if err != nil {
		w.t.Fatal(err)
	}
	page, err := metrics.Page(filepath.Join("..", "..", "docs", "metrics.md"), "package_variant")
	if err != nil {
		w.t.Fatal(err)
	}
	got := map[string]metrics.Description{}
	for name, family := range families {
		if !strings.HasPrefix(name, "package_variant") {
			continue
		}
		d := metrics.Description{Type: strings.ToLower(family.GetType().String())}
		for _, label := range family.GetMetric()[0].GetLabel() {
			d.Labels = append(d.Labels, label.GetName())
		}
		slices.Sort(d.Labels)
		got[name] = d
	}
	if diff := cmp.Diff(page, got, cmpopts.EquateEmpty()); diff != "" {
		w.t.Errorf("metrics on the page (-) and of the controller (+):\n%s", diff)
	}
}
