// SPDX-License-Identifier: Apache-2.0

// Package git reads and writes git repositories over bare clones, by the git command line of the user: its
// credentials, its author, its signatures and its hooks are the user's. What is written stays in memory until it is
// needed in the clone or pushed.
package git

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/lru"
)

// Hash is the name of an object, in hexadecimal digits; "" is none.
type Hash string

// Ref is where a branch or a tag points to.
type Ref struct {
	// Hash is the object, Commit the commit: they differ for an annotated tag.
	Hash, Commit Hash
}

// oldest is the oldest version of git that does all that is asked of it here.
var oldest = [2]int{2, 39}

// Check returns an error if there is no git, or one that is too old.
func Check(ctx context.Context) error {
	out, err := command(ctx, "", "version").Output()
	if err != nil {
		return fmt.Errorf("git cannot be run, install it: %w", err)
	}
	return checkVersion(string(out))
}

// checkVersion checks what git says of its version.
func checkVersion(said string) error {
	var major, minor int
	if _, err := fmt.Sscanf(said, "git version %d.%d", &major, &minor); err != nil {
		return fmt.Errorf("git says that its version is %q", strings.TrimSpace(said))
	}
	if major < oldest[0] || major == oldest[0] && minor < oldest[1] {
		return fmt.Errorf("git %d.%d is too old: install %d.%d or newer", major, minor, oldest[0], oldest[1])
	}
	return nil
}

// Repository is a git repository at an address, with a bare clone of it in a directory. Its methods may be called at
// once.
type Repository struct {
	dir, address string

	trees *lru.Cache

	mu      sync.Mutex
	reader  *reader
	pending map[Hash]object
	size    int
	known   map[Hash]bool
	signer  *signer
	sha256  bool
	// fresh says that it was cloned just now, so that the first fetch has nothing to fetch.
	fresh bool
}

// Open returns the repository at an address, of which a bare clone is in a directory of the cache. It makes the
// clone if it is not there yet. Close ends what Open and the methods start.
func Open(ctx context.Context, cache, address string) (*Repository, error) {
	sum := sha256.Sum256([]byte(address))
	r := &Repository{dir: filepath.Join(cache, hex.EncodeToString(sum[:10])), address: address,
		pending: map[Hash]object{}, known: map[Hash]bool{}, trees: lru.New(maxTrees)}
	if _, err := os.Stat(filepath.Join(r.dir, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		if err := r.clone(ctx, cache); err != nil {
			return nil, err
		}
	} else if _, err := r.run(ctx, nil, "gc", "--auto", "--quiet"); err != nil {
		return nil, r.explain(ctx, err)
	}
	config, err := os.ReadFile(filepath.Join(r.dir, "config"))
	r.sha256 = strings.Contains(strings.ToLower(string(config)), "objectformat = sha256")
	return r, err
}

// clone makes the clone beside its place, so that a clone that is there is whole.
func (r *Repository) clone(ctx context.Context, cache string) error {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	beside, err := os.MkdirTemp(cache, "new-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(beside) }()
	if _, err := execute(ctx, r, "", nil, "clone", "--quiet", "--bare", "--", r.address, beside); err != nil {
		return fmt.Errorf("cannot clone %w", err)
	}
	// The address may have a password in it.
	if _, err := execute(ctx, r, beside, nil, "config", "--remove-section", "remote.origin"); err != nil {
		return err
	}
	err = os.Rename(beside, r.dir)
	if r.fresh = err == nil; err != nil {
		if _, there := os.Stat(filepath.Join(r.dir, "HEAD")); there != nil {
			return r.damaged(err)
		} // another process was faster
	}
	return nil
}

// Close ends the process that reads, and forgets what was not written to the clone.
func (r *Repository) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending, r.size = map[Hash]object{}, 0
	return r.closeReader()
}

// explain returns an error of git, and what to do if the clone is its cause: objects or references are missing there.
func (r *Repository) explain(ctx context.Context, err error) error {
	if _, broken := r.run(ctx, nil, "rev-list", "--objects", "--all", "--quiet"); broken != nil && ctx.Err() == nil {
		return r.damaged(err)
	}
	return err
}

// damaged returns an error whose cause is the clone.
func (r *Repository) damaged(err error) error {
	return fmt.Errorf("the clone of %s in %s is damaged, remove that directory, and it is cloned again: %w", r.Address(),
		r.dir, err)
}

// Address returns the address, without a password.
func (r *Repository) Address() string { return Shown(r.address) }

// everything is what is fetched: the branches and the tags.
var everything = []string{"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"}

// Fetch brings the clone to the state of the repository, and returns where its branches and tags are, by their full
// names. A clone that lacks a part of the history gets it.
func (r *Repository) Fetch(ctx context.Context) (map[string]Ref, error) {
	if err := r.fetch(ctx); err != nil {
		return nil, r.explain(ctx, fmt.Errorf("cannot fetch %w", err))
	}
	out, err := r.run(ctx, nil, "for-each-ref", "--format=%(objectname) %(*objectname) %(refname)", "refs/heads/",
		"refs/tags/")
	if err != nil {
		return nil, r.explain(ctx, err)
	}
	refs := map[string]Ref{}
	for line := range strings.Lines(string(out)) {
		hash, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		peeled, name, _ := strings.Cut(rest, " ")
		refs[name] = Ref{Hash: Hash(hash), Commit: Hash(peeled)}
		if peeled == "" {
			refs[name] = Ref{Hash: Hash(hash), Commit: Hash(hash)}
		}
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
		if _, err = r.run(ctx, nil, append(append(args, "--", r.address), everything...)...); err == nil ||
			!strings.Contains(err.Error(), "cannot lock ref") {
			break
		}
	}
	return err
}

// Default returns the ref of the default branch; "" for none.
func (r *Repository) Default(ctx context.Context) (string, error) {
	out, err := r.run(ctx, nil, "ls-remote", "--symref", "--", r.address, "HEAD")
	first, rest, _ := strings.Cut(string(out), "\n")
	ref, ok := strings.CutPrefix(strings.TrimSuffix(first, "\tHEAD"), "ref: ")
	if err != nil || !ok || rest == "" { // HEAD names none, or one that is not there
		return "", err
	}
	return ref, nil
}

// Unmerged returns the commits of branches that are not in the history of a commit, each with its parents. The
// pattern names the branches, as git does.
func (r *Repository) Unmerged(ctx context.Context, pattern string, commit Hash) (map[Hash][]Hash, error) {
	if err := r.Write(ctx); err != nil {
		return nil, err
	}
	out, err := r.run(ctx, nil, "rev-list", "--parents", "--glob="+pattern, "^"+string(commit))
	if err != nil {
		return nil, err
	}
	commits := map[Hash][]Hash{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		parents := make([]Hash, 0, len(fields))
		for _, field := range fields[1:] {
			parents = append(parents, Hash(field))
		}
		commits[Hash(fields[0])] = parents
	}
	return commits, nil
}

// MergeBase returns the best common ancestor of two commits; "" if they have none.
func (r *Repository) MergeBase(ctx context.Context, a, b Hash) (Hash, error) {
	if err := r.Write(ctx); err != nil {
		return "", err
	}
	out, err := r.run(ctx, nil, "merge-base", string(a), string(b))
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", nil
	}
	return Hash(strings.TrimSpace(string(out))), err
}

