// SPDX-License-Identifier: Apache-2.0

// Command release makes the images of this project and its releases. The Makefile calls it, in the root of the
// repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/package-variants/package-variants/release/internal/build"
	"github.com/package-variants/package-variants/release/internal/component"
	"github.com/package-variants/package-variants/release/internal/dist"
	"github.com/package-variants/package-variants/release/internal/naming"
	"github.com/package-variants/package-variants/release/internal/plugin"
	"github.com/package-variants/package-variants/release/internal/push"
	"github.com/package-variants/package-variants/release/internal/tags"
)

const usage = `Usage: release COMMAND [FLAGS]

Commands:
  images      make the images and their bills of materials, in -dir
  push        push the images in -dir
  dist        make a release, in a directory of -dir
  tags        write registry and version into the references to images in the tree
  check-tags  fail if tags would change anything

Flags:
`

func main() {
	// What is half done is taken away when the program is told to end.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run runs the command that args name.
func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.Usage = func() {
		fmt.Fprint(errOut, usage)
		flags.PrintDefaults()
	}
	root := flags.String("root", ".", "root of the repository")
	dir := flags.String("dir", "", "directory that the command works in")
	registry := flags.String("registry", "", "registry of the images, and a path there")
	version := flags.String("version", "", "version of the images, and their tag")
	command := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		command, args = args[0], args[1:]
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if command == "" {
		return errors.New("no command: see release -help")
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: see release -help", flags.Arg(0))
	}
	names, err := naming.New(*registry, *version)
	if err != nil {
		return err
	}
	components, err := component.All(*root)
	if err != nil {
		return err
	}
	var images []string
	for _, c := range components {
		images = append(images, c.Name)
	}
	makeImages := func(dir string) error {
		return build.Images(ctx, *root, filepath.Join(*root, "dist", "build"), dir, components, names, out)
	}
	switch command {
	case "images":
		return makeImages(*dir)
	case "push":
		return push.Images(ctx, *dir, images, names, out)
	case "dist":
		return dist.Write(*root, *dir, images, names, withPlugin(ctx, *root, names.Version, makeImages))
	case "tags":
		return tags.Write(*root, images, names)
	case "check-tags":
		return tags.Check(*root, images, names)
	}
	return fmt.Errorf("unknown command %q: see release -help", command)
}

// withPlugin returns a function that writes what makeImages does to a directory, and then the archives of the kubectl
// plugin.
func withPlugin(ctx context.Context, root, version string, makeImages func(dir string) error) func(dir string) error {
	return func(dir string) error {
		if err := makeImages(dir); err != nil {
			return err
		}
		program, err := build.Plugin(ctx, root, filepath.Join(root, "dist", "build"), version)
		if err != nil {
			return err
		}
		return plugin.Write(root, dir, version, program)
	}
}
