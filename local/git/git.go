// SPDX-License-Identifier: Apache-2.0

// Package git reads and writes git repositories over bare clones, by the git command line of the user: its
// credentials, its author, its signatures and its hooks are the user's. What is written stays in memory until it is
// needed in the clone or pushed.
package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"k8s.io/utils/lru"
)

// Hash is the name of an object, in hexadecimal digits; "" is none.
type Hash string

// Ref is where a branch or a tag points to.
type Ref struct {
	// Hash is the object, Commit the commit: they differ for an annotated tag. Commit is "" if the object is neither a
	// commit nor a tag of one.
	Hash, Commit Hash
}

// oldest is the oldest version of git that does all that is asked of it here.
var oldest = [2]int{2, 39}

// Check returns an error if there is no git, or one that is too old.
func Check(ctx context.Context) error {
	out, err := Process{}.Command(ctx, "version").Output()
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
	// cache is the directory that has the clone; "" for a repository that is not in the cache.
	cache string
	// own says that the address is the user's, and not that of a manifest.
	own bool
	// checkedOut says that it is the repository in which somebody works, and no clone of the cache.
	checkedOut bool

	trees, commits, places *lru.Cache

	mu      sync.Mutex
	reader  *reader
	pending map[Hash]object
	size    int
	known   map[Hash]bool
	signer  *signer
	sha256  bool
	// fresh says that it was cloned just now, so that the first fetch has nothing to fetch.
	fresh bool
	// identity says who commits, if it is not who commits everywhere.
	identity Identity
	// most is how many refs the server takes in one push; 0 if that is not known.
	most int
	// speaks is how the address is pushed to; "" if that is not known.
	speaks transport
}

// Open returns the repository at an address that a manifest names, of which a bare clone is in a directory of the
// cache. It makes the clone if it is not there yet. Close ends what Open and the methods start.
func Open(ctx context.Context, cache, address string) (*Repository, error) {
	return open(ctx, cache, address, false)
}

// OpenOwn is Open for an address that is the user's own: the remote of a clone, or one of the command line. Any
// transport that git knows may be used for it.
func OpenOwn(ctx context.Context, cache, address string) (*Repository, error) {
	return open(ctx, cache, address, true)
}

func open(ctx context.Context, cache, address string, own bool) (*Repository, error) {
	sum := sha256.Sum256([]byte(address))
	r := newRepository(filepath.Join(cache, hex.EncodeToString(sum[:10])))
	r.address, r.own, r.cache = address, own, cache
	if err := sweep(cache); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(r.dir, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		return r, r.clone(ctx, cache)
	}
	if err := r.secure(); err != nil {
		return nil, r.damaged(err)
	}
	if _, err := r.run(ctx, nil, "gc", "--auto", "--quiet"); err != nil {
		return nil, r.explain(ctx, err)
	}
	if r.hasLooseRefs() {
		_, _ = r.run(ctx, nil, "pack-refs", "--all") // another process may do so, too, and each can do without
	}
	return r, nil
}

// maxLooseRefs is how many files with refs a clone may have, beyond which git takes longer to open them than for all
// else: git gc packs refs only where it packs objects.
const maxLooseRefs = 1000

// hasLooseRefs reports whether the clone has more files with refs than it may have.
func (r *Repository) hasLooseRefs() bool {
	n := 0
	_ = filepath.WalkDir(filepath.Join(r.dir, "refs"), func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			n++
		}
		if n > maxLooseRefs {
			return fs.SkipAll
		}
		return nil
	})
	return n > maxLooseRefs
}

// newRepository returns the repository in a git directory.
func newRepository(dir string) *Repository {
	return &Repository{dir: dir, pending: map[Hash]object{}, known: map[Hash]bool{}, trees: lru.New(maxTrees),
		commits: lru.New(maxCommits), places: lru.New(maxPlaces)}
}

// clone makes the clone beside its place, so that a clone that is there is whole.
func (r *Repository) clone(ctx context.Context, cache string) error {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	beside, err := os.MkdirTemp(cache, newPrefix)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(beside) }()
	if _, err := r.output(ctx, Process{Own: r.own}, "clone", "--quiet", "--bare", "--no-local", "--template=", "--",
		r.address, beside); err != nil {
		return fmt.Errorf("cannot clone %w", err)
	}
	err = os.Rename(beside, r.dir)
	if r.fresh = err == nil; err != nil {
		if _, there := os.Stat(filepath.Join(r.dir, "HEAD")); there != nil {
			return r.damaged(err)
		} // another process was faster
	}
	return r.secure()
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
	if r.checkedOut {
		return fmt.Errorf("the clone in %s lacks an object, as a clone with --filter does: clone it as a whole: %w",
			r.Address(), err)
	}
	return fmt.Errorf("the clone of %s in %s is damaged, remove that directory, and it is cloned again: %w", r.Address(),
		r.dir, err)
}

// Address returns the address, without a password.
func (r *Repository) Address() string { return Shown(r.address) }

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
	line, err := r.line(ctx, "merge-base", string(a), string(b))
	return Hash(line), err
}

// Follows reports whether a commit is another one, or has it in its history. One that is not there is in none.
func (r *Repository) Follows(ctx context.Context, commit, earlier Hash) (bool, error) {
	_, err := r.run(ctx, nil, "merge-base", "--is-ancestor", string(earlier), string(commit))
	if hasExited(err, 1) || hasExited(err, 128) {
		return false, nil
	}
	return err == nil, err
}

// Merge merges two commits as git does, and returns the tree, or else the files in which they conflict.
func (r *Repository) Merge(ctx context.Context, ours, theirs Hash) (tree Hash, conflicts []string, err error) {
	if err := r.Write(ctx); err != nil {
		return "", nil, err
	}
	out, err := r.run(ctx, nil, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", string(ours),
		string(theirs))
	conflicted := hasExited(err, 1)
	if err != nil && !conflicted {
		return "", nil, err
	}
	parts := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	if conflicted {
		return "", slices.Compact(slices.Sorted(slices.Values(parts[1:]))), nil
	}
	return Hash(parts[0]), nil, nil
}

// run runs git in the clone.
func (r *Repository) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	return r.output(ctx, Process{Repository: r.dir, Own: r.own, In: stdin}, args...)
}

// output runs git for the repository.
func (r *Repository) output(ctx context.Context, p Process, args ...string) ([]byte, error) {
	p.Settings = slices.Concat(r.identity, p.Settings)
	out, err := p.output(ctx, []string{r.address}, args...)
	if said, ok := errors.AsType[*Error](err); ok {
		said.At = r.Address()
	}
	return out, err
}
