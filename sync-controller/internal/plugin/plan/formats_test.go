// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/forecast"
)

// TestTextOfLines holds that a message with many lines, and with what a table takes for the end of a cell, is one row.
func TestTextOfLines(t *testing.T) {
	t.Parallel()
	const message = "fatal: x\nexit\tstatus\v128\r\n"
	plan := &forecast.Plan{
		Sets: []forecast.Set{{Name: "s", Condition: forecast.Condition{Reason: "R", Message: message},
			Waves: []forecast.Wave{{Name: "w", State: "Pending", Message: message}}}},
		Variants: []forecast.Variant{
			{Name: "v", Action: forecast.Wait, Condition: forecast.Condition{Reason: "R", Message: message}},
			{Name: "x", Action: forecast.Fail, Error: message},
		},
		Notes: []string{message},
	}
	plan.Count()
	var out bytes.Buffer
	if err := Text(&out, plan, true); err != nil {
		t.Fatal(err)
	}
	want := `PackageVariantSet s: creates 0, updates 0 and deletes 0 variants
  R: fatal: x exit status 128
  WAVE  STATE    TARGETS  UPDATED  REACHED  FAILED  MESSAGE
  w     Pending  0        0        0        0       fatal: x exit status 128

ACTION  VARIANT  PACKAGE  DRAFT  UPSTREAM  FILES  THEN
` + blue + `wait    v        -        -      -         -      R: fatal: x exit status 128` + plain + `
` + red + `fail    x        -        -      -         -      fatal: x exit status 128` + plain + `

Plan: 1 fail, 1 wait.
Note: fatal: x exit status 128
`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}
