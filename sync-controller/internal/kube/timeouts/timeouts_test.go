// SPDX-License-Identifier: Apache-2.0

package timeouts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/package-variants/package-variants/functions/bounds"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// client returns a client of a server that answers so, with bounded calls.
func client(t *testing.T, limit time.Duration, answer http.HandlerFunc) kubernetes.Interface {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	config := &rest.Config{Host: server.URL, QPS: -1}
	config.Wrap(Bound(limit))
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNoRetry checks that a server which asks to be called again later is called once.
func TestNoRetry(t *testing.T) {
	t.Parallel()
	for _, code := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		var calls atomic.Int32
		k := client(t, time.Minute, func(w http.ResponseWriter, _ *http.Request) {
			calls.Add(1)
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(code)
		})
		_, err := k.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{}, metav1.CreateOptions{})
		if status := apierrors.APIStatus(nil); !errors.As(err, &status) || int(status.Status().Code) != code {
			t.Errorf("the error is %v, want one with the code %d", err, code)
		}
		if got := calls.Load(); got != 1 {
			t.Errorf("%d calls with the code %d, want 1", got, code)
		}
	}
}

// TestLimit checks that a call ends after the limit, whether the answer does not begin or does not end, that a watch
// does not, and that the end of the caller's context is reported as such.
func TestLimit(t *testing.T) {
	t.Parallel()
	const limit = 100 * time.Millisecond
	k := client(t, limit, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/secrets") { // an answer that begins
			w.WriteHeader(http.StatusOK)
			_, _ = io.WriteString(w, `{"kind":"Secret",`)
			w.(http.Flusher).Flush() //nolint:forcetypeassert // a test server's is one
		}
		if isWatch(r) {
			w.Header().Set("Content-Type", "application/json")
		}
		select {
		case <-r.Context().Done():
		case <-time.After(5 * limit):
			fmt.Fprintln(w, `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1"}}`)
		}
	})
	_, err := k.CoreV1().ConfigMaps("default").Get(t.Context(), "a", metav1.GetOptions{})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasSuffix(err.Error(),
		"no answer within 100ms: context deadline exceeded") {
		t.Errorf("a call that is not answered: %v", err)
	}
	if _, err := k.CoreV1().Secrets("default").Get(t.Context(), "a", metav1.GetOptions{}); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("a call that is not answered to its end: %v", err)
	}
	events, err := k.CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatalf("a watch: %v", err)
	}
	defer events.Stop()
	if event := <-events.ResultChan(); event.Type != "BOOKMARK" {
		t.Errorf("a watch: %v, want an event after the limit", event)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.CoreV1().ConfigMaps("default").Get(ctx, "a", metav1.GetOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that ends: %v", err)
	}
}

// TestTooLarge checks that of the files of a package no more is read than any package may have, and of other answers
// everything.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	const most = bounds.AnswerBytes
	for name, c := range map[string]struct {
		path string
		size int
		want error
	}{
		"as large as it may be": {"/apis/porch.kpt.dev/v1alpha1/namespaces/a/packagerevisionresources/x.v1", most, nil},
		"larger":                {"/apis/porch.kpt.dev/v1alpha1/namespaces/a/packagerevisionresources/x.v1", most + 1, ErrTooLarge},
		"a list":                {"/apis/porch.kpt.dev/v1alpha1/namespaces/a/packagerevisionresources", most + 1, nil},
		"something else":        {"/api/v1/configmaps/x", most + 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := client(t, time.Minute, func(w http.ResponseWriter, _ *http.Request) {
				chunk := make([]byte, 1<<20)
				for left := c.size; left > 0; left -= len(chunk) {
					_, _ = w.Write(chunk[:min(left, len(chunk))])
				}
			})
			stream, err := k.CoreV1().RESTClient().Get().AbsPath(c.path).Stream(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			read, err := io.Copy(io.Discard, stream)
			if !errors.Is(err, c.want) || c.want == nil && read != int64(c.size) || read > int64(c.size) {
				t.Errorf("%d bytes and the error %v, want %v", read, err, c.want)
			}
			_ = stream.Close()
		})
	}
}
