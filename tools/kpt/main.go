// SPDX-License-Identifier: Apache-2.0

// Command kpt is the fn part of the kpt CLI: kpt fn render, eval, source, sink
// and doc, and of its pkg part kpt pkg get and update. The commands are kpt's own;
// only what they hang on is made here, because the original root needs modules
// that tests have no use for.
package main

import (
	"context"
	stderrors "errors"
	"fmt"
	"os"

	"github.com/kptdev/kpt/commands/fn"
	"github.com/kptdev/kpt/commands/pkg/get"
	"github.com/kptdev/kpt/commands/pkg/update"
	"github.com/kptdev/kpt/pkg/lib/errors"
	"github.com/kptdev/kpt/pkg/lib/errors/resolver"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
)

func main() {
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	root := &cobra.Command{Use: "kpt", SilenceUsage: true, SilenceErrors: true}
	root.PersistentFlags().BoolVar(&printer.TruncateOutput, "truncate-output", true,
		"shorten the output of failed functions")
	pkg := &cobra.Command{Use: "pkg"}
	pkg.AddCommand(get.NewCommand(ctx, "kpt"), update.NewCommand(ctx, "kpt"))
	root.AddCommand(fn.GetCommand(ctx, "kpt"), pkg)
	if err := root.Execute(); err != nil {
		os.Exit(report(err))
	}
}

// report prints err the way kpt does and returns the exit code for it.
func report(err error) int {
	if known, ok := resolver.ResolveError(err); ok {
		if known.Message != "" { // empty: the command has printed it already
			fmt.Fprintln(os.Stderr, known.Message)
		}
		return known.ExitCode
	}
	if kptErr := (*errors.Error)(nil); stderrors.As(err, &kptErr) {
		if cause, ok := errors.UnwrapErrors(kptErr); ok {
			err = cause
		}
	}
	fmt.Fprintln(os.Stderr, "Error:", err)
	return 1
}
