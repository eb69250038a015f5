// SPDX-License-Identifier: Apache-2.0

// Command demo shows how a blueprint becomes package variants: it does what the READMEs of examples say, in a
// temporary directory, with the real Porch and the controller. hack/demo.sh is the one without a cluster.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// timeout is how long the demo may take, on a slow machine that does other things too.
const timeout = 5 * time.Minute

func main() {
	// The signals stay caught until the end, so that nothing interrupts the cleaning up.
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errors.New("the demo did not end within "+timeout.String()))
	err := run(ctx, &page{out: os.Stdout, colour: colours(os.Stdout, os.Getenv)}, options{})
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		os.Exit(1)
	}
}
