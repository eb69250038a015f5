// SPDX-License-Identifier: Apache-2.0

// Command noop is a KRM function that does nothing, built on the SDK alone: what the functions are compared with.
package main

import (
	"os"

	"github.com/kptdev/krm-functions-sdk/go/fn"
)

func main() {
	noop := func(*fn.ResourceList) (bool, error) { return true, nil }
	if err := fn.AsMain(fn.ResourceListProcessorFunc(noop)); err != nil {
		os.Exit(1)
	}
}
