// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Everything is the group of SetDown that stands for every request, those included that are not for a resource.
const Everything = "*"

// Phase is a moment in the life of a request.
type Phase string

const (
	// Before is when a request has come and has not been forwarded.
	Before Phase = "Before"
	// Inside is when a request has been forwarded and the server is at work on it. Only some requests have it; see
	// HandleInside.
	Inside Phase = "Inside"
	// After is when the server has answered, a write is stored, and the client has not yet seen the answer.
	After Phase = "After"
)

// Delay returns how long after a request was forwarded it is in the phase Inside, and whether it gets there at all. A
// request that is answered before does not.
type Delay func(r Request) (time.Duration, bool)

// Hook is called in each phase of each request, by many goroutines at once. A status that it returns is sent to the
// client: in the phase Before the request is then not forwarded, and has no phase After; in the phase After, the status
// takes the place of the server's answer; in the phase Inside it is of no effect. A status that says after how many
// seconds to retry is sent with the header Retry-After. A hook that does not return holds the request. In a hook a test
// may also kill the client; in the phase Before, it should then return a status, or the request may still reach the
// server. The connection to the server ends with the client's, as it does without a proxy.
type Hook func(r Request, phase Phase) *metav1.Status

// Handle sets the hook, in place of any earlier one; nil is none.
func (p *Proxy) Handle(hook Hook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hook = hook
}

// HandleInside says which requests have a phase Inside, and when; nil is none.
func (p *Proxy) HandleInside(delay Delay) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inside = delay
}

// SetDown makes an API group unavailable, or available again; Everything is set apart from each single group. While
// either is down, a request is answered by 503, and the watches that are under way are cut off when it goes down.
func (p *Proxy) SetDown(group string, down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down[group] = down
	for watch, cut := range p.watches {
		if p.isDown(watch) {
			cut()
		}
	}
}

// isDown tells whether what a request asks for is down. The caller holds mu.
func (p *Proxy) isDown(r *Request) bool {
	// What is not a resource has no group, and must not be taken for the core of the API.
	return p.down[Everything] || r.Resource != "" && p.down[r.Group]
}

// requestKey is the key of the *Request in the context of an HTTP request.
type requestKey struct{}

// ServeHTTP answers a request of the client.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, httpRequest *http.Request) {
	r, err := parse(httpRequest)
	if err != nil {
		p.refuse(w, &Request{}, &apierrors.NewBadRequest(err.Error()).ErrStatus)
		return
	}
	ctx, cancel := context.WithCancel(context.WithValue(httpRequest.Context(), requestKey{}, r))
	defer cancel()
	if status := p.admit(r, cancel); status != nil {
		p.refuse(w, r, status)
		return
	}
	defer p.forget(r)
	if status := p.call(r, Before); status != nil {
		p.refuse(w, r, status)
		return
	}
	if delay, has := p.untilInside(r); has {
		answered := make(chan struct{})
		httpRequest = httpRequest.WithContext(context.WithValue(ctx, answeredKey{},
			sync.OnceFunc(func() { close(answered) })))
		go p.callInside(ctx, answered, r, delay)
		p.forward.ServeHTTP(w, httpRequest)
		return
	}
	p.forward.ServeHTTP(w, httpRequest.WithContext(ctx))
}

// answeredKey is the key, in the context of an HTTP request that has a phase Inside, of what ends that phase.
type answeredKey struct{}

// untilInside returns when a request is in the phase Inside, and whether it gets there.
func (p *Proxy) untilInside(r *Request) (time.Duration, bool) {
	p.mu.Lock()
	delay, seen := p.inside, *r
	p.mu.Unlock()
	if delay == nil {
		return 0, false
	}
	return delay(seen)
}

// callInside calls the hook in the phase Inside, unless the request is answered, or ends, before.
func (p *Proxy) callInside(ctx context.Context, answered <-chan struct{}, r *Request, delay time.Duration) {
	select {
	case <-ctx.Done():
	case <-answered:
	case <-time.After(delay):
		p.call(r, Inside)
	}
}

