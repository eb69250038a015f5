// SPDX-License-Identifier: Apache-2.0

package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// everything is what is fetched: the branches and the tags.
var everything = []string{"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"}

// Fetch brings the clone to the state of the repository, and returns where its branches and tags are, by their full
// names. A clone that lacks a part of the history gets it. A ref that the clone cannot store, or that points to no
// commit, does not keep others from being fetched.
func (r *Repository) Fetch(ctx context.Context) (map[string]Ref, error) {
	err := r.fetch(ctx)
	read := r.storedRefs
	if isNotStored(err) {
		read, err = r.remoteRefs, nil
	}
	if err != nil {
		return nil, r.explain(ctx, fmt.Errorf("cannot fetch %w", err))
	}
	refs, err := read(ctx)
	if err != nil {
		return nil, r.explain(ctx, err)
	}
	return refs, nil
}

// fetch brings the clone to the state of the repository.
func (r *Repository) fetch(ctx context.Context) (err error) {
	if r.fresh {
		r.fresh = false
		return nil
	}
	args := []string{"fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head", "--no-auto-gc",
		"--recurse-submodules=no"}
	if _, err := os.Stat(filepath.Join(r.dir, "shallow")); err == nil {
		args = append(args, "--unshallow")
	}
	for range 3 { // two processes that fetch into one clone at once get in each other's way
		if _, err = r.run(ctx, nil, append(append(args, "--", r.address), everything...)...); !isNotStored(err) {
			break
		}
	}
	return err
}

// notStored are git's words for a ref that it has fetched and cannot store: refs/files-backend.c, builtin/fetch.c. A
// killed git has left its lock, or a file of the clone cannot have the name: it is too long, differs from another one
// only in its case, or has characters that the system does not allow.
var notStored = []string{"cannot lock ref", "unable to update local ref", "some local refs could not be updated"}

// isNotStored reports whether all was fetched, and some ref could not be stored.
func isNotStored(err error) bool {
	said, ok := errors.AsType[*Error](err)
	return ok && slices.ContainsFunc(notStored, func(text string) bool { return strings.Contains(said.Words, text) })
}

// storedRefs returns the refs of the clone.
func (r *Repository) storedRefs(ctx context.Context) (map[string]Ref, error) {
	out, err := r.run(ctx, nil, "for-each-ref",
		"--format=%(objectname) %(objecttype) %(refname)", "refs/heads/", "refs/tags/")
	if err != nil {
		return nil, err
	}
	refs, others := map[string]Ref{}, map[string]Hash{}
	for line := range strings.Lines(string(out)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(fields) < 3 {
			return nil, fmt.Errorf("git for-each-ref of %s prints %q", r.Address(), line)
		}
		if hash, name := Hash(fields[0]), fields[2]; fields[1] == "commit" {
			refs[name] = Ref{Hash: hash, Commit: hash}
		} else {
			others[name] = hash
		}
	}
	return refs, r.peel(ctx, others, refs)
}

// remoteRefs returns the refs of the server, of which all objects are in the clone. A ref that has moved since is left
// out.
func (r *Repository) remoteRefs(ctx context.Context) (map[string]Ref, error) {
	out, err := r.run(ctx, nil, "ls-remote", "--quiet", "--refs", "--heads", "--tags", "--", r.address)
	if err != nil {
		return nil, fmt.Errorf("cannot fetch %w", err)
	}
	hashes, refs := map[string]Hash{}, map[string]Ref{}
	for line := range strings.Lines(string(out)) {
		hash, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		hashes[name] = Hash(hash)
	}
	return refs, r.peel(ctx, hashes, refs)
}

// peel adds refs that have these hashes, each with the commit to which it leads in the end: tags of tags do, too. It
// leaves out what is not in the clone.
func (r *Repository) peel(ctx context.Context, hashes map[string]Hash, into map[string]Ref) error {
	if len(hashes) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(hashes))
	var asked strings.Builder
	for _, name := range names {
		asked.WriteString(string(hashes[name]) + "\n" + string(hashes[name]) + "^{commit}\n")
	}
	out, err := r.run(ctx, strings.NewReader(asked.String()), "cat-file", "--batch-check=%(objectname)")
	if err != nil {
		return err
	}
	answers := strings.Split(string(out), "\n")
	if len(answers) < 2*len(names) {
		return fmt.Errorf("git cat-file of %s answers %d of %d questions", r.Address(), len(answers), 2*len(names))
	}
	for i, name := range names {
		itself, commit := answers[2*i], answers[2*i+1]
		if strings.HasSuffix(itself, " missing") {
			continue
		}
		if strings.HasSuffix(commit, " missing") {
			commit = ""
		}
		into[name] = Ref{Hash: hashes[name], Commit: Hash(commit)}
	}
	return nil
}
