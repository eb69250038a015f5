// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/metrics"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	porchconfig "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// shared is the stack for all tests.
var shared *stack.Stack

func TestMain(m *testing.M) { os.Exit(stacktest.Main(m, &shared, stack.Options{})) }

// TestPackages publishes two revisions of a package, and does with a third all that a user may do.
func TestPackages(t *testing.T) {
	t.Parallel()
	f := New(t, shared, "packages")
	f.Repository("blueprints", map[string]string{"tier": "gold"}, true)
	var repository porchconfig.Repository
	if err := f.Client.Get(t.Context(), f.key("blueprints"), &repository); err != nil {
		t.Fatal(err)
	}
	if repository.Labels["tier"] != "gold" || !repository.Spec.Deployment {
		t.Errorf("repository %+v, want its label and deployment", repository)
	}
	first := f.Publish("blueprints", "apps/shop", "v1", map[string]string{
		"a.yaml": "kind: A\napiVersion: v1\nmetadata: # who\n  name: a\n", "notes.txt": "1", "README.md": "",
	})
	second := f.Publish("blueprints", "apps/shop", "v2", map[string]string{"notes.txt": "2", "package-context.yaml": ""})
	for i, r := range []*porchapi.PackageRevision{first, second} {
		if r.Name != fmt.Sprintf("blueprints.apps.shop.v%d", i+1) || r.Spec.Revision != i+1 ||
			r.Spec.Lifecycle != porchapi.PackageRevisionLifecyclePublished {
			t.Errorf("published %s, revision %d, %s", r.Name, r.Spec.Revision, r.Spec.Lifecycle)
		}
	}
	for _, want := range []struct {
		name, notes string
		files       []string
	}{
		{first.Name, "1", []string{"Kptfile", "a.yaml", "notes.txt", "package-context.yaml"}},
		{second.Name, "2", []string{"Kptfile", "a.yaml", "notes.txt"}},
	} {
		files := f.Files(want.name)
		if diff := cmp.Diff(want.files, slices.Sorted(maps.Keys(files))); diff != "" {
			t.Errorf("files of %s -want +got:\n%s", want.name, diff)
		}
		if files["notes.txt"] != want.notes || !strings.Contains(files["a.yaml"], "# who") {
			t.Errorf("content of %s: %v", want.name, files)
		}
	}

	const third = "blueprints.apps.shop.v3"
	f.Draft("blueprints", "apps/shop", "v3", nil)
	for _, step := range []struct {
		name string
		do   func(string)
		want porchapi.PackageRevisionLifecycle
	}{
		{"Propose", f.Propose, porchapi.PackageRevisionLifecycleProposed},
		{"Reject", f.Reject, porchapi.PackageRevisionLifecycleDraft},
		{"Propose", f.Propose, porchapi.PackageRevisionLifecycleProposed},
		{"Approve", f.Approve, porchapi.PackageRevisionLifecyclePublished},
		{"ProposeDeletion", f.ProposeDeletion, porchapi.PackageRevisionLifecycleDeletionProposed},
		{"Reject", f.Reject, porchapi.PackageRevisionLifecyclePublished},
		{"ProposeDeletion", f.ProposeDeletion, porchapi.PackageRevisionLifecycleDeletionProposed},
	} {
		step.do(third)
		if got := f.Revision(third).Spec.Lifecycle; got != step.want {
			t.Errorf("lifecycle after %s is %s, want %s", step.name, got, step.want)
		}
	}
	f.Delete(&porchapi.PackageRevision{ObjectMeta: metav1.ObjectMeta{Name: third}})
	var names []string
	for _, r := range f.Revisions("blueprints", "apps/shop") {
		names = append(names, r.Name)
	}
	if diff := cmp.Diff([]string{first.Name, second.Name}, names); diff != "" {
		t.Errorf("revisions -want +got:\n%s", diff)
	}
}

// TestVariants checks that Apply applies what a user writes, and that waiting sees a controller's reports.
func TestVariants(t *testing.T) {
	t.Parallel()
	f := New(t, shared, "variants")
	pv := &v1alpha1.PackageVariant{
		ObjectMeta: metav1.ObjectMeta{Name: "shop"},
		Spec: variant.Spec{
			Upstream:   &variant.Upstream{Repo: "blueprints", Package: "shop"},
			Downstream: &variant.Downstream{Repo: "deployments", Package: "shop"},
			Labels:     map[string]string{"a": "1", "b": "2"},
		},
	}
	f.Apply(pv, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "site"}, Data: map[string]string{"region": "eu"}})
	if got := f.Condition("shop", v1alpha1.ConditionReady); got != (metav1.Condition{}) {
		t.Errorf("a condition that nobody has set: %v", got)
	}
	report := func(status metav1.ConditionStatus, reason string) {
		t.Helper()
		current := f.Variant("shop")
		current.Status.Conditions = []metav1.Condition{{
			Type: v1alpha1.ConditionReady, Status: status, Reason: reason, ObservedGeneration: current.Generation,
			LastTransitionTime: metav1.Now(),
		}}
		if err := f.Client.Status().Update(t.Context(), current); err != nil {
			t.Fatal(err)
		}
	}
	report(metav1.ConditionFalse, "NoUpstream")
	f.WaitReason("shop", "NoUpstream")
	report(metav1.ConditionTrue, "Done")
	if got := f.Ready("shop").Generation; got != 1 {
		t.Errorf("ready at generation %d, want 1", got)
	}

	again := f.Variant("shop")
	delete(again.Spec.Labels, "b")
	f.Apply(again)
	if diff := cmp.Diff(map[string]string{"a": "1"}, f.Variant("shop").Spec.Labels); diff != "" {
		t.Errorf("labels -want +got:\n%s", diff)
	}
	f.Timeout = 200 * time.Millisecond
	want := `PackageVariant shop is ready: not within 200ms: generation 2, Ready is "True" because of "Done" as ` +
		`of generation 1: `
	if got := failure(t, f, func(f *Fleet) { f.Ready("shop") }); got != want {
		t.Errorf("waiting for a report that is out of date fails with %q, want %q", got, want)
	}
	f.Delete(again)
	if err := f.Client.Get(t.Context(), f.key("shop"), pv); !apierrors.IsNotFound(err) {
		t.Errorf("after Delete: %v, want not found", err)
	}
}

