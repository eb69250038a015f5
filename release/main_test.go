// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"flag"
	"strings"
	"testing"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ args, want string }{
		"no command":      {"", "no command: see release -help"},
		"unknown command": {"pull -registry ghcr.io/x -version v0.1.0 -root ..", `unknown command "pull": see release -help`},
		"unknown flag":    {"push -tag v0.1.0", "flag provided but not defined: -tag"},
		"an argument":     {"push v0.1.0", `unexpected argument "v0.1.0": see release -help`},
		"version": {"dist -registry ghcr.io/x -version 1 -root ..",
			`VERSION "1" is not a version: write vMAJOR.MINOR.PATCH, such as v0.1.0 or v0.2.0-rc.1`},
		"registry": {"push -registry x -version v0.1.0 -root ..",
			`REGISTRY "x" is not a place for images: write HOST/PATH, without a scheme, such as ghcr.io/package-variants or ` +
				`localhost:5000/x`},
		"platform": {"dist -registry ghcr.io/x -version v0.1.0 -root .. -platforms plan9/386",
			`no program is made for the platform "plan9/386": choose from [darwin/amd64 darwin/arm64 linux/amd64 ` +
				`linux/arm64 windows/amd64 windows/arm64]`},
		"root": {"tags -registry ghcr.io/x -version v0.1.0",
			".: has no functions/*/metadata.yaml: it is not the root of the repository"},
		"no images": {"push -registry ghcr.io/x -version v0.1.0 -root .. -dir /nowhere",
			"open /nowhere/apply-package-context.tar: no such file or directory: run 'make images' first"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errOut bytes.Buffer
			err := run(t.Context(), strings.Fields(c.args), &out, &errOut)
			if err == nil || err.Error() != c.want || out.Len() > 0 {
				t.Errorf("got %v\nwant %s\nprinted %s", err, c.want, out.String())
			}
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-help"}, {"push", "-help"}} {
		var out, errOut bytes.Buffer
		if err := run(t.Context(), args, &out, &errOut); !errors.Is(err, flag.ErrHelp) ||
			!strings.HasPrefix(errOut.String(), usage) {
			t.Errorf("%q: error %v, printed\n%s", args, err, errOut.String())
		}
	}
}
