// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestSilence checks that a settled fleet causes no write and no reading of contents: of drafts and published packages,
// with injection, with functions in the pipeline. SETTLED_FOR=10m makes it ten minutes, in which watches end and begin
// again. Porch reads its repositories every ten seconds. A label, an annotation or an owner that people give to the
// upstream's revision changes nothing. A restarted controller is silent, too.
func TestSilence(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}))
	const variants = 20
	for i := range variants {
		w.Apply(newVariant(fmt.Sprintf("web-%02d", i), func(s *variant.Spec) {
			s.Pipeline = &variant.Pipeline{Mutators: []variant.Function{{Name: "c", Image: contextImage,
				ConfigMap: map[string]string{"pipe": "line"}}}}
			if i == 0 {
				s.Upstream.Revision = variant.Revision{Str: "main"} // which Porch reads again and again
			}
		}))
	}
	c := w.start()
	var targets []string
	for i := range variants {
		targets = append(targets, w.target(fmt.Sprintf("web-%02d", i)))
	}
	for _, target := range targets[variants/2:] {
		w.publish(target)
	}
	w.quiet(c)
	c.Stop()
	c = w.start() // Porch shows a branch that has a package for the first time in a list, and tells nobody
	w.Eventually("the branch is known to have what is published", func() error {
		for i := variants / 2; i < variants; i++ {
			name := fmt.Sprintf("web-%02d", i)
			if d := w.Variant(name).Status.Downstream; d == nil || !d.OnBranch {
				return fmt.Errorf("%s has %v", name, d)
			}
		}
		return nil
	})
	w.unchanged(c, tellsLate, evaluationsMetric)
	evaluations := c.Metric(evaluationsMetric, nil)
	w.proxy.Reset()
	w.decorate("blueprints.web.v1", "eu")
	time.Sleep(fromEnv(t, "SETTLED_FOR", 25*time.Second, time.ParseDuration))
	w.expectSilence(c, evaluations)
	c.Stop()
	w.proxy.Reset()
	c = w.start()
	w.Eventually("each variant is looked at", func() error {
		families, err := c.Metrics() // served only a moment after the controller is ready
		n := families.Sum(reconcilesMetric, map[string]string{"controller": "packagevariant"})
		if err == nil && n < variants {
			err = fmt.Errorf("%v are", n)
		}
		return err
	})
	w.quiet(c)
	w.expectSilence(c, 0)
}

// decorate gives a package revision a label, an annotation, and a ConfigMap as an owner.
func (w *world) decorate(name, owner string) {
	w.t.Helper()
	cm := &corev1.ConfigMap{}
	if err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: owner}, cm); err != nil {
		w.t.Fatal(err)
	}
	w.changeMeta(name, func(r *porchapi.PackageRevision) {
		if r.Labels == nil {
			r.Labels = map[string]string{}
		}
		if r.Annotations == nil {
			r.Annotations = map[string]string{}
		}
		r.Labels["team"], r.Annotations["example.com/note"] = "a", "b"
		r.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner, UID: cm.UID}}
	})
}

// expectSilence fails the test if anything was written or any content read since the proxy was reset, or if a
// controller has evaluated more than so many variants.
func (w *world) expectSilence(c *controller.Process, evaluations float64) {
	w.t.Helper()
	for _, r := range w.proxy.Requests() {
		if proxy.IsWrite(r) || r.Resource == "packagerevisionresources" {
			w.t.Errorf("a settled fleet causes %s", r)
		}
	}
	if got := c.Metric(evaluationsMetric, nil) - evaluations; got != 0 {
		w.t.Errorf("%v variants were looked into", got)
	}
}

// Counters of the controller. An evaluation looks into a variant; a reconcile may find at once that nothing has changed.
const (
	evaluationsMetric = "package_variant_evaluations_total"
	reconcilesMetric  = "controller_runtime_reconcile_total"
)

// tellsLate is for how long Porch may tell late of what was published. With the CR cache, it reads its repositories again
// in that time.
const tellsLate = 12 * time.Second

// quiet waits until the controller has been idle for a while.
func (w *world) quiet(c *controller.Process) {
	w.t.Helper()
	w.unchanged(c, 3*time.Second, reconcilesMetric)
}

