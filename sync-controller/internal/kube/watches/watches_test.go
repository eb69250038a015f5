// SPDX-License-Identifier: Apache-2.0

package watches

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/objects"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"
)

var (
	configMaps = objects.Kind{APIVersion: "v1", Kind: "ConfigMap", Namespace: "fleet"}
	teams      = objects.Kind{APIVersion: "example.com/v1", Kind: "Team", Namespace: "fleet"}
	clusters   = objects.Kind{APIVersion: "example.com/v1", Kind: "Cluster", Namespace: "fleet"} // not namespaced
	unknown    = objects.Kind{APIVersion: "example.com/v1", Kind: "Unknown", Namespace: "fleet"}

	configMapResource = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	clusterResource   = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "clusters"}

	eu = types.NamespacedName{Namespace: "fleet", Name: "web-eu"}
	us = types.NamespacedName{Namespace: "fleet", Name: "web-us"}
)

// object returns the metadata of an object.
func object(kind objects.Kind, namespace, name, version string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: kind.APIVersion, Kind: kind.Kind},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, ResourceVersion: version, UID: types.UID("uid of " + name),
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
		},
	}
}

// world is a cluster, and the users that were notified of its objects.
type world struct {
	*Watches
	t        *testing.T
	client   *fake.FakeMetadataClient
	mu       sync.Mutex
	notified []string
}

// newWorld returns a cluster with the objects. The reactors answer before it does.
func newWorld(t *testing.T, reactors map[string]clienttesting.ReactionFunc, objects ...runtime.Object) *world {
	t.Helper()
	scheme := fake.NewTestScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, client: fake.NewSimpleMetadataClient(scheme, objects...)}
	for resource, reactor := range reactors {
		w.client.PrependReactor("list", resource, reactor)
	}
	w.Watches = New(mapper(), w.client, func(user types.NamespacedName) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.notified = append(w.notified, user.Name)
	})
	t.Cleanup(func() {
		w.Release(eu)
		w.Release(us)
	})
	return w
}

func mapper() meta.RESTMapper {
	core, example := schema.GroupVersion{Version: "v1"}, schema.GroupVersion{Group: "example.com", Version: "v1"}
	m := meta.NewDefaultRESTMapper([]schema.GroupVersion{core, example})
	m.Add(core.WithKind("ConfigMap"), meta.RESTScopeNamespace)
	m.Add(example.WithKind("Team"), meta.RESTScopeNamespace)
	m.Add(example.WithKind("Cluster"), meta.RESTScopeRoot)
	return m
}

func (w *world) use(user types.NamespacedName, references ...objects.Reference) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Second)
	defer cancel()
	if err := w.Use(ctx, user, references); err != nil {
		w.t.Fatal(err)
	}
}

// watchCalls returns how often a resource was watched.
func (w *world) watchCalls(resource string) int {
	n := 0
	for _, a := range w.client.Actions() {
		if a.GetVerb() == "watch" && a.GetResource().Resource == resource {
			n++
		}
	}
	return n
}

// wantNotified waits until exactly these users were notified since the last call, each once, and a while longer.
func (w *world) wantNotified(why string, want ...string) {
	w.t.Helper()
	slices.Sort(want)
	var got []string
	get := func() []string {
		w.mu.Lock()
		defer w.mu.Unlock()
		got = slices.Sorted(slices.Values(w.notified))
		return got
	}
	eventually(func() bool { return len(get()) >= len(want) })
	time.Sleep(50 * time.Millisecond)
	if diff := cmp.Diff(want, get()); diff != "" {
		w.t.Errorf("%s: who was notified, -want +got:\n%s", why, diff)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notified = nil
}

// eventually waits until a condition holds, at most for some seconds.
func eventually(holds func() bool) bool {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return holds()
}

func (w *world) create(resource schema.GroupVersionResource, o *metav1.PartialObjectMetadata) {
	w.t.Helper()
	w.change(w.client.Tracker().Create(resource, o, o.Namespace))
}

func (w *world) update(resource schema.GroupVersionResource, o *metav1.PartialObjectMetadata) {
	w.t.Helper()
	w.change(w.client.Tracker().Update(resource, o, o.Namespace))
}

func (w *world) change(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// watching waits until the watch of a resource is open: the tracker reports changes only after that.
func (w *world) watching(resource string, times int) {
	w.t.Helper()
	if !eventually(func() bool { return w.watchCalls(resource) >= times }) {
		w.t.Fatalf("%s is not watched", resource)
	}
	time.Sleep(20 * time.Millisecond)
}

func TestNotify(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, object(configMaps, "fleet", "a", "1"), object(configMaps, "other", "a", "1"))
	w.use(eu, objects.Reference{Kind: configMaps, Name: "a"}, objects.Reference{Kind: configMaps, Name: "b"})
	w.watching("configmaps", 1)
	w.wantNotified("of what there is", "web-eu")
	w.use(us, objects.Reference{Kind: configMaps})

	w.create(configMapResource, object(configMaps, "fleet", "b", "1"))
	w.wantNotified("by name, and of all", "web-eu", "web-us")
	w.create(configMapResource, object(configMaps, "fleet", "c", "1"))
	w.wantNotified("another name", "web-us")
	w.update(configMapResource, object(configMaps, "fleet", "a", "2"))
	w.wantNotified("changed", "web-eu", "web-us")
	w.update(configMapResource, object(configMaps, "fleet", "a", "2"))
	w.wantNotified("the same version")
	w.create(configMapResource, object(configMaps, "elsewhere", "b", "1"))
	w.wantNotified("another namespace")
	w.change(w.client.Tracker().Delete(configMapResource, "fleet", "a"))
	w.wantNotified("deleted", "web-eu", "web-us")

	w.use(eu, objects.Reference{Kind: configMaps, Name: "c"})
	w.update(configMapResource, object(configMaps, "fleet", "b", "2"))
	w.wantNotified("not referred to any more", "web-us")
	w.Release(us)
	w.update(configMapResource, object(configMaps, "fleet", "c", "2"))
	w.wantNotified("released", "web-eu")
	if got := w.watchCalls("configmaps"); got != 1 {
		t.Errorf("%d watches for two users, want 1", got)
	}
}

func TestNotifyOncePerUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.use(eu, objects.Reference{Kind: configMaps, Name: "a"}, objects.Reference{Kind: configMaps, Name: "a"},
		objects.Reference{Kind: configMaps, Name: "b"}, objects.Reference{Kind: teams})
	w.watching("configmaps", 1)
	w.create(configMapResource, object(configMaps, "fleet", "a", "1"))
	w.wantNotified("two references to one object", "web-eu")
}

func TestStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var running []objects.Kind
	check := func(why string, want ...objects.Kind) {
		t.Helper()
		running = w.Running()
		slices.SortFunc(running, cmpKinds)
		if diff := cmp.Diff(append([]objects.Kind{}, want...), running); diff != "" {
			t.Errorf("%s: what is watched, -want +got:\n%s", why, diff)
		}
	}
	check("no users")
	w.use(eu, objects.Reference{Kind: configMaps}, objects.Reference{Kind: teams, Name: "a"})
	check("the first user", configMaps, teams)
	w.use(us, objects.Reference{Kind: teams, Name: "b"})
	check("the second user", configMaps, teams)
	w.use(eu)
	check("no references any more", teams)
	w.Release(eu)
	check("released without references", teams)
	w.Release(us)
	check("the last user")
	w.Release(us)
	check("released twice")
	w.use(us, objects.Reference{Kind: teams})
	check("again", teams)
	w.watching("teams", 2)
	w.create(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "teams"},
		object(teams, "fleet", "a", "1"))
	w.wantNotified("by the watch that was started anew", "web-us")
}

func cmpKinds(a, b objects.Kind) int {
	return slices.Compare([]string{a.Kind, a.Namespace}, []string{b.Kind, b.Namespace})
}

func TestStopEndsTheWatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.use(eu, objects.Reference{Kind: configMaps})
	w.watching("configmaps", 1)
	informer := w.informer(configMaps)
	w.Release(eu)
	if !eventually(informer.IsStopped) {
		t.Error("the informer runs on")
	}
	w.create(configMapResource, object(configMaps, "fleet", "a", "1"))
	w.wantNotified("nobody")
}

