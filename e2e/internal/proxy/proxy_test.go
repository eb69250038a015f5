// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// shared is the stack for all tests.
var shared *stack.Stack

func TestMain(m *testing.M) { os.Exit(stacktest.Main(m, &shared, stack.Options{})) }

// start starts a proxy, and returns a client that uses the kubeconfig of the proxy.
func start(t *testing.T, options Options) (*Proxy, client.WithWatch) {
	t.Helper()
	p, kubeconfig := StartFor(t, shared.Config, options)
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, porchapi.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return p, c
}

// configMap returns a ConfigMap that only one test uses.
func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
}

// aboutResources returns the requests in one line each, without those of discovery.
func aboutResources(requests []Request) []string {
	var lines []string
	for _, r := range requests {
		if r.Resource != "" {
			lines = append(lines, r.String())
		}
	}
	return lines
}

// TestRequests checks that a proxy records a client's requests, and their statuses.
func TestRequests(t *testing.T) {
	t.Parallel()
	p, c := start(t, Options{})
	object := configMap("requests")
	ctx := t.Context()
	for _, err := range []error{
		c.Create(ctx, object),
		c.Get(ctx, client.ObjectKeyFromObject(object), object),
		c.Update(ctx, object),
		c.Patch(ctx, object, client.RawPatch("application/merge-patch+json", []byte(`{"data": {"a": "b"}}`))),
		c.List(ctx, &corev1.ConfigMapList{}, client.InNamespace("default")),
		c.List(ctx, &porchapi.PackageRevisionList{}),
		c.Delete(ctx, object),
		c.DeleteAllOf(ctx, &corev1.Event{}, client.InNamespace("default")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Status().Update(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "missing"}}); !apierrors.IsNotFound(err) {
		t.Errorf("the status of a missing namespace: %v, want not found", err)
	}
	seen := p.Requests()
	want := []string{
		"create configmaps default: 201",
		"get configmaps default/requests: 200",
		"update configmaps default/requests: 200",
		"patch configmaps default/requests: 200",
		"list configmaps default: 200",
		"list porch.kpt.dev/packagerevisions : 200",
		"delete configmaps default/requests: 200",
		"deletecollection events default: 200",
		"update namespaces/status missing/missing: 404",
	}
	if diff := cmp.Diff(want, aboutResources(seen)); diff != "" {
		t.Errorf("requests -want +got:\n%s", diff)
	}
	if got := Count(seen, IsWrite); got != 6 {
		t.Errorf("%d writes, want 6", got)
	}
	if got := Count(seen, func(r Request) bool { return IsWrite(r) && !IsBookkeeping(r) }); got != 5 {
		t.Errorf("%d writes that are not bookkeeping, want 5", got)
	}
	p.Reset()
	if left := p.Requests(); len(left) != 0 {
		t.Errorf("requests after Reset: %v", left)
	}
	accesses := p.Accesses()
	slices.SortFunc(accesses, func(a, b Access) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	if diff := cmp.Diff([]Access{
		{Verb: "create", Resource: "configmaps", Namespace: "default"},
		{Verb: "delete", Resource: "configmaps", Namespace: "default"},
		{Verb: "deletecollection", Resource: "events", Namespace: "default"},
		{Verb: "get", Resource: "configmaps", Namespace: "default"},
		{Verb: "list", Resource: "configmaps", Namespace: "default"},
		{Verb: "list", Group: "porch.kpt.dev", Resource: "packagerevisions"},
		{Verb: "patch", Resource: "configmaps", Namespace: "default"},
		{Verb: "update", Resource: "configmaps", Namespace: "default"},
		{Verb: "update", Resource: "namespaces", Subresource: "status", Namespace: "missing"},
	}, accesses); diff != "" {
		t.Errorf("accesses (-want +got):\n%s", diff)
	}
}

// TestFaults checks that a hook can refuse a request before it is forwarded, and replace the answer after that.
func TestFaults(t *testing.T) {
	t.Parallel()
	for phase, stored := range map[Phase]bool{Before: false, After: true} {
		t.Run(string(phase), func(t *testing.T) {
			t.Parallel()
			p, c := start(t, Options{})
			p.Handle(func(r Request, at Phase) *metav1.Status {
				if at != phase || r.Verb != "create" {
					return nil
				}
				return &metav1.Status{Code: http.StatusServiceUnavailable, Reason: metav1.StatusReasonServiceUnavailable,
					Message: "boom"}
			})
			object := configMap("faults-" + map[bool]string{true: "stored", false: "refused"}[stored])
			err := c.Create(t.Context(), object.DeepCopy())
			if !apierrors.IsServiceUnavailable(err) || err.Error() != "boom" {
				t.Errorf("create: %v, want the hook's 503", err)
			}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); client.IgnoreNotFound(err) != nil ||
				(err == nil) != stored {
				t.Errorf("get: %v, want the object stored: %t", err, stored)
			}
			if got := Count(p.Requests(), func(r Request) bool { return r.Verb == "create" && r.Status == 503 }); got != 1 {
				t.Errorf("%d failed creates in %v, want 1", got, p.Requests())
			}
			p.Handle(nil)
			if err := c.Create(t.Context(), configMap(object.Name+"-again")); err != nil {
				t.Errorf("create without the hook: %v", err)
			}
		})
	}
}

