// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestLag checks that the events of a watch are late, complete and in order, that cutting a watch ends it, and that
// other requests are not delayed.
func TestLag(t *testing.T) {
	t.Parallel()
	const lag = 2 * time.Second
	p, c := start(t, Options{})
	p.SetLag(func(r Request) time.Duration {
		if r.Resource == "configmaps" {
			return lag
		}
		return 0
	})
	object := configMap("late")
	events, err := c.Watch(t.Context(), &corev1.ConfigMapList{}, client.InNamespace("default"),
		client.MatchingFields{"metadata.name": object.Name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(events.Stop)
	began := time.Now()
	if err := c.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took >= lag {
		t.Errorf("a create took %s", took)
	}
	if err := c.Delete(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	for _, want := range []watch.EventType{watch.Added, watch.Deleted} {
		if event, _ := next(t, events); event.Type != want {
			t.Errorf("got %v, want %s", event, want)
		}
		if after := time.Since(began); after < lag {
			t.Errorf("%s came after %s, want %s", want, after, lag)
		}
	}
	if n := p.CutWatches(func(r Request) bool { return r.Resource == "secrets" }); n != 0 {
		t.Errorf("%d watches of Secrets were cut, of none", n)
	}
	if n := p.CutWatches(func(r Request) bool { return r.Resource == "configmaps" }); n != 1 {
		t.Errorf("%d watches were cut, want 1", n)
	}
	for event, ok := next(t, events); ok; event, ok = next(t, events) {
		if event.Type != watch.Error { // client-go's word for a stream that breaks off
			t.Errorf("event %v from a watch that is cut", event)
		}
	}
}

// TestRetryAfter checks that a status with a retry time is sent with the header Retry-After.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, phase := range []Phase{Before, After} {
		p, _ := start(t, Options{})
		p.Handle(func(_ Request, at Phase) *metav1.Status {
			if at != phase {
				return nil
			}
			return &metav1.Status{Code: http.StatusTooManyRequests, Details: &metav1.StatusDetails{RetryAfterSeconds: 7}}
		})
		answer, err := http.Get(p.Config().Host + "/api/v1/namespaces/default/configmaps")
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if got := answer.Header.Get("Retry-After"); got != "7" || answer.StatusCode != http.StatusTooManyRequests {
			t.Errorf("%s: status %d, Retry-After %q", phase, answer.StatusCode, got)
		}
	}
}
