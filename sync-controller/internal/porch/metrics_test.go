// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	dto "github.com/prometheus/client_model/go"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// TestResultOf checks by which word the metric says what came of a call.
func TestResultOf(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for want, err := range map[string]error{
		"ok":            nil,
		"error":         boom,
		"busy":          errLost,
		"not_found":     apierrors.NewNotFound(resource, "x"),
		"unavailable":   fmt.Errorf("cannot: %w", apierrors.NewServiceUnavailable("no endpoints")),
		"render_failed": apierrors.NewInternalError(errors.New("pkg.render: boom")),
	} {
		if got := resultOf(err); got != want {
			t.Errorf("%v is %s, want %s", err, got, want)
		}
	}
	if got := resultOf(apierrors.NewConflict(resource, "x", boom)); got != "busy" {
		t.Errorf("a conflict is %s, want busy", got)
	}
}

// counted returns how often each call was measured so far, by call and result.
func counted(t *testing.T) map[string]uint64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]uint64{}
	for _, f := range families {
		if f.GetName() == "package_variant_porch_call_seconds" && f.GetType() == dto.MetricType_HISTOGRAM {
			for _, m := range f.GetMetric() {
				out[m.GetLabel()[0].GetValue()+" "+m.GetLabel()[1].GetValue()] = m.GetHistogram().GetSampleCount()
			}
		}
	}
	return out
}

// TestCalls checks that each request to Porch is measured once, as the call that it is, and that each try of a write
// is. It does not run beside others, which measure, too.
func TestCalls(t *testing.T) { //nolint:paralleltest // see above
	draft := pr("edge", "web", "v1", "Draft")
	lost := true
	p := newPorch(t, interceptor.Funcs{
		Create: func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.CreateOption) error {
			if o.SetName("made"); lost {
				lost = false
				return errLost
			}
			return nil
		},
	}, draft, resources(draft.Name, map[string]string{"Kptfile": "k"}))
	ctx, r := t.Context(), Revision(draft)
	before := counted(t)
	for _, task := range []revision.TaskType{revision.Clone, revision.Upgrade, revision.Edit} {
		if _, err := p.create(ctx, packages.Draft{Namespace: "fleet", Package: r.Package, Task: revision.Task{Type: task}}); err != nil {
			t.Fatal(err)
		}
	}
	_, getErr := p.get(ctx, "fleet", r.Name)
	content, readErr := p.content(ctx, "fleet", r.Name)
	_, saveErr := p.saveWhole(ctx, content, map[string]string{"Kptfile": "other"})
	r.Version = ""
	_, proposeErr := p.move(ctx, &r, revision.Proposed)
	_, approveErr := p.move(ctx, &r, revision.Published)
	published := r
	published.Lifecycle, published.InParts = revision.Published, false
	lister := &relisting{store: toolscache.NewStore(toolscache.MetaNamespaceKeyFunc)}
	lister.ListerWatcherWithContext = toolscache.ToListerWatcherWithContext(&toolscache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			return &porchapi.PackageRevisionList{}, nil
		},
	})
	_, cacheErr := lister.List(metav1.ListOptions{})
	_, keepErr := p.keep(ctx, &published)
	_, proposeDeletionErr := p.proposeDeletion(ctx, &published, nil)
	if err := errors.Join(getErr, readErr, saveErr, proposeErr, approveErr, cacheErr, keepErr,
		p.setMeta(ctx, &published, nil, nil, nil), proposeDeletionErr, p.remove(ctx, &r), p.remove(ctx, &r)); err != nil {
		t.Fatal(err)
	}
	got := counted(t)
	for name, count := range before {
		if got[name] -= count; got[name] == 0 {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(map[string]uint64{
		"Clone busy": 1, "Clone ok": 1, "Upgrade ok": 1, "Edit ok": 1, "ListAll ok": 1,
		"Get ok": 1 + 2*looks, "ReadContent ok": 1, "SaveContent ok": 1, "SetMeta ok": 1, "Propose ok": 1, "Approve ok": 1,
		"Keep ok": 1, "ProposeDeletion ok": 1, "Delete ok": 1, "Delete not_found": 1,
	}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
