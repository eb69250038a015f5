// SPDX-License-Identifier: Apache-2.0

package git

import (
	"context"
	"os"
	"strings"
)

// Rewrites are what the user's url.<base>.insteadOf makes of addresses: the longest prefix that one names is replaced
// by its base.
type Rewrites map[string]string

// ReadRewrites returns those of the user's own configuration.
func ReadRewrites(ctx context.Context) (Rewrites, error) {
	all, _, err := readRewrites(ctx)
	return all, err
}

// readRewrites returns those of the user's own configuration, and those for pushes only (pushInsteadOf).
func readRewrites(ctx context.Context) (all, pushes Rewrites, err error) {
	p := Process{Repository: os.DevNull} // no repository's configuration
	out, err := p.output(ctx, nil, "config", "--null", "--get-regexp", `^url\..*\.(push)?insteadof$`)
	if hasExited(err, 1) { // there are none
		return nil, nil, nil
	}
	all, pushes = Rewrites{}, Rewrites{}
	for pair := range strings.SplitSeq(string(out), "\x00") {
		name, prefix, ok := strings.Cut(pair, "\n")
		name = strings.TrimPrefix(name, "url.")
		if base, is := strings.CutSuffix(name, ".insteadof"); ok && is {
			all[prefix] = base
		}
		if base, is := strings.CutSuffix(name, ".pushinsteadof"); ok && is {
			pushes[prefix] = base
		}
	}
	return all, pushes, err
}

// Apply returns the address that git contacts for one.
func (r Rewrites) Apply(address string) string {
	longest := ""
	for prefix := range r {
		if len(prefix) > len(longest) && strings.HasPrefix(address, prefix) {
			longest = prefix
		}
	}
	return r[longest] + address[len(longest):]
}
