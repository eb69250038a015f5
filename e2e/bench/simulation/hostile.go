// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/internal/harness"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// hostile is the namespace that disturbs the other, with hostileRepositories Repositories.
	hostile             = "hostile"
	hostileRepositories = 20
	// moving is the object that changes constantly.
	moving = "moving"
	// expensive is an expression that is short and costly to evaluate.
	expensive = `repoDefault + string([1,2,3,4,5,6,7,8,9,10].map(a, [1,2,3,4,5,6,7,8,9,10].map(b, ` +
		`[1,2,3,4,5,6,7,8,9,10].map(c, a*b*c))).size())`
	// underWay is how long the namespace is active before the measurement.
	underWay = 20 * time.Second
)

// begin starts the hostile namespace's activity, which lasts until the test ends, and returns once it is under way.
func begin(t harness.T, f *fleet, what report.Hostile) {
	t.Helper()
	files, err := blueprint()
	if err != nil {
		t.Fatal(err)
	}
	files["large.yaml"] = largeFile(what.PackageBytes)
	f.porch.Publish(hostile, "blueprints", "large", "v1", files)
	broken := map[string]string{}
	for name, text := range files {
		if name != "package-context.yaml" { // which the variants ask for: the functions fail
			broken[name] = text
		}
	}
	f.porch.Publish(hostile, "blueprints", "broken", "v1", broken)
	if err := f.populate(t.Context(), what); err != nil {
		t.Fatalf("cannot make the hostile namespace: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var moves sync.WaitGroup
	moves.Go(func() { f.move(ctx, time.Second/time.Duration(what.ChangesPerSecond)) })
	t.Cleanup(func() {
		cancel()
		moves.Wait()
	})
	select {
	case <-t.Context().Done():
	case <-time.After(underWay):
	}
}

// largeFile returns resources of the given size in bytes. They mention the annotation of injection points, so a
// function has to parse them.
func largeFile(size int) string {
	var out strings.Builder
	for i := 0; out.Len() < size; i++ {
		out.WriteString("---\n# not kpt.dev/config-injection\napiVersion: v1\nkind: ConfigMap\n")
		fmt.Fprintf(&out, "metadata:\n  name: large-%d\ndata:\n", i)
		for n := range 100 {
			fmt.Fprintf(&out, "  key-%d: a value of no use, %d times over\n", n, i)
		}
	}
	return out.String()
}

// populate makes the objects of the hostile namespace.
func (f *fleet) populate(ctx context.Context, what report.Hostile) error {
	if err := f.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hostile}}); err != nil {
		return err
	}
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: hostile, Name: moving},
		Data: map[string]string{"payment": "none"}}
	if err := f.client.Create(ctx, object); err != nil {
		return err
	}
	for _, name := range append([]string{"blueprints"}, hostileSites()...) {
		if err := f.registerIn(ctx, hostile, name, nil); err != nil {
			return err
		}
	}
	if err := f.client.Create(ctx, hostileSet(what.Targets)); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range what.Failing + what.Large {
		group.Go(func() error { return f.client.Create(ctx, hostileVariant(i, i < what.Large)) })
	}
	return group.Wait()
}

func hostileSites() []string {
	names := make([]string, hostileRepositories)
	for i := range names {
		names[i] = repositoryName(i)
	}
	return names
}

// hostileVariant returns a variant that has a large package, or fails.
func hostileVariant(i int, large bool) *v1alpha1.PackageVariant {
	upstream := "broken"
	if large {
		upstream = "large"
	}
	kind := "ConfigMap"
	return &v1alpha1.PackageVariant{
		ObjectMeta: metav1.ObjectMeta{Namespace: hostile, Name: fmt.Sprintf("%s-%d", upstream, i)},
		Spec: variant.Spec{
			Upstream:       &variant.Upstream{Repo: "blueprints", Package: upstream, Revision: variant.Revision{Str: "1"}},
			Downstream:     &variant.Downstream{Repo: repositoryName(i % hostileRepositories), Package: packageName(i)},
			PackageContext: &variant.PackageContext{Data: map[string]string{"site": "any"}},
			Injectors:      []variant.InjectionSelector{{Kind: &kind, Name: moving}},
		},
	}
}

// hostileSet returns a set with an expensive expression and many targets to evaluate it for. It exceeds the cost limit
// of a set, so it makes no variants.
func hostileSet(targets int) *v1alpha2.PackageVariantSet {
	packages := make([]string, targets)
	for i := range packages {
		packages[i] = packageName(i)
	}
	set := &v1alpha2.PackageVariantSet{ObjectMeta: metav1.ObjectMeta{Namespace: hostile, Name: "expensive"}}
	set.Spec.Upstream = &variant.Upstream{Repo: "blueprints", Package: "broken", Revision: variant.Revision{Str: "1"}}
	template := &v1alpha2.PackageVariantTemplate{PackageContext: &v1alpha2.PackageContextTemplate{
		DataExprs: []v1alpha2.MapExpr{{Key: new("cost"), ValueExpr: new(expensive)}}}}
	set.Spec.Targets = []v1alpha2.Target{
		{ObjectSelector: &v1alpha2.ObjectSelector{APIVersion: "v1", Kind: "ConfigMap", Name: new(moving)},
			Template: &v1alpha2.PackageVariantTemplate{Downstream: &v1alpha2.DownstreamTemplate{Repo: new(repositoryName(0))}}},
		{Repositories: []v1alpha2.RepositoryTarget{{Name: repositoryName(0), PackageNames: packages}}, Template: template},
	}
	return set
}

// move changes the label and the data of the object again and again.
func (f *fleet) move(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		var object corev1.ConfigMap
		object.Namespace, object.Name = hostile, moving
		object.Labels = map[string]string{"moved": fmt.Sprint(i)}
		object.Data = map[string]string{"payment": fmt.Sprintf("payment-%d.example.com", i)}
		_ = f.client.Update(ctx, &object) // the next update comes soon
	}
}