// TestInside checks that a hook is called while the server is working, that there is no such call for requests answered
// earlier, and that a client that disconnects takes its connection to the server with it.
func TestInside(t *testing.T) {
	t.Parallel()
	gone := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			gone <- r.Context().Err()
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	p, err := Start(&rest.Config{Host: server.URL}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	ctx, leave := context.WithCancel(t.Context())
	var inside atomic.Int32
	p.HandleInside(func(r Request) (time.Duration, bool) { return 20 * time.Millisecond, r.Resource == "configmaps" })
	p.Handle(func(_ Request, at Phase) *metav1.Status {
		if at == Inside {
			inside.Add(1)
			leave()
		}
		return nil
	})
	address := p.Config().Host + "/api/v1/namespaces/default/configmaps"
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := http.DefaultClient.Do(request); err == nil {
		_ = answer.Body.Close()
		t.Errorf("the client that left was answered: %s", answer.Status)
	}
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Error("the server is still at work for a client that has left")
	}
	if got := inside.Load(); got != 1 {
		t.Errorf("the hook was called %d times inside, want once: for what the server was at", got)
	}
	if got := p.Requests()[1].Status; got != 0 {
		t.Errorf("the client that left was sent the status %d", got)
	}
}

// TestDown checks that requests to a group that is down are refused, that its watches are cut, and that everything else
// works.
func TestDown(t *testing.T) {
	t.Parallel()
	for _, group := range []string{"", Everything} {
		t.Run("group "+group, func(t *testing.T) {
			t.Parallel()
			p, c := start(t, Options{})
			object := configMap("down")
			if group == Everything {
				object.Name = "down-everything"
			}
			if err := c.List(t.Context(), &porchapi.PackageRevisionList{}); err != nil { // later there is no discovery
				t.Fatal(err)
			}
			events, err := c.Watch(t.Context(), &corev1.ConfigMapList{}, client.InNamespace("default"),
				client.MatchingFields{"metadata.name": object.Name})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(events.Stop)
			if err := c.Create(t.Context(), object); err != nil {
				t.Fatal(err)
			}
			if event, ok := next(t, events); !ok || event.Type != watch.Added {
				t.Fatalf("watch: %v, want the event of the create", event)
			}

			p.SetDown(group, true)
			for event, ok := next(t, events); ok; event, ok = next(t, events) {
				if event.Type != watch.Error { // client-go's word for a stream that breaks off
					t.Errorf("event %v from a watch that is cut off", event)
				}
			}
			if err := c.List(t.Context(), &corev1.ConfigMapList{}); !apierrors.IsServiceUnavailable(err) {
				t.Errorf("list of what is down: %v, want a 503", err)
			}
			err = c.List(t.Context(), &porchapi.PackageRevisionList{})
			if wantDown := group == Everything; apierrors.IsServiceUnavailable(err) != wantDown || !wantDown && err != nil {
				t.Errorf("list of another group: %v, want a 503: %t", err, wantDown)
			}
			p.SetDown(group, false)
			if err := c.List(t.Context(), &corev1.ConfigMapList{}); err != nil {
				t.Errorf("list of what is up again: %v", err)
			}
		})
	}
}

// next returns the next event of a watch, and whether the watch is still open.
func next(t *testing.T, events watch.Interface) (watch.Event, bool) {
	t.Helper()
	select {
	case event, ok := <-events.ResultChan():
		return event, ok
	case <-time.After(10 * time.Second):
		t.Fatal("a watch stands still")
		return watch.Event{}, false
	}
}

// TestImpersonate checks that a client has the rights of the impersonated user, not the administrator's.
func TestImpersonate(t *testing.T) {
	t.Parallel()
	const user = "system:serviceaccount:default:nobody"
	_, c := start(t, Options{ImpersonateUser: user})
	err := c.List(t.Context(), &corev1.ConfigMapList{})
	want := `configmaps is forbidden: User "` + user +
		`" cannot list resource "configmaps" in API group "" at the cluster scope`
	if !apierrors.IsForbidden(err) || err.Error() != want {
		t.Errorf("list: %v, want: %s", err, want)
	}
}
