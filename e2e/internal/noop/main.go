// SPDX-License-Identifier: Apache-2.0

// Command noop is a KRM function that changes nothing. What a package looks like after kpt ran it is what kpt and the
// SDK do to every package; what another function did is the difference to that.
package main

import (
	"os"

	"github.com/kptdev/krm-functions-sdk/go/fn"
)

func main() {
	leaveAlone := func(*fn.ResourceList) (bool, error) { return true, nil }
	if err := fn.AsMain(fn.ResourceListProcessorFunc(leaveAlone)); err != nil {
		os.Exit(1)
	}
}
