// SPDX-License-Identifier: Apache-2.0

// Command demo shows how a blueprint becomes package variants: it does what the READMEs of examples say, in a
// temporary directory, with the real Porch and the controller, or with the real kpt alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// timeout is how long the demo may take, on a slow machine that does other things too.
const timeout = 5 * time.Minute

func main() {
	var o options
	flag.BoolVar(&o.kpt, "kpt", false, "show the functions by themselves, with kpt and no cluster")
	flag.BoolVar(&o.keep, "keep", false, "keep the directory that the demo works in")
	flag.Parse()
	// The signals stay caught until the end, so that nothing interrupts the cleaning up.
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errors.New("the demo did not end within "+timeout.String()))
	err := run(ctx, &page{out: os.Stdout, colour: colours(os.Stdout, os.Getenv)}, o)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		os.Exit(1)
	}
}
