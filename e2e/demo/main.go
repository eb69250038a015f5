// SPDX-License-Identifier: Apache-2.0

// Command demo shows how a blueprint becomes a package variant: it does what the README of an example says, with the
// real kpt, in a temporary directory.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	keep := flag.Bool("keep", false, "keep the directory that the demo works in")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, &page{out: os.Stdout, colour: colours(os.Stdout, os.Getenv)}, *keep)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		os.Exit(1)
	}
}
