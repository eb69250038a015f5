// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

// startSubstitute serves Options.PorchAPI from this process, at the address of Porch's API server, and adds it to the
// Kubernetes API.
func (s *Stack) startSubstitute(ctx context.Context, handler http.Handler) error {
	serving, err := s.certs.server("porch", porchService+"."+porchNamespace+".svc")
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", local(s.ports.porch))
	if err != nil {
		return fmt.Errorf("cannot serve Porch's API: %w", err)
	}
	// Clients see connection errors themselves; the test's output is for the test.
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	s.mu.Lock()
	s.substitute = server
	s.mu.Unlock()
	go func() {
		if err := server.ServeTLS(listener, serving.cert, serving.key); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, "the server of Porch's API ended:", err)
		}
	}()
	return s.register(ctx, s.process(APIServer), os.Getpid())
}
