// SPDX-License-Identifier: Apache-2.0

package git

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A scratch is a git directory with few refs over the objects of a clone. A command that needs refs of its own gets
// one: the refs of the clone stay those of the server, processes that share the clone do not see each other's, and git
// has no others to compare with.

// The prefixes of the directories that are in the cache for a while.
const (
	newPrefix     = "new-"
	scratchPrefix = "scratch-"
)

// tooOld is the age of a directory of a process that must have been killed.
const tooOld = 24 * time.Hour

// sweep removes from the cache what killed processes left there.
func sweep(cache string) error {
	entries, err := os.ReadDir(cache)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), newPrefix) && !strings.HasPrefix(entry.Name(), scratchPrefix) {
			continue
		}
		info, notThere := entry.Info() // another process may have removed it
		if notThere == nil && time.Since(info.ModTime()) > tooOld {
			err = errors.Join(err, os.RemoveAll(filepath.Join(cache, entry.Name())))
		}
	}
	return err
}

// scratch returns a git that works on a scratch with these refs. done removes the scratch.
func (r *Repository) scratch(refs map[string]Hash) (p Process, done func(), err error) {
	dir, err := os.MkdirTemp(r.cache, scratchPrefix)
	if err != nil {
		return Process{}, nil, err
	}
	done = func() { _ = os.RemoveAll(dir) } // the next process removes what is left of it
	err = os.Mkdir(filepath.Join(dir, "refs"), 0o700)
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": configs[r.sha256],
		"packed-refs": packedRefs(refs)} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if err != nil {
		done()
		return Process{}, nil, err
	}
	return Process{Repository: dir, Objects: filepath.Join(r.dir, "objects"), Own: r.own}, done, nil
}

// packedRefs returns the text of git's file packed-refs, which has the refs sorted (refs/packed-backend.c). One file is
// written in no time, and has names that files cannot have.
func packedRefs(refs map[string]Hash) string {
	var b strings.Builder
	b.WriteString("# pack-refs with: sorted \n")
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		b.WriteString(string(refs[name]) + " " + name + "\n")
	}
	return b.String()
}
