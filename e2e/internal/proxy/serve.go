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

// Everything stands in SetDown for all requests, including those that are not for a resource.
const Everything = "*"

// Phase is a moment in the processing of a request.
type Phase string

const (
	// Before is when a request has arrived and is not yet forwarded.
	Before Phase = "Before"
	// Inside is when a request has been forwarded and the server is working on it. Only some requests have this phase; see
	// HandleInside.
	Inside Phase = "Inside"
	// After is when the server has answered, so that a write is stored, and the client has not yet got the answer.
	After Phase = "After"
)

// Delay returns how long after forwarding a request enters the phase Inside, and whether it does at all. A request that
// is answered earlier does not.
type Delay func(r Request) (time.Duration, bool)

// Hook is called in each phase of each request, from many goroutines at once. A returned status is sent to the client.
// In the phase Before, the request is then not forwarded, and has no phase After. In the phase After, the status
// replaces the server's answer. In the phase Inside it has no effect. A status with retry seconds is sent with the
// header Retry-After. A hook that does not return blocks the request. A hook may also kill the client; in the phase
// Before it should then return a status, or the request may still reach the server. As without a proxy, the connection
// to the server ends with the client's.
type Hook func(r Request, phase Phase) *metav1.Status

// Handle sets the hook and replaces any earlier one; nil removes it.
func (p *Proxy) Handle(hook Hook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hook = hook
}

// HandleInside sets which requests have a phase Inside, and when; nil stands for none.
func (p *Proxy) HandleInside(delay Delay) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inside = delay
}

// SetDown makes an API group unavailable or available again, independently of Everything. While either is down,
// requests get a 503; current watches are cut when it goes down.
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

// isDown reports whether a request is for something that is down. The caller holds mu.
func (p *Proxy) isDown(r *Request) bool {
	// A request without a resource has no group, and must not be taken for one to the core group.
	return p.down[Everything] || r.Resource != "" && p.down[r.Group]
}

// requestKey is the key of the *Request in the context of an HTTP request.
type requestKey struct{}

// ServeHTTP answers a client's request.
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

// answeredKey is the context key for the channel that ends the phase Inside of an HTTP request.
type answeredKey struct{}

// untilInside returns when a request enters the phase Inside, and whether it does.
func (p *Proxy) untilInside(r *Request) (time.Duration, bool) {
	p.mu.Lock()
	delay, seen := p.inside, *r
	p.mu.Unlock()
	if delay == nil {
		return 0, false
	}
	return delay(seen)
}

// callInside calls the hook in the phase Inside, unless the request is answered or ends first.
func (p *Proxy) callInside(ctx context.Context, answered <-chan struct{}, r *Request, delay time.Duration) {
	select {
	case <-ctx.Done():
	case <-answered:
	case <-time.After(delay):
		p.call(r, Inside)
	}
}

// admit records a request, and returns a status if it is for something that is down. An admitted watch is cut when its
// group goes down.
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

// forget removes a request that has ended from the watches to cut, if it is one.
func (p *Proxy) forget(r *Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.watches, r)
}

// call calls the hook, if there is one, without holding mu, since the hook may use the proxy.
func (p *Proxy) call(r *Request, phase Phase) *metav1.Status {
	p.mu.Lock()
	hook, seen := p.hook, *r
	p.mu.Unlock()
	if hook == nil {
		return nil
	}
	return hook(seen, phase)
}

// settle records the status that a client gets.
func (p *Proxy) settle(r *Request, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Status = status
}

// answered is called with the server's answer before the client gets it.
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

// failed is called when the server gave no answer, or the client has disconnected.
func (p *Proxy) failed(w http.ResponseWriter, httpRequest *http.Request, err error) {
	r, ok := httpRequest.Context().Value(requestKey{}).(*Request)
	if !ok || httpRequest.Context().Err() != nil { // the client has gone, or a watch is cut: there is no answer
		panic(http.ErrAbortHandler)
	}
	status := apierrors.NewServiceUnavailable("the proxy of the test got no answer: " + err.Error()).ErrStatus
	p.refuse(w, r, &status)
}

// refuse sends a status to the client.
func (p *Proxy) refuse(w http.ResponseWriter, r *Request, status *metav1.Status) {
	body, err := encode(status)
	if err != nil {
		panic(err) // a Status can always be encoded
	}
	p.settle(r, code(status))
	w.Header().Set("Content-Type", "application/json")
	if after := retryAfter(status); after != "" {
		w.Header().Set("Retry-After", after)
	}
	w.WriteHeader(code(status))
	_, _ = w.Write(body) // an error means that the client has gone
}

// code returns the HTTP code of a status, which a test may leave unset.
func code(status *metav1.Status) int {
	if status.Code == 0 {
		return http.StatusInternalServerError
	}
	return int(status.Code)
}

// retryAfter returns the value of the header Retry-After for a status, as an API server sends it; "" if there is none.
func retryAfter(status *metav1.Status) string {
	if status.Details == nil || status.Details.RetryAfterSeconds == 0 {
		return ""
	}
	return strconv.Itoa(int(status.Details.RetryAfterSeconds))
}

// encode encodes a status for clients, with the kind and the outcome, which a test may leave unset.
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
