// SPDX-License-Identifier: Apache-2.0

package git

import (
	"context"
	"slices"

	"github.com/package-variants/package-variants/engine/revision"
)

// transport is how git pushes to an address.
type transport string

// The transports.
const (
	// direct is for paths and for ssh: git pushes by itself.
	direct transport = "direct"
	// helped is for all else, such as HTTP: git has a helper push. It starts a git with a lease for each ref on its line
	// (push_refs_with_push of transport-helper.c, push_git of remote-curl.c), which compares each of them with each ref of
	// the server. That takes long if both are many, whatever is done here.
	helped transport = "helped"
)

// directSchemes are those of direct.
var directSchemes = []string{"file", "ssh", "git"}

// transportOf returns how git pushes to the repository, after what the user's configuration makes of the address (of
// git's remote.c, alias_all_urls). It is found once.
func (r *Repository) transportOf(ctx context.Context) (transport, error) {
	r.mu.Lock()
	known := r.speaks
	r.mu.Unlock()
	if known != "" {
		return known, nil
	}
	all, pushes, err := readRewrites(ctx)
	if err != nil {
		return "", err
	}
	address := pushes.Apply(r.address)
	if address == r.address {
		address = all.Apply(r.address)
	}
	known = helped
	if a, err := revision.ParseAddress(address); err == nil && slices.Contains(directSchemes, a.Scheme) {
		known = direct
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.speaks = known
	return known, nil
}

// maxLine is how many characters the line of a command may have. Windows allows 32,767. It is the same everywhere, so
// that a fleet is pushed in the same way everywhere.
const maxLine = 32000

// room returns how many characters of a line are for refs: the others are for the address, and for the options of a
// push and of the git that a helper starts.
func (r *Repository) room() int { return maxLine - 1000 - len(r.address) }

// needs returns how many characters an update needs on the line of a command, with a space and quotes.
func (t transport) needs(u Update) int {
	switch {
	case t == helped:
		return len("--force-with-lease=:") + len(u.Ref) + max(len(u.Old), len(u.New)) + 3
	case u.New == "":
		return len(":") + len(u.Ref) + 3
	}
	return 0 // one pattern is for all of them
}

// parts returns refs in parts that fit into the room of a line, in order. A ref that does not fit is a part of its own.
func parts(refs []*pushed, t transport, room int) [][]*pushed {
	var all [][]*pushed
	left := room
	for _, p := range refs {
		needs := t.needs(p.Update)
		if len(all) == 0 || needs > left {
			all, left = append(all, nil), room
		}
		all[len(all)-1] = append(all[len(all)-1], p)
		left -= needs
	}
	return all
}
