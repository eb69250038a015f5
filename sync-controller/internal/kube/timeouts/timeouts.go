// SPDX-License-Identifier: Apache-2.0

// Package timeouts limits the time of each call to the Kubernetes API, so no call holds a worker for too long, whether
// the server does not answer or asks for a later retry, and the time of a step when the controller is asked to stop. It
// also limits how much is read of the files of a package.
package timeouts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/package-variants/package-variants/functions/bounds"
)

// Bound returns a wrapper for the transport of a client. A call that is not a watch ends after limit, with an error
// that wraps context.DeadlineExceeded. A call that a server asks to be repeated later fails at once: client-go would
// block the caller until then, and call up to ten times.
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
		return noRetry(response), err
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
	return noRetry(response), nil
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

// noRetry takes the header Retry-After out of a response.
func noRetry(response *http.Response) *http.Response {
	if response != nil {
		response.Header.Del("Retry-After")
	}
	return response
}
