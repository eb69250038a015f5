// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// TestRun checks the exit codes, and what is printed where.
func TestRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args        []string
		code        int
		out, errOut string
	}{
		"no command":      {nil, cli.ExitNothing, "Usage:\n  kubectl variants [command]", ""},
		"unknown command": {[]string{"plam"}, cli.ExitError, "", `error: unknown command "plam" for "kubectl variants"`},
		"no argument": {[]string{"diff"}, cli.ExitError, "", "error: diff takes one PackageVariant, or --set: write " +
			"kubectl variants diff [VARIANT]\n"},
		"too many": {[]string{"trace", "a", "b"}, cli.ExitError, "", "error: trace takes one object, not 2: write " +
			"kubectl variants trace OBJECT\n"},
		"unknown flag": {[]string{"--forse"}, cli.ExitError, "", "error: unknown flag: --forse\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			streams, _, out, errOut := genericiooptions.NewTestIOStreams()
			if code := Run(t.Context(), c.args, streams); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			for what, both := range map[string][2]string{"out": {out.String(), c.out}, "err": {errOut.String(), c.errOut}} {
				if !strings.Contains(both[0], both[1]) || both[1] == "" && both[0] != "" {
					t.Errorf("%s: got %q, want %q", what, both[0], both[1])
				}
			}
		})
	}
}
