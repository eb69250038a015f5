// SPDX-License-Identifier: Apache-2.0

// Package proxy is a proxy between a client and the Kubernetes API of a stack: it records the client's requests,
// impersonates another user, and makes the API fail as a test asks.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/harness"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Options configure a proxy. With the zero value it sends requests as the user of its config.
type Options struct {
	// ImpersonateUser, if set, is the user to impersonate, such as system:serviceaccount:NAMESPACE:NAME. The user of the
	// config must have the right to impersonate.
	ImpersonateUser string
	// ImpersonateGroups are that user's groups. Without any, the API server gives a service account its usual groups.
	ImpersonateGroups []string
}

// Proxy is a running proxy. Its methods are safe for concurrent use.
type Proxy struct {
	url     string
	server  *http.Server
	forward *httputil.ReverseProxy
	ended   chan error // the error of Serve

	mu       sync.Mutex
	requests []*Request // changed under mu, since a status comes later
	accesses map[Access]bool
	hook     Hook
	inside   Delay
	down     map[string]bool // by group
	lag      Lag
	watches  map[*Request]context.CancelFunc
}

// Start starts a proxy for the API of config, on a free port of this machine. Clients use plain HTTP without
// credentials; requests are forwarded with the credentials of config.
func Start(config *rest.Config, options Options) (*Proxy, error) {
	config = rest.CopyConfig(config)
	config.Impersonate = rest.ImpersonationConfig{UserName: options.ImpersonateUser, Groups: options.ImpersonateGroups}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a proxy's transport: %w", err)
	}
	target, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a proxy to %q: %w", config.Host, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot start a proxy: %w", err)
	}
	p := &Proxy{
		url:      "http://" + listener.Addr().String(),
		ended:    make(chan error, 1),
		accesses: map[Access]bool{},
		down:     map[string]bool{},
		watches:  map[*Request]context.CancelFunc{},
	}
	// Clients get errors as answers and log them; the test's output is for the test.
	quiet := log.New(io.Discard, "", 0)
	p.forward = &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host}) },
		Transport:      transport,
		FlushInterval:  -1, // the events of a watch are passed on as they come
		ModifyResponse: p.answered,
		ErrorHandler:   p.failed,
		ErrorLog:       quiet,
	}
	p.server = &http.Server{Handler: p, ErrorLog: quiet, ReadHeaderTimeout: time.Minute}
	go func() { p.ended <- p.server.Serve(listener) }()
	return p, nil
}

// StartFor starts a proxy as Start does, and returns it with the path of a kubeconfig for it. Both end with t, which
// fails if the proxy cannot start.
func StartFor(t harness.T, config *rest.Config, options Options) (p *Proxy, kubeconfig string) {
	t.Helper()
	p, err := Start(config, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() }) // nothing depends on it any more
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := p.Kubeconfig(kubeconfig); err != nil {
		t.Fatal(err)
	}
	return p, kubeconfig
}

// Close ends the proxy and all current requests.
func (p *Proxy) Close() error {
	err := p.server.Close()
	if served := <-p.ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	p.ended <- http.ErrServerClosed // for another Close
	if err != nil {
		return fmt.Errorf("cannot close the proxy: %w", err)
	}
	return nil
}

// Config returns a configuration for Go clients of the proxy, without a rate limit.
func (p *Proxy) Config() *rest.Config { return &rest.Config{Host: p.url, QPS: -1} }

// Kubeconfig writes a kubeconfig for the proxy.
func (p *Proxy) Kubeconfig(path string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["proxy"] = &clientcmdapi.Cluster{Server: p.url}
	config.Contexts["proxy"] = &clientcmdapi.Context{Cluster: "proxy", Namespace: "default"}
	config.CurrentContext = "proxy"
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("cannot write the kubeconfig of the proxy: %w", err)
	}
	return nil
}

// Requests returns all requests since the start or the last Reset, in order of arrival.
func (p *Proxy) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	requests := make([]Request, len(p.requests))
	for i, r := range p.requests {
		requests[i] = *r
	}
	return requests
}

// Reset forgets the recorded requests.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = nil
}

// Accesses returns each access to a resource since the start once, unsorted. Reset does not clear them.
func (p *Proxy) Accesses() []Access {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.accesses))
}