// unchanged waits until a counter of the controller has stayed the same for so long. That of reconciles may not, if Porch
// is later than v1.5: it causes some each time that it reads its repositories. A call in flight counts as work, because
// Porch may be slow.
func (w *world) unchanged(c *controller.Process, still time.Duration, counter string) {
	w.t.Helper()
	last, since := -1.0, time.Now()
	w.Eventually("the controller has nothing to do", func() error {
		families, err := c.Metrics()
		if err != nil {
			return err
		}
		if now := families.Sum(counter, nil); now != last ||
			families.Sum("controller_runtime_active_workers", nil) > 0 {
			last, since = now, time.Now()
		}
		if time.Since(since) < still {
			return fmt.Errorf("%s is %v, and has changed within %s", counter, last, still)
		}
		return nil
	})
}

// TestOnlyTheAffected publishes revisions and changes objects, and counts the variants that are reconciled.
func TestOnlyTheAffected(t *testing.T) {
	w := newWorld(t)
	for _, pkg := range []string{"web", "shop", "other"} {
		w.Publish("blueprints", pkg, "v1", blueprint())
	}
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), configMap("us", map[string]string{"api": "us"}))
	var all []string
	add := func(n int, name string, change func(*variant.Spec)) {
		for i := range n {
			all = append(all, fmt.Sprintf("%s-%d", name, i))
			w.Apply(newVariant(all[len(all)-1], change))
		}
	}
	add(3, "web-latest", tag("latest"))
	add(4, "web-pinned", revision(1))
	add(5, "shop-latest", func(s *variant.Spec) {
		s.Upstream.Package, s.Upstream.Revision = "shop", variant.Revision{Str: "latest"}
		s.Injectors[0].Name = "us"
	})
	c := w.start()
	var targets []string
	for _, name := range all {
		targets = append(targets, w.target(name))
	}
	for _, target := range targets {
		w.publish(target)
	}
	w.quiet(c)

	expect := func(what string, want map[string]float64, do func()) {
		t.Helper()
		before := evaluated(c)
		reconciles := c.Metric(reconcilesMetric, map[string]string{"controller": "packagevariant"})
		do()
		w.quiet(c)
		after := evaluated(c)
		got := map[string]float64{}
		for name, n := range after {
			if n != before[name] {
				got[name] = n - before[name]
			}
		}
		// A draft is asked for, saved and reported. A variant is reconciled again if the caches take long to see what was
		// written.
		if n := got["evaluations"]; n > want["evaluations"] && n <= 2*want["evaluations"] {
			got["evaluations"] = want["evaluations"]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		t.Logf("%s: %v reconciles", what, c.Metric(reconcilesMetric,
			map[string]string{"controller": "packagevariant"})-reconciles)
	}
	expect("an unrelated package is published", map[string]float64{}, func() {
		w.Publish("blueprints", "other", "v2", settingsV2)
		w.Publish("edge", "unrelated", "v1", simple())
	})
	expect("a package is labelled", map[string]float64{},
		func() { w.labelRevision(targets[3], map[string]string{"team": "a"}) })
	expect("a draft of an upstream", map[string]float64{}, func() { w.Draft("blueprints", "web", "v2", settingsV2) })
	expect("an upstream is published", map[string]float64{"evaluations": 3 * 3, "Upgrade": 3},
		func() { w.publish("blueprints.web.v2") })
	expect("an unrelated object changes", map[string]float64{},
		func() { w.Apply(configMap("asia", map[string]string{"api": "asia"})) })
	expect("an injected object changes", map[string]float64{"evaluations": 3 * 5, "Edit": 5},
		func() { w.Apply(configMap("us", map[string]string{"api": "us-2"})) })
}

// evaluated returns how many variants were evaluated, and what was done.
func evaluated(c *controller.Process) map[string]float64 {
	counts := map[string]float64{"evaluations": c.Metric(evaluationsMetric, nil)}
	for _, action := range []string{"", "Clone", "Upgrade", "Edit", "Save", "Own", "Keep"} {
		counts[action] = c.Metric("package_variant_actions_total", map[string]string{"action": action})
	}
	return counts
}
