// SPDX-License-Identifier: Apache-2.0

package watches

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/objects"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// api is a cluster in memory that counts what is read from it, and answers by an error if it is given one.
type api struct {
	client.WithWatch
	reads  atomic.Int32
	answer atomic.Value // an *apierrors.StatusError
}

var errDown = errors.New("the API is down")

func newAPI(objects ...client.Object) *api {
	a := &api{}
	a.WithWatch = fake.NewClientBuilder().WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, w client.WithWatch, key client.ObjectKey, o client.Object,
			options ...client.GetOption) error {
			a.reads.Add(1)
			if err, _ := a.answer.Load().(*apierrors.StatusError); err != nil {
				return err
			}
			return w.Get(ctx, key, o, options...)
		},
	}).Build()
	return a
}

// factsOf refers to facts.
var factsOf = objects.Reference{Kind: configMaps, Name: "facts"}

// watched returns a cluster whose watch of facts knows a version.
func watched(t *testing.T, version string) *world {
	t.Helper()
	w := newWorld(t, nil, object(configMaps, "fleet", "facts", version))
	w.use(eu, factsOf)
	w.watching("configmaps", 1)
	return w
}

// knows waits until the watch knows a version of facts.
func (w *world) knows(version string) {
	w.t.Helper()
	w.update(configMapResource, object(configMaps, "fleet", "facts", version))
	if !eventually(func() bool { return w.Object(configMaps, "facts").ResourceVersion == version }) {
		w.t.Fatal("the watch does not come to know a version")
	}
}

func facts(version, region string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: "facts", UID: "uid of facts", ResourceVersion: version},
		Data:       map[string]string{"region": region},
	}
}

func TestContents(t *testing.T) {
	t.Parallel()
	a, w := newAPI(facts("1", "eu")), watched(t, "1")
	c := NewSource(w.Watches, a)
	expect := func(step string, want any, wantReads int32) {
		t.Helper()
		a.reads.Store(0)
		got, err := c.Read(t.Context(), factsOf)
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		if diff := cmp.Diff(want, got["data"]); diff != "" || a.reads.Load() != wantReads {
			t.Errorf("%s: %d reads, want %d; data (-want +got):\n%s", step, a.reads.Load(), wantReads, diff)
		}
	}
	eu, us := map[string]any{"region": "eu"}, map[string]any{"region": "us"}
	expect("it is read", eu, 1)
	expect("it is kept", eu, 0)
	if err := a.Update(t.Context(), facts("1", "us")); err != nil {
		t.Fatal(err)
	}
	expect("it has changed, and the watch is behind", eu, 0)
	w.knows("2")
	expect("the watch knows", us, 1)
	expect("the new version is kept", us, 0)
}

// TestContentsOfNothing checks what is no error: an object that is not there, or not there any more.
func TestContentsOfNothing(t *testing.T) {
	t.Parallel()
	a, w := newAPI(), watched(t, "1")
	c := NewSource(w.Watches, a)
	for name, test := range map[string]struct {
		reference objects.Reference
		reads     int32
	}{
		"gone, and the watch is behind": {factsOf, 1},
		"never there":                   {objects.Reference{Kind: configMaps, Name: "other"}, 0},
		"of a kind that nobody uses":    {objects.Reference{Kind: teams, Name: "facts"}, 0},
	} {
		a.reads.Store(0)
		if got, err := c.Read(t.Context(), test.reference); got != nil || err != nil || a.reads.Load() != test.reads {
			t.Errorf("%s: got %v, error %v, %d reads", name, got, err, a.reads.Load())
		}
	}
	if err := a.Create(t.Context(), facts("", "eu")); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Read(t.Context(), factsOf); got == nil || err != nil {
		t.Errorf("that it was not there is kept: %v, %v", got, err)
	}
}

// TestContentsFail checks that what cannot be read is the problem of its kind, and that the error is not kept.
func TestContentsFail(t *testing.T) {
	t.Parallel()
	a, w := newAPI(facts("1", "eu")), watched(t, "1")
	a.answer.Store(apierrors.NewInternalError(errDown))
	_, err := NewSource(w.Watches, a).Read(t.Context(), factsOf)
	want := `cannot read the ConfigMap "facts": Internal error occurred: the API is down`
	if err == nil || err.Error() != want || !apierrors.IsInternalError(err) {
		t.Errorf("error %v, want %s", err, want)
	}
	if problem := w.Problem(configMaps); problem != nil { // it may pass
		t.Errorf("the problem is %v", problem)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w = watched(t, "1")
	if _, err := NewSource(w.Watches, cancelled{a}).Read(ctx, factsOf); !errors.Is(err, context.Canceled) ||
		w.Problem(configMaps) != nil {
		t.Errorf("a call that was ended: error %v, problem %v", err, w.Problem(configMaps))
	}
}

// cancelled is a reader whose calls end with their context.
type cancelled struct{ client.Reader }

func (cancelled) Get(ctx context.Context, _ client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	return ctx.Err()
}

// TestContentsAPIVersions reads one object by two versions of its API, in which it may look different.
func TestContentsAPIVersions(t *testing.T) {
	t.Parallel()
	beta := objects.Kind{APIVersion: "example.com/v1beta1", Kind: "Team", Namespace: "fleet"}
	w := newWorld(t, nil, object(teams, "fleet", "a", "1"), object(beta, "fleet", "a", "1"))
	m := mapper().(*meta.DefaultRESTMapper)
	m.Add(schema.GroupVersion{Group: "example.com", Version: "v1beta1"}.WithKind("Team"), meta.RESTScopeNamespace)
	w.mapper = m
	w.use(eu, objects.Reference{Kind: teams, Name: "a"}, objects.Reference{Kind: beta, Name: "a"})
	c := NewSource(w.Watches, echo{})
	for _, kind := range []objects.Kind{teams, beta, teams} {
		got, err := c.Read(t.Context(), objects.Reference{Kind: kind, Name: "a"})
		if err != nil || got["apiVersion"] != kind.APIVersion || got["kind"] != "Team" {
			t.Errorf("asked for %s: got %v, error %v", kind.APIVersion, got, err)
		}
	}
}

// echo is a reader that has every object that it is asked for.
type echo struct{ client.Reader }

func (echo) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return nil
}
