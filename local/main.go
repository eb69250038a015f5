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

// garbage is how much garbage there may be for what is in use, in percent, unless GOGC is set: memory is what limits
// how many sites one sync can have. A fixed limit would be worse, since beyond it all time goes into collecting.
const garbage = 50

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command.Run(ctx, os.Args[1:], programs.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}
