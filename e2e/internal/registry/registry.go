// SPDX-License-Identifier: Apache-2.0

// Package registry runs a registry of container images, and inspects it.
package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/process"
)

// Registry is a registry on this machine, without TLS. It starts empty and stores images in memory.
type Registry struct {
	// Address is its host and port.
	Address string

	crane string
}

// Start starts a registry that ends with the test, with crane from TOOLS_BIN, which the Makefile sets.
func Start(t *testing.T) *Registry {
	t.Helper()
	var port int
	if err := process.FreePorts(&port); err != nil {
		t.Fatal(err)
	}
	r := &Registry{Address: process.Local(port), crane: filepath.Join(os.Getenv("TOOLS_BIN"), "crane")}
	p, err := process.Start(t.TempDir(), "registry", r.crane, nil, "registry", "serve", "--address", r.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	err = p.Await(t.Context(), "it answers", func(ctx context.Context) error {
		return process.Answers(ctx, http.DefaultClient, "http://"+r.Address+"/v2/")
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Crane runs crane and returns its output. The word REGISTRY in its arguments is replaced by the registry's address.
func (r *Registry) Crane(ctx context.Context, args ...string) (string, error) {
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "REGISTRY", r.Address)
	}
	out, err := exec.CommandContext(ctx, r.crane, args...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = errors.New(strings.TrimSpace(string(exit.Stderr)))
		}
		return "", fmt.Errorf("crane %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