// TestNever checks that Never notices what happens late, and accepts what does not happen.
func TestNever(t *testing.T) {
	t.Parallel()
	f := &Fleet{t: t}
	f.Never(100*time.Millisecond, "a failure", func() error { return nil })
	calls := 0
	got := failure(t, f, func(f *Fleet) {
		f.Never(time.Minute, "a third call", func() error {
			if calls++; calls == 3 {
				return errors.New("there it is")
			}
			return nil
		})
	})
	if !strings.HasPrefix(got, "a third call: happened after ") || !strings.HasSuffix(got, ": there it is") {
		t.Errorf("failure %q", got)
	}
}

// TestFind checks that find waits for a package revision that Porch briefly does not find, and that one that stays away
// is an error.
func TestFind(t *testing.T) {
	t.Parallel()
	lost := fmt.Errorf("cannot get it: %w", apierrors.NewNotFound(porchapi.Resource("packagerevisions"), "shop"))
	f := &Fleet{t: t, Timeout: time.Minute}
	calls := 0
	err := f.find(func() error {
		if calls++; calls < 3 {
			return lost
		}
		return nil
	})
	if err != nil || calls != 3 {
		t.Errorf("%v after %d calls, want success after 3", err, calls)
	}
	f.Timeout = 100 * time.Millisecond
	if err := f.find(func() error { return lost }); !apierrors.IsNotFound(err) {
		t.Errorf("what is lost for good gives %v, want not found", err)
	}
	calls = 0
	if err := f.retry(func() error { calls++; return lost }); !apierrors.IsNotFound(err) || calls != 1 {
		t.Errorf("%v after %d calls, want not found after one: nothing says that it was there", err, calls)
	}
}

// failing is a test whose failure does not fail the real test.
type failing struct{ testing.TB }

func (failing) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// failure returns the message with which a Fleet's method ends the test.
func failure(t *testing.T, f *Fleet, do func(*Fleet)) (message string) {
	t.Helper()
	tried := *f
	tried.t = failing{t}
	defer func() { message, _ = recover().(string) }()
	do(&tried)
	return ""
}

// TestOutage checks that Porch serves the same packages after an outage. It is not parallel, since other tests need
// Porch.
func TestOutage(t *testing.T) {
	f := New(t, shared, "outage")
	f.Repository("blueprints", nil, false)
	name := f.Publish("blueprints", "shop", "v1", map[string]string{"notes.txt": "1"}).Name
	if err := shared.StartPorch(t.Context()); err == nil {
		t.Error("Porch was started twice")
	}

	if err := shared.StopPorch(t.Context()); err != nil {
		t.Fatal(err)
	}
	var list porchapi.PackageRevisionList
	if err := f.Client.List(t.Context(), &list); !apierrors.IsServiceUnavailable(err) {
		t.Errorf("list without Porch: %v, want a 503", err)
	}
	began := time.Now()
	if err := shared.StartPorch(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("Porch was back after %s", time.Since(began).Round(time.Millisecond))
	if got := f.Files(name)["notes.txt"]; got != "1" {
		t.Errorf("notes.txt is %q after the outage, want 1", got)
	}
	if got := f.Publish("blueprints", "shop", "v2", nil).Spec.Revision; got != 2 {
		t.Errorf("published revision %d after the outage, want 2", got)
	}
	if got := len(f.Revisions("blueprints", "shop")); got != 2 {
		t.Errorf("%d revisions after the outage, want 2", got)
	}

	client, err := shared.HTTPClient()
	if err != nil {
		t.Fatal(err)
	}
	families, err := metrics.Get(t.Context(), client, shared.PorchMetrics())
	if err != nil {
		t.Fatal(err)
	}
	if got := families.Sum("apiserver_request_total", map[string]string{"resource": "packagerevisions",
		"verb": "POST"}); got != 1 {
		t.Errorf("Porch has counted %v creates since its start, want 1", got)
	}
}

// TestKubectl checks that kubectl and the API server have the same version, and that kubectl knows Porch's kinds.
func TestKubectl(t *testing.T) {
	t.Parallel()
	version, err := shared.Kubectl(t.Context(), "version")
	found := regexp.MustCompile(`(?m)^(?:Client|Server) Version: (v1\..*)$`).FindAllStringSubmatch(version, -1)
	if err != nil || len(found) != 2 || found[0][1] != found[1][1] {
		t.Errorf("kubectl version: %q, %v, want one version of client and server", version, err)
	}
	out, err := shared.Kubectl(t.Context(), "get", "packagerevisions,repositories", "--namespace=nobody")
	if err != nil || !strings.Contains(out, "No resources found") {
		t.Errorf("kubectl get: %q, %v", out, err)
	}
}
