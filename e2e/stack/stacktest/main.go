// SPDX-License-Identifier: Apache-2.0

// Package stacktest runs the tests of a package with one stack for all of them.
package stacktest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/postgres"
	"github.com/package-variants/package-variants/e2e/stack"
)

// Main is what TestMain calls: it starts a stack, puts it into s, runs the tests, stops the stack and returns the exit
// code. Tests keep out of each other's way by using namespaces of their own. Where PostgreSQL is not installed, and the
// environment asks for Porch on it, no test is run, which is reported as postgres.Require does.
func Main(m *testing.M, s **stack.Stack, options stack.Options) (code int) {
	started, err := stack.Start(context.Background(), options)
	if errors.Is(err, postgres.ErrUnavailable) {
		if err = postgres.Skip(); err == nil {
			return 0
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := started.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	*s = started
	return m.Run()
}