// admit records a request and returns a status if what it asks for is down. A watch that is admitted is cut off when
// that goes down.
func (p *Proxy) admit(r *Request, cut context.CancelFunc) *metav1.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, r)
	if r.Resource != "" {
		p.accesses[r.access()] = true
	}
	if p.isDown(r) {
		return &apierrors.NewServiceUnavailable("the proxy of the test has taken this API down").ErrStatus
	}
	if r.Verb == "watch" {
		p.watches[r] = cut
	}
	return nil
}

// forget is the end of a request.
func (p *Proxy) forget(r *Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.watches, r)
}

// call calls the hook, if there is one, without holding mu: it may use the proxy.
func (p *Proxy) call(r *Request, phase Phase) *metav1.Status {
	p.mu.Lock()
	hook, seen := p.hook, *r
	p.mu.Unlock()
	if hook == nil {
		return nil
	}
	return hook(seen, phase)
}

// settle records the status that a client is sent.
func (p *Proxy) settle(r *Request, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Status = status
}

// answered is called with the server's answer, before the client gets it.
func (p *Proxy) answered(response *http.Response) error {
	r, ok := response.Request.Context().Value(requestKey{}).(*Request)
	if !ok {
		return errors.New("a request did not come through the proxy")
	}
	if end, has := response.Request.Context().Value(answeredKey{}).(func()); has {
		end()
	}
	p.settle(r, response.StatusCode)
	status := p.call(r, After)
	if status == nil {
		p.delay(r, response)
		return nil
	}
	body, err := encode(status)
	if err != nil {
		return err
	}
	if err := response.Body.Close(); err != nil {
		return fmt.Errorf("cannot replace an answer: %w", err)
	}
	p.settle(r, code(status))
	response.StatusCode, response.Status = code(status), ""
	response.Header = http.Header{"Content-Type": {"application/json"}, "Content-Length": {strconv.Itoa(len(body))}}
	if after := retryAfter(status); after != "" {
		response.Header.Set("Retry-After", after)
	}
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return nil
}

// failed is called when the server gave no answer, or the client has gone.
func (p *Proxy) failed(w http.ResponseWriter, httpRequest *http.Request, err error) {
	r, ok := httpRequest.Context().Value(requestKey{}).(*Request)
	if !ok || httpRequest.Context().Err() != nil { // the client has gone, or a watch is cut off: nobody gets an answer
		panic(http.ErrAbortHandler)
	}
	status := apierrors.NewServiceUnavailable("the proxy of the test got no answer: " + err.Error()).ErrStatus
	p.refuse(w, r, &status)
}

// refuse sends a status to the client.
func (p *Proxy) refuse(w http.ResponseWriter, r *Request, status *metav1.Status) {
	body, err := encode(status)
	if err != nil {
		panic(err) // a Status has nothing that JSON has not
	}
	p.settle(r, code(status))
	w.Header().Set("Content-Type", "application/json")
	if after := retryAfter(status); after != "" {
		w.Header().Set("Retry-After", after)
	}
	w.WriteHeader(code(status))
	_, _ = w.Write(body) // an error means that the client has gone
}

// code returns the HTTP status of a status; a test need not set it.
func code(status *metav1.Status) int {
	if status.Code == 0 {
		return http.StatusInternalServerError
	}
	return int(status.Code)
}

// retryAfter returns the header of that name, as an API server sends it with a status; empty if there is none.
func retryAfter(status *metav1.Status) string {
	if status.Details == nil || status.Details.RetryAfterSeconds == 0 {
		return ""
	}
	return strconv.Itoa(int(status.Details.RetryAfterSeconds))
}

// encode returns a status as clients read it, with the kind and the outcome that a test need not set.
func encode(status *metav1.Status) ([]byte, error) {
	sent := status.DeepCopy()
	sent.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	sent.Status, sent.Code = metav1.StatusFailure, int32(code(status))
	body, err := json.Marshal(sent)
	if err != nil {
		return nil, fmt.Errorf("cannot encode a status: %w", err)
	}
	return body, nil
}
