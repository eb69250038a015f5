// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// api is a cluster in memory that counts what is read from it.
type api struct {
	client.WithWatch
	reads atomic.Int32
	fails atomic.Bool
}

var errDown = errors.New("the API is down")

func newAPI(objects ...client.Object) *api {
	a := &api{}
	a.WithWatch = fake.NewClientBuilder().WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, w client.WithWatch, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
			a.reads.Add(1)
			if a.fails.Load() {
				return errDown
			}
			return w.Get(ctx, key, o, options...)
		},
	}).Build()
	return a
}

func facts(version, region string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: "facts", UID: "uid of facts", ResourceVersion: version},
		Data:       map[string]string{"region": region},
	}
}

// known is what a watch knows of facts.
func known(version string) *metav1.PartialObjectMetadata {
	return object(configMaps, "fleet", "facts", version)
}

func TestContents(t *testing.T) {
	a := newAPI(facts("1", "eu"))
	c := NewContents(a)
	expect := func(step string, kind Kind, version string, want any, wantReads int32) {
		t.Helper()
		a.reads.Store(0)
		got, err := c.Read(t.Context(), kind, known(version))
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		if diff := cmp.Diff(want, got["data"]); diff != "" || a.reads.Load() != wantReads {
			t.Errorf("%s: %d reads, want %d; data (-want +got):\n%s", step, a.reads.Load(), wantReads, diff)
		}
	}
	eu, us := map[string]any{"region": "eu"}, map[string]any{"region": "us"}
	expect("it is read", configMaps, "1", eu, 1)
	expect("it is kept", configMaps, "1", eu, 0)

	if err := a.Update(t.Context(), facts("1", "us")); err != nil {
		t.Fatal(err)
	}
	expect("it has changed, and the watch is behind", configMaps, "1", eu, 0)
	expect("the watch knows", configMaps, "2", us, 1)
	expect("the new version is kept", configMaps, "2", us, 0)

	if err := a.Update(t.Context(), facts("2", "eu")); err != nil {
		t.Fatal(err)
	}
	c = NewContents(a)
	expect("the watch is behind, and nothing is kept", configMaps, "2", eu, 1)
	expect("it is kept as the version that it is", configMaps, "3", eu, 0)
}

// TestContentsAPIVersions reads one object by two versions of its API, in which it may look different.
func TestContentsAPIVersions(t *testing.T) {
	a := newAPI()
	c := NewContents(a)
	c.recent.Add(contentKey(Kind{APIVersion: "example.com/v1"}, known("1")), map[string]any{"apiVersion": "example.com/v1"}, keptFor)
	_, err := c.Read(t.Context(), Kind{APIVersion: "example.com/v2", Kind: "Region"}, known("1"))
	if err == nil || a.reads.Load() != 1 {
		t.Errorf("another version of the API was answered from what is kept: %v, %d reads", err, a.reads.Load())
	}
}

func TestContentsErrors(t *testing.T) {
	a := newAPI()
	c := NewContents(a)
	if _, err := c.Read(t.Context(), configMaps, known("1")); !apierrors.IsNotFound(err) {
		t.Errorf("of an object that is gone the error is %v, want NotFound", err)
	}
	if err := a.Create(t.Context(), facts("", "eu")); err != nil {
		t.Fatal(err)
	}
	a.fails.Store(true)
	if _, err := c.Read(t.Context(), configMaps, known("1")); err == nil || !strings.Contains(err.Error(), errDown.Error()) {
		t.Errorf("error %v, want %v", err, errDown)
	}
	a.fails.Store(false)
	if _, err := c.Read(t.Context(), configMaps, known("1")); err != nil {
		t.Errorf("an error was kept: %v", err)
	}
}

// TestContentsAtOnce has many read one object that nobody has read before.
func TestContentsAtOnce(t *testing.T) {
	a := newAPI(facts("1", "eu"))
	started := make(chan struct{})
	slow := &slowReader{Reader: a, started: started, proceed: make(chan struct{})}
	c := NewContents(slow)
	var readers sync.WaitGroup
	read := func() {
		if _, err := c.Read(t.Context(), configMaps, known("1")); err != nil {
			t.Error(err)
		}
	}
	readers.Go(read)
	<-started
	for range 10 {
		readers.Go(read)
	}
	close(slow.proceed)
	readers.Wait()
	if n := a.reads.Load(); n != 1 {
		t.Errorf("%d reads, want 1", n)
	}
}

// slowReader says when the first read has begun, and answers when it may proceed.
type slowReader struct {
	client.Reader
	once    sync.Once
	started chan struct{}
	proceed chan struct{}
}

func (s *slowReader) Get(ctx context.Context, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
	s.once.Do(func() { close(s.started) })
	<-s.proceed
	return s.Reader.Get(ctx, key, o, options...)
}
