// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"os"
	"testing"

	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"
)

// shared is the stack of all tests.
var shared *stack.Stack

func TestMain(m *testing.M) { os.Exit(stacktest.Main(m, &shared, stack.Options{})) }