// Merge merges two commits as git does, and returns the tree, or else the files in which they conflict.
func (r *Repository) Merge(ctx context.Context, ours, theirs Hash) (tree Hash, conflicts []string, err error) {
	if err := r.Write(ctx); err != nil {
		return "", nil, err
	}
	out, err := r.run(ctx, nil, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", string(ours),
		string(theirs))
	var exit *exec.ExitError
	conflicted := errors.As(err, &exit) && exit.ExitCode() == 1
	if err != nil && !conflicted {
		return "", nil, err
	}
	parts := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	if conflicted {
		return "", slices.Compact(slices.Sorted(slices.Values(parts[1:]))), nil
	}
	return Hash(parts[0]), nil, nil
}

// Error is what git says when it fails.
type Error struct {
	// Address is that of the repository, Command what was asked of git, Words what it answered.
	Address, Command, Words string
	err                     error
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("the git repository %s: git %s: %s", e.Address, e.Command, e.Words)
}

// Unwrap returns the error of the process.
func (e *Error) Unwrap() error { return e.err }

// In runs git in a directory that a person works in, and returns what it prints, without the last newline.
func In(ctx context.Context, dir string, args ...string) (string, error) {
	var out, said bytes.Buffer
	cmd := command(ctx, "", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &said
	if err := cmd.Run(); err != nil {
		words := cmp.Or(strings.TrimSpace(said.String()), err.Error())
		return "", &Error{Address: dir, Command: args[0], Words: words, err: err}
	}
	return strings.TrimSpace(out.String()), nil
}

// run runs git in the clone.
func (r *Repository) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	return execute(ctx, r, r.dir, stdin, args...)
}

// execute runs git, in a repository's directory unless that is "".
func execute(ctx context.Context, r *Repository, dir string, stdin io.Reader, args ...string) ([]byte, error) {
	var out, said bytes.Buffer
	cmd := command(ctx, dir, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		words := strings.TrimSpace(said.String())
		if words == "" {
			words = err.Error()
		}
		return out.Bytes(), &Error{Address: r.Address(), Command: args[0], err: err,
			Words: strings.ReplaceAll(words, r.address, r.Address())}
	}
	return out.Bytes(), nil
}

// command returns a git that never asks on a terminal, speaks English, and leaves no process behind.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	// Larger files are read and written piece by piece: none of them is a package's.
	args = append([]string{"-c", "gc.autoDetach=false", "-c", "core.bigFileThreshold=8m"}, args...)
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // what is run is always git
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(ofCaller, name)
	})
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	if dir != "" {
		cmd.Env = append(cmd.Env, "GIT_DIR="+dir)
	}
	return cmd
}

// ofCaller are the variables by which a git that runs us as its hook names its own repository.
var ofCaller = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_PREFIX", "GIT_NAMESPACE"}

// Shown returns an address without the password in it.
func Shown(address string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil {
		return u.Redacted()
	}
	return address
}
