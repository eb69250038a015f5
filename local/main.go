// SPDX-License-Identifier: Apache-2.0

// Variants keeps the packages of a fleet in step with nothing but git.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/package-variants/package-variants/local/fleet"
)

const usage = `Usage: variants sync|plan [flags] DIR

sync brings the packages of a fleet to what the manifests in DIR ask for: drafts are branches, and merging one
publishes it. plan says what sync would do, and writes nothing.

Exit codes: 0 all is as asked, or waits for a person; 2 something failed, and the rest is done; 1 the command is
wrong.

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs the command line, and returns its exit code.
func run(ctx context.Context, args []string, out, said io.Writer) int {
	o, format, err := parse(args, said)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		_, _ = fmt.Fprintf(said, "error: %v\n", err)
		return 1
	}
	report, err := fleet.Sync(ctx, o)
	if report != nil {
		err = errors.Join(err, show(out, report, format))
	}
	if err != nil {
		_, _ = fmt.Fprintf(said, "error: %v\n", err)
		return 2
	}
	if len(report.Failures) > 0 {
		return 2
	}
	return 0
}

// parse reads a command line.
func parse(args []string, said io.Writer) (o fleet.Options, format string, err error) {
	flags := flag.NewFlagSet("variants", flag.ContinueOnError)
	flags.SetOutput(said)
	flags.StringVar(&o.State, "state", "", "`address` of the git repository that remembers what was done "+
		"(default: the remote of the one that has DIR)")
	flags.StringVar(&o.Cache, "cache", "", "`directory` for clones (default: the user's cache directory)")
	flags.IntVar(&o.Removals, "max-removals", 0, "how many variants may be removed at once (default 3)")
	flags.BoolVar(&o.Aside, "any-commit", false, "let a commit count that does not follow the one that was synced last, "+
		"and files that are in no commit")
	flags.StringVar(&format, "o", "table", "`format` of the output: table or json")
	flags.Usage = func() {
		_, _ = fmt.Fprint(said, usage)
		flags.PrintDefaults()
	}
	if len(args) == 0 {
		return o, "", errors.New("say what to do: variants sync DIR, or variants plan DIR")
	}
	o.Plan = args[0] == "plan"
	switch args[0] {
	case "sync", "plan":
		err = flags.Parse(args[1:])
	case "help", "-h", "--help":
		flags.Usage()
		return o, "", flag.ErrHelp
	default:
		return o, "", fmt.Errorf("there is no command %s: variants sync DIR, or variants plan DIR", args[0])
	}
	switch {
	case err != nil:
		return o, "", err
	case flags.NArg() != 1:
		return o, "", fmt.Errorf("name one directory with manifests, after the flags: variants %s DIR", args[0])
	case format != "table" && format != "json":
		return o, "", fmt.Errorf("-o: it is %q: table or json", format)
	}
	o.Dir = flags.Arg(0)
	if o.Cache == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return o, "", fmt.Errorf("%w: name a directory for clones by --cache", err)
		}
		o.Cache = filepath.Join(cache, "package-variants")
	}
	return o, format, nil
}

// show writes a report in a format.
func show(to io.Writer, r *fleet.Report, format string) error {
	if format == "json" {
		encoder := json.NewEncoder(to)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	return r.Table(to)
}
