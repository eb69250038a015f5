// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/bench/simulation"
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	porchconfig "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

//go:embed scenario
var scenario embed.FS

// atOnce is how many objects are created in parallel.
const atOnce = 16

// world is the fleet: the cluster, and the model of what it must be.
type world struct {
	*model
	t      harness.T
	stack  *stack.Stack
	client client.Client
	porch  *simulation.Porch
	known  *known
	// look returns the revisions of a package in Porch.
	look func(namespace, repo, pkg string) []simulation.Revision
	// locks have one element each while the variant is in a change.
	locks []chan struct{}
}

// newWorld starts a stack with a simulated Porch, and prepares everything that must exist before the sets.
func newWorld(t harness.T, porch *simulation.Porch, l layout) *world {
	t.Helper()
	s := stacktest.Start(t, stack.Options{PorchAPI: porch})
	scheme := runtime.NewScheme()
	if err := errors.Join(s.InstallVariants(t.Context()), corev1.AddToScheme(scheme), v1alpha1.AddToScheme(scheme),
		v1alpha2.AddToScheme(scheme), porchconfig.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(s.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{model: newModel(l), t: t, stack: s, client: c, porch: porch, look: porch.Package,
		locks: make([]chan struct{}, l.variants)}
	for v := range w.locks {
		w.locks[v] = make(chan struct{}, 1)
	}
	if err := w.client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		t.Fatal(err)
	}
	w.known = follow(t, s.Config, scheme)
	if err := w.prepare(t.Context()); err != nil {
		t.Fatalf("cannot prepare the fleet: %v", err)
	}
	return w
}

// prepare makes everything that must exist before the sets.
func (w *world) prepare(ctx context.Context) error {
	for u := range w.upstreams() {
		if err := w.publish(u, 1); err != nil {
			return err
		}
	}
	if err := simulation.Register(ctx, w.client, namespace, upstreams, nil); err != nil {
		return err
	}
	return w.each(ctx, w.sites(), func(ctx context.Context, site int) error {
		facts := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: factsName(site)},
			Data: map[string]string{"payment": paymentOf(site, 0)}}
		if err := w.client.Create(ctx, facts); err != nil {
			return err
		}
		return simulation.Register(ctx, w.client, namespace, siteName(site),
			map[string]string{groupLabel: cellName(w.cellOf(site))})
	})
}

// each calls do for each number, some in parallel.
func (w *world) each(ctx context.Context, n int, do func(context.Context, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range n {
		group.Go(func() error { return do(ctx, i) })
	}
	return group.Wait()
}

// apply makes the sets, and the variants without a set.
func (w *world) apply(ctx context.Context) error {
	for cell := range w.cells() {
		set, err := w.set(cell)
		if err == nil {
			err = w.client.Create(ctx, set)
		}
		if err != nil {
			return err
		}
	}
	return w.each(ctx, w.sites(), func(ctx context.Context, site int) error { return w.createOwn(ctx, site) })
}

// set returns the initial set of a cell.
func (w *world) set(cell int) (*v1alpha2.PackageVariantSet, error) {
	var set v1alpha2.PackageVariantSet
	if err := read("set.yaml", "", &set); err != nil {
		return nil, err
	}
	set.Namespace, set.Name = namespace, cellName(cell)
	set.Spec.Upstream.Package = upstreamName(w.upstreamOf(cell))
	selector := set.Spec.Targets[0].RepositorySelector
	selector.MatchLabels = map[string]string{groupLabel: cellName(cell)}
	for n := range perSite - 1 {
		selector.PackageNames = append(selector.PackageNames, packageName(n))
	}
	set.Spec.Targets[0].Template.PackageContext.Data = map[string]string{"tier": tierOf(0)}
	return &set, nil
}

// createOwn makes the own variant of a site, as the model asks for it now.
func (w *world) createOwn(ctx context.Context, site int) error {
	var pv v1alpha1.PackageVariant
	if err := read("own.yaml", siteName(site), &pv); err != nil {
		return err
	}
	_, own := w.ofSite(site)
	pv.Namespace, pv.Spec.Downstream.Package = namespace, packageName(own)
	pv.Spec.Upstream.Package = upstreamName(w.upstreamOf(w.cellOf(site)))
	pv.Spec.PackageContext.Data["note"] = w.note(site)
	return w.client.Create(ctx, &pv)
}

// read reads an object of the scenario.
func read(file, site string, into any) error {
	text, err := scenario.ReadFile("scenario/" + file)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(bytes.ReplaceAll(text, []byte("SITE"), []byte(site)), into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// publish publishes a version of an upstream package.
func (w *world) publish(upstream, version int) error {
	files, err := simulation.Blueprint(imageOf(version))
	if err != nil {
		return err
	}
	w.porch.Publish(namespace, upstreams, upstreamName(upstream), workspaceName(version), files)
	return nil
}

// wrong returns what is wrong with a variant, "" if nothing is.
func (w *world) wrong(v int) string {
	return judge(w.of(v), w.known.get(w.pairOf(v)), w.revisions(v))
}

// check returns how many variants are wrong, and what is wrong with the first.
func (w *world) check() (wrong int, fault string) {
	for v := range w.variants {
		if what := w.wrong(v); what != "" {
			if wrong++; fault == "" {
				fault = fmt.Sprintf("%s/%s: %s", w.pairOf(v).repo, w.pairOf(v).pkg, what)
			}
		}
	}
	return wrong, fault
}

// settle returns once all variants are right; it looks at them at the given interval.
func (w *world) settle(ctx context.Context, each time.Duration) error {
	w.t.Helper()
	ticker := time.NewTicker(each)
	defer ticker.Stop()
	told := time.Now()
	for {
		wrong, fault := w.check()
		if wrong == 0 {
			return nil
		}
		if time.Since(told) > tellEach {
			told = time.Now()
			w.t.Logf("  %d of %d variants are not right yet; %s", wrong, w.variants, fault)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d variants are not right: %s: %w", wrong, fault, context.Cause(ctx))
		case <-ticker.C:
		}
	}
}

// person approves proposed deletions until the test ends.
func (w *world) person() {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(personEach)
		defer ticker.Stop()
		for {
			select {
			case <-w.t.Context().Done():
				return
			case <-ticker.C:
				w.porch.ApproveDeletions(namespace)
			}
		}
	}()
	w.t.Cleanup(func() { <-ended })
}

// preload publishes the given number of packages, spread over the fleet, before the changes begin.
func (w *world) preload(ctx context.Context, published int) error {
	stride := max(1, w.variants/max(1, published))
	return w.each(ctx, published, func(_ context.Context, i int) error {
		return w.approve(current(w.revisions(i * stride % w.variants)).Name)
	})
}

// approve proposes and approves a draft.
func (w *world) approve(draft string) error {
	if err := w.porch.Propose(namespace, draft); err != nil {
		return fmt.Errorf("cannot propose %s: %w", draft, err)
	}
	if err := w.porch.Approve(namespace, draft); err != nil {
		return fmt.Errorf("cannot approve %s: %w", draft, err)
	}
	return nil
}