func TestObject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil,
		object(configMaps, "fleet", "a", "1"), object(configMaps, "fleet", "b", "1"), object(configMaps, "other", "c", "1"),
		object(clusters, "", "edge", "7"))
	if w.Object(configMaps, "a") != nil || w.Objects(configMaps) != nil {
		t.Error("objects of a kind that is not watched")
	}
	w.use(eu, objects.Reference{Kind: configMaps, Name: "a"}, objects.Reference{Kind: clusters}, objects.Reference{Kind: unknown})
	for name, c := range map[string]struct {
		kind objects.Kind
		name string
		want string
	}{
		"there":              {configMaps, "a", "fleet/a 1"},
		"not referred to":    {configMaps, "b", "fleet/b 1"},
		"in other namespace": {configMaps, "c", ""},
		"not there":          {configMaps, "x", ""},
		"cluster-scoped":     {clusters, "edge", "/edge 7"},
		"unknown kind":       {unknown, "a", ""},
		"not watched":        {teams, "a", ""},
	} {
		got := ""
		if o := w.Object(c.kind, c.name); o != nil {
			got = fmt.Sprintf("%s/%s %s", o.Namespace, o.Name, o.ResourceVersion)
			if o.ManagedFields != nil {
				t.Errorf("%s: managed fields are kept", name)
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	var names []string
	for _, o := range w.Objects(configMaps) {
		names = append(names, o.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"a", "b"}, names); diff != "" {
		t.Errorf("Objects, -want +got:\n%s", diff)
	}
	if got := w.Objects(unknown); got != nil {
		t.Errorf("objects of an unknown kind: %v", got)
	}
	if got := len(w.Running()); got != 2 {
		t.Errorf("%d kinds are watched, want 2: the unknown one is not", got)
	}
}

func TestClusterScoped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.use(eu, objects.Reference{Kind: clusters, Name: "edge"})
	w.watching("clusters", 1)
	w.create(clusterResource, object(clusters, "", "edge", "1"))
	w.wantNotified("of an object without a namespace", "web-eu")
	for _, a := range w.client.Actions() {
		if a.GetNamespace() != "" {
			t.Errorf("%s %s in namespace %q", a.GetVerb(), a.GetResource().Resource, a.GetNamespace())
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	forbidden := func(a clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(a.GetResource().GroupResource(), "", boom)
	}
	fails := func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, boom }
	for name, c := range map[string]struct {
		kind   objects.Kind
		answer clienttesting.ReactionFunc
		denied *DeniedError
		want   string
	}{
		"denied": {teams, forbidden, &DeniedError{Resource: schema.GroupResource{Group: "example.com", Resource: "teams"},
			Namespace: "fleet"},
			`the controller may not read teams.example.com in namespace fleet: ` +
				`label a ClusterRole config.porch.kpt.dev/aggregate-to-package-variants: "true" that has the rule {apiGroups: ` +
				`["example.com"], resources: ["teams"], verbs: [get, list, watch]}`},
		"denied in the core group": {configMaps, forbidden,
			&DeniedError{Resource: schema.GroupResource{Resource: "configmaps"}, Namespace: "fleet"},
			`the controller may not read configmaps in namespace fleet: ` +
				`label a ClusterRole config.porch.kpt.dev/aggregate-to-package-variants: "true" that has the rule {apiGroups: ` +
				`[""], resources: ["configmaps"], verbs: [get, list, watch]}`},
		"denied, cluster-scoped": {clusters, forbidden,
			&DeniedError{Resource: schema.GroupResource{Group: "example.com", Resource: "clusters"}},
			`the controller may not read clusters.example.com: ` +
				`label a ClusterRole config.porch.kpt.dev/aggregate-to-package-variants: "true" that has the rule {apiGroups: ` +
				`["example.com"], resources: ["clusters"], verbs: [get, list, watch]}`},
		"not readable":                 {teams, fails, nil, "cannot list teams.example.com in namespace fleet: boom"},
		"not readable, cluster-scoped": {clusters, fails, nil, "cannot list clusters.example.com: boom"},
		"not known": {unknown, nil, nil,
			"the cluster does not know the kind Unknown of example.com/v1: install its CRD, or correct apiVersion and kind"},
		"no API version": {objects.Kind{APIVersion: "a/b/c", Kind: "X"}, nil, nil,
			"unexpected GroupVersion string: a/b/c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]clienttesting.ReactionFunc{"teams": c.answer, "configmaps": c.answer,
				"clusters": c.answer})
			w.use(eu, objects.Reference{Kind: c.kind}, objects.Reference{Kind: c.kind, Name: "a"})
			err := w.Problem(c.kind)
			if err == nil || err.Error() != c.want {
				t.Fatalf("got %v\nwant %s", err, c.want)
			}
			var denied *DeniedError
			errors.As(err, &denied)
			if diff := cmp.Diff(c.denied, denied); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if c.denied == nil && c.answer != nil && !errors.Is(err, boom) {
				t.Error("the cause is not in the error")
			}
			if len(w.Running()) > 0 {
				t.Error("what cannot be read is watched")
			}
			w.Release(eu)
			if err := w.Problem(c.kind); err != nil {
				t.Errorf("a problem of nobody: %v", err)
			}
		})
	}
}

// brokenMapper fails in another way than by not knowing a kind.
type brokenMapper struct{ meta.RESTMapper }

func (brokenMapper) RESTMapping(schema.GroupKind, ...string) (*meta.RESTMapping, error) {
	return nil, errors.New("boom")
}

func TestMapperFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.mapper = brokenMapper{} // before the first use
	w.use(eu, objects.Reference{Kind: teams})
	err := w.Problem(teams)
	if want := "cannot look up the kind example.com/v1 Team: boom"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestUseEndsWithItsContext(t *testing.T) {
	t.Parallel()
	calls := make(chan struct{}, 100)
	w := newWorld(t, map[string]clienttesting.ReactionFunc{"configmaps": func(clienttesting.Action) (bool, runtime.Object,
		error) {
		calls <- struct{}{}
		if len(calls) == 1 { // the question whether it may be read
			return false, nil, nil
		}
		return true, nil, errors.New("boom")
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := w.Use(ctx, eu, []objects.Reference{{Kind: configMaps}})
	if want := "cannot read the ConfigMap objects in namespace fleet: context deadline exceeded"; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error("the cause is not in the error")
	}
}

// Running returns the kinds that are watched.
func (w *Watches) Running() []objects.Kind {
	w.mu.Lock()
	defer w.mu.Unlock()
	kinds := make([]objects.Kind, 0, len(w.kinds))
	for kind, watch := range w.kinds {
		if watch.informer != nil {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
