// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDoc checks that kpt fn doc shows the manual of each function, which is what its program prints for --help.
func TestDoc(t *testing.T) {
	t.Parallel()
	c := withContainers(t)
	for _, function := range functions {
		t.Run(function, func(t *testing.T) {
			t.Parallel()
			want, err := exec.CommandContext(t.Context(), tool.Function(function), "--help").Output()
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Doc(image(t, function))
			if err != nil {
				t.Fatalf("%v\n%s", err, got.Stderr)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), strings.TrimSpace(got.Stdout)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
