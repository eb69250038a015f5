// SPDX-License-Identifier: Apache-2.0

// Command bench measures this project, alone and against Porch's own controllers, and writes documents about it. A run
// of all parts writes the page docs/benchmarks and a section of the README; any other run writes a page to dist/bench.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	o, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		os.Exit(2) // parse has printed the error
	}
	// Signals stay caught until the end, so that nothing interrupts the cleanup.
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	if err := bench(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
