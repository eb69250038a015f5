// SPDX-License-Identifier: Apache-2.0

// Variants keeps the packages of a fleet in step with nothing but git.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/package-variants/package-variants/local/command"
	"github.com/package-variants/package-variants/local/programs"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command.Run(ctx, os.Args[1:], programs.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}
