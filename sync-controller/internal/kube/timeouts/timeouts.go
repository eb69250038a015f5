// SPDX-License-Identifier: Apache-2.0

// Package timeouts limits the time of each call to the Kubernetes API, so no call holds a worker for too long, whether
// the server does not answer or asks for a later retry. It also limits how much is read of the files of a package.
package timeouts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/package-variants/package-variants/functions/bounds"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Bound returns a wrapper for the transport of a client. A call that is not a watch ends after limit, with an error
// that wraps context.DeadlineExceeded. If a response asks for a later retry, the error has the delay, for
// apierrors.SuggestsClientDelay; client-go would instead block the caller, and call up to ten more times.
func Bound(limit time.Duration) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return &transport{next: next, limit: limit} }
}

type transport struct {
	next  http.RoundTripper
	limit time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if isWatch(request) {
		response, err := t.next.RoundTrip(request)
		return later(request, response, err)
	}
	d := newDeadline(request.Context(), t.limit)
	response, err := t.next.RoundTrip(request.WithContext(d.ctx))
	if err != nil {
		defer d.end()
		return nil, d.cause(err)
	}
	b := &body{ReadCloser: response.Body, deadline: d, most: math.MaxInt64}
	if request.Method == http.MethodGet && packageFiles.MatchString(request.URL.Path) {
		b.most = bounds.AnswerBytes
	}
	response.Body = b
	return later(request, response, nil)
}

// deadline ends the context of a call after a limit.
type deadline struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	late   error
}

func newDeadline(ctx context.Context, limit time.Duration) *deadline {
	d := &deadline{late: fmt.Errorf("no answer within %s: %w", limit, context.DeadlineExceeded)}
	d.ctx, d.cancel = context.WithCancelCause(ctx)
	d.timer = time.AfterFunc(limit, func() { d.cancel(d.late) })
	return d
}

// cause returns the error of the call, which says if it is that of the deadline.
func (d *deadline) cause(err error) error {
	if err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(d.ctx), d.late) {
		return d.late
	}
	return err
}

func (d *deadline) end() {
	d.timer.Stop()
	d.cancel(nil)
}

// isWatch reports whether a request lasts until the client ends it.
func isWatch(request *http.Request) bool {
	watch, err := strconv.ParseBool(request.URL.Query().Get("watch"))
	return err == nil && watch
}

// packageFiles matches the paths of requests for the files of one package.
var packageFiles = regexp.MustCompile(`/packagerevisionresources/[^/]+$`)

// ErrTooLarge says that the files of a package are more than is read of them.
var ErrTooLarge = fmt.Errorf("its files take more than %d MiB in the answer of Porch: make the package smaller, "+
	"or split it", bounds.AnswerBytes>>20)

// body ends the time limit of a call with the call, and fails where more is read than may be.
type body struct {
	io.ReadCloser
	deadline *deadline
	read     int64
	most     int64
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if b.read > b.most {
		return 0, ErrTooLarge
	}
	return n, b.deadline.cause(err)
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.deadline.end()
	return b.ReadCloser.Close()
}

// maxText is how much of a response that refuses a call is read.
const maxText = 1 << 20

// later moves the retry delay that a server asks for from the header into the Status.
func later(request *http.Request, response *http.Response, err error) (*http.Response, error) {
	if err != nil || response.StatusCode != http.StatusTooManyRequests && response.StatusCode < 500 {
		return response, err
	}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil {
		return response, nil //nolint:nilerr // it asks for nothing
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxText))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	var status metav1.Status
	if err := json.Unmarshal(text, &status); err != nil || status.Kind != "Status" {
		status = apierrors.NewGenericServerResponse(response.StatusCode, request.Method, schema.GroupResource{}, "",
			string(text), seconds, true).ErrStatus
	}
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	status.Status = metav1.StatusFailure
	if status.Details == nil {
		status.Details = &metav1.StatusDetails{}
	}
	status.Details.RetryAfterSeconds = int32(min(max(seconds, 1), 1<<30))
	if text, err = json.Marshal(&status); err != nil {
		return nil, err
	}
	response.Header = response.Header.Clone()
	response.Header.Del("Retry-After")
	response.Header.Set("Content-Type", "application/json")
	response.Header.Del("Content-Encoding")
	response.Header.Set("Content-Length", strconv.Itoa(len(text)))
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return response, nil
}
