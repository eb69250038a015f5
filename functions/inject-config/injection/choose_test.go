// SPDX-License-Identifier: Apache-2.0

package injection_test

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/internal/fntest"
)

// TestReadAfterAll checks that an object which is among those to inject counts as read.
func TestReadAfterAll(t *testing.T) {
	t.Parallel()
	unreadable := inject + "unreadable:\n- {apiVersion: v1, kind: ConfigMap, name: x, message: forbidden}\n"
	stdout, stderr, code := fntest.Run(injection.Run, fntest.List(t, unreadable, pkg(point)))
	if code != 0 || !strings.Contains(string(stdout), "\n    a: new\n") || strings.Contains(string(stdout), "cannot read") {
		t.Errorf("exit code %d: %s\n%s", code, stderr, stdout)
	}
}
