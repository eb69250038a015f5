// SPDX-License-Identifier: Apache-2.0

// Package stacktest runs the tests of a package with one shared stack.
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

// Main is for TestMain: it starts a stack, puts it into s, runs the tests, stops the stack and returns the exit code.
// Tests use separate namespaces. If the environment asks for the DB cache and PostgreSQL is not installed, no test
// runs, and this is reported as by postgres.Require.
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
