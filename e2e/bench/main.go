// SPDX-License-Identifier: Apache-2.0

// Command bench measures this project beside Porch's own controllers, and by itself, and writes documents of it. A run
// of all parts writes the page docs/benchmarks and a section of the README; any other writes a page to dist/bench.
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
		os.Exit(2) // it has been said why
	}
	// The signals stay caught until the end, so that nothing interrupts the cleaning up.
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	if err := bench(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
