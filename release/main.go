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
	"slices"
	"strings"
	"syscall"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/package-variants/package-variants/release/internal/build"
	"github.com/package-variants/package-variants/release/internal/component"
	"github.com/package-variants/package-variants/release/internal/dist"
	"github.com/package-variants/package-variants/release/internal/naming"
	"github.com/package-variants/package-variants/release/internal/programs"
	"github.com/package-variants/package-variants/release/internal/push"
	"github.com/package-variants/package-variants/release/internal/tags"
)

const usage = `Usage: release COMMAND [FLAGS]

Commands:
  images      make the images and their bills of materials, in -dir
  push        push the images in -dir, and move the tags that follow the version
  follow      move the tags that follow the version of the image for CI jobs, which is there, and print its digest
  variants    build variants for -platforms, in a directory of -dir for each
  digests     print the digests of the images in -dir, as sha256sum does
  install     print what installs the controller, as install.yaml of a release
  dist        make a release, in a directory of -dir
  tags        write registry and version into the references to images in the tree
  check-tags  fail if tags would change anything

Flags:
`

// forCI is the image for CI jobs, which has variants and which a container engine builds.
const forCI = "variants"

func main() {
	// Half-done work is removed when the program is told to end.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// request is what the command line asks for.
type request struct {
	command, root, dir string
	names              naming.Names
	// platforms are those that dist makes the command lines for.
	platforms []v1.Platform
}

// parse reads the command line. Usage and errors of the flag package are written to errOut.
func parse(args []string, errOut io.Writer) (r request, err error) {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.Usage = func() {
		fmt.Fprint(errOut, usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&r.root, "root", ".", "root of the repository")
	flags.StringVar(&r.dir, "dir", "", "directory that the command works in")
	registry := flags.String("registry", "", "registry of the images, and a path there")
	version := flags.String("version", "", "version of the images, and their tag")
	platforms := flags.String("platforms", "", "platforms of the command lines that dist makes, such as "+
		"linux/amd64,darwin/arm64: for a trial (default all)")
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		r.command, args = args[0], args[1:]
	}
	if err := flags.Parse(args); err != nil {
		return r, err
	}
	if r.command == "" {
		return r, errors.New("no command: see release -help")
	}
	if flags.NArg() > 0 {
		return r, fmt.Errorf("unexpected argument %q: see release -help", flags.Arg(0))
	}
	if r.names, err = naming.New(*registry, *version); err != nil {
		return r, err
	}
	r.platforms, err = programs.Select(*platforms)
	return r, err
}

// run runs the command that args name.
func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	r, err := parse(args, errOut)
	if err != nil {
		return err
	}
	components, err := component.All(r.root)
	if err != nil {
		return err
	}
	var images []string
	for _, c := range components {
		images = append(images, c.Name)
	}
	referred := append(slices.Clone(images), forCI)
	makeImages := func(dir string) error {
		return build.Images(ctx, r.root, filepath.Join(r.root, "dist", "build"), dir, components, r.names, out)
	}
	switch r.command {
	case "images":
		return makeImages(r.dir)
	case "push":
		return push.Images(ctx, r.dir, images, r.names, out)
	case "digests":
		return push.Digests(r.dir, images, r.names, out)
	case "follow":
		return push.Follow(ctx, forCI, r.names, out, errOut)
	case "variants":
		_, err := build.Programs(ctx, r.root, r.dir, r.names.Version, r.platforms, programs.Git)
		return err
	case "install":
		manifests, err := dist.Install(r.root, referred, r.names)
		if err != nil {
			return err
		}
		_, err = out.Write(manifests)
		return err
	case "dist":
		return dist.Write(r.root, r.dir, referred, r.names, r.withPrograms(ctx, makeImages))
	case "tags":
		return tags.Write(r.root, referred, r.names)
	case "check-tags":
		return tags.Check(r.root, referred, r.names)
	}
	return fmt.Errorf("unknown command %q: see release -help", r.command)
}

// withPrograms returns a function that writes what makeImages does to a directory, and then the archives of the command
// lines.
func (r request) withPrograms(ctx context.Context, makeImages func(dir string) error) func(dir string) error {
	return func(dir string) error {
		if err := makeImages(dir); err != nil {
			return err
		}
		version := r.names.Version
		scratch := filepath.Join(r.root, "dist", "build")
		path, err := build.Programs(ctx, r.root, scratch, version, r.platforms, programs.All...)
		if err != nil {
			return err
		}
		return programs.Write(r.root, dir, version, r.platforms, path)
	}
}
