// SPDX-License-Identifier: Apache-2.0

package git

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// quoted writes a path between quotes as git fast-import reads it, which knows no other escapes of C than these and
// octal ones.
var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// Propose makes a bare git repository, in a directory that is not there yet, in which one commit has these files, and
// symbolic links, by where they lead to. It is on the branch, and has the tags.
func Propose(ctx context.Context, dir, branch string, files, links map[string]string, tags []string) error {
	own := Process{Own: true}
	if _, err := own.output(ctx, nil, "init", "-q", "--bare", "--template=", "-b", branch, dir); err != nil {
		return err
	}
	var in strings.Builder
	fmt.Fprintf(&in, "commit refs/heads/%s\ncommitter variants <> 0 +0000\ndata 0\n", branch)
	add := func(mode string, of map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			fmt.Fprintf(&in, "M %s inline \"%s\"\ndata %d\n%s\n", mode, quoted.Replace(name), len(of[name]), of[name])
		}
	}
	add(File, files)
	add(Link, links)
	for _, tag := range tags {
		fmt.Fprintf(&in, "reset refs/tags/%s\nfrom refs/heads/%s\n\n", tag, branch)
	}
	own.Repository, own.In = dir, strings.NewReader(in.String())
	_, err := own.output(ctx, nil, "fast-import", "--quiet")
	return err
}

// CloneWithoutFiles makes a clone of a git repository on this machine in a directory that is not there yet. It shares
// the objects, and nothing is checked out.
func CloneWithoutFiles(ctx context.Context, from, dir string) error {
	_, err := Process{Own: true}.output(ctx, nil, "clone", "-q", "--shared", "--no-checkout", "--template=", from, dir)
	return err
}
