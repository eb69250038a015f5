// SPDX-License-Identifier: Apache-2.0

// Package skipped reports which tests did not run. go test hides the output of tests that pass; make test shows these
// reports at its end.
package skipped

import (
	"fmt"
	"os"
)

// Report writes a line that says which tests were skipped and why, to standard error and to the file that the
// environment names as SKIPPED.
func Report(what string, why error) error {
	line := fmt.Sprintf("SKIPPED: %s: %v", what, why)
	fmt.Fprintln(os.Stderr, line)
	name := os.Getenv("SKIPPED")
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, line)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
