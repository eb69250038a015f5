// SPDX-License-Identifier: Apache-2.0

// Variants keeps the packages of a fleet in step with nothing but git.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/package-variants/package-variants/local/command"
	"github.com/package-variants/package-variants/local/programs"
)

// enough is the memory, in bytes, beyond which garbage is collected more often, unless GOMEMLIMIT is set: ten thousand
// sites fit into it.
const enough = 512 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(enough)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command.Run(ctx, os.Args[1:], programs.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}
