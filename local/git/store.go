// SPDX-License-Identifier: Apache-2.0

package git

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"crypto/sha1" //nolint:gosec // it is git's
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"strings"

	"github.com/package-variants/package-variants/functions/bounds"
)

// maxTrees and maxCommits are how many trees and commits stay in memory as they were decoded: the roots of branches,
// which many drafts start from, and the commits that have them. One that publishes many drafts names them all. A tree
// of more than maxTree bytes does not stay. maxPlaces is how many places in trees are remembered.
const (
	maxTrees   = 16
	maxCommits = 64
	maxTree    = 1 << 20
	maxPlaces  = 1024
)

// maxPending is how many bytes of objects stay in memory.
const maxPending = 16 << 20

// Tree returns the entries of a directory, which are only read.
func (r *Repository) Tree(h Hash) ([]Entry, error) {
	if kept, there := r.trees.Get(h); there {
		if entries, ok := kept.([]Entry); ok {
			return entries, nil
		}
	}
	data, err := r.read(h, "tree")
	if err != nil {
		return nil, err
	}
	entries, problem := decodeTree(data, r.newHash().Size())
	if problem != "" {
		return nil, &ObjectError{Hash: h, Problem: "is a tree " + problem}
	}
	if len(data) <= maxTree {
		r.trees.Add(h, entries)
	}
	return entries, nil
}

// Commit returns a commit, which is only read.
func (r *Repository) Commit(h Hash) (*Commit, error) {
	if kept, there := r.commits.Get(h); there {
		if commit, ok := kept.(*Commit); ok {
			return commit, nil
		}
	}
	data, err := r.read(h, "commit")
	if err != nil {
		return nil, err
	}
	commit := decodeCommit(data)
	r.commits.Add(h, commit)
	return commit, nil
}

// TagMessage returns the message of an annotated tag; "" if the object is none.
func (r *Repository) TagMessage(h Hash) (string, error) {
	data, err := r.read(h, "tag")
	if err != nil {
		return "", err
	}
	_, message, _ := strings.Cut(string(data), "\n\n")
	return message, nil
}

// At returns what a commit has at a path; "" if that is nothing. The trees on the way to it are read by git alone, if
// it is there.
func (r *Repository) At(commit Hash, path string) (Hash, error) {
	read, err := r.Commit(commit)
	if err != nil {
		return "", err
	}
	place := string(read.Tree) + ":" + path
	if kept, there := r.places.Get(place); there {
		if at, ok := kept.(Hash); ok {
			return at, nil
		}
	}
	r.mu.Lock()
	var h header
	err = ErrMissing
	if _, pending := r.pending[read.Tree]; !pending {
		h, err = r.info(place)
	}
	r.mu.Unlock()
	if errors.Is(err, ErrMissing) { // it is not there, or the clone lacks it
		return r.TreeAt(read.Tree, path)
	}
	if err == nil {
		r.places.Add(place, h.hash)
	}
	return h.hash, err
}

// TreeAt returns what is at a path below a tree; "" if that is nothing.
func (r *Repository) TreeAt(tree Hash, path string) (Hash, error) {
	name, rest, deeper := strings.Cut(path, "/")
	entries, err := r.Tree(tree)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		switch {
		case e.Name != name || deeper && e.Mode != Directory:
		case deeper:
			return r.TreeAt(e.Hash, rest)
		default:
			return e.Hash, nil
		}
	}
	return "", nil
}

// Holding returns the directories of a commit, by their paths, that have a file of a name. A commit with more files
// and directories than a branch may have is an ObjectError.
func (r *Repository) Holding(ctx context.Context, commit Hash, name string) (map[string]Hash, error) {
	if err := r.Write(ctx); err != nil {
		return nil, err
	}
	var said bytes.Buffer
	found := &holders{name: name, dirs: map[string]Hash{}}
	cmd := Process{Repository: r.dir}.Command(ctx, "ls-tree", "-r", "-t", "-z", string(commit))
	cmd.Stdout, cmd.Stderr = found, &said
	err := cmd.Run()
	switch {
	case found.entries > bounds.BranchFiles:
		return nil, &ObjectError{Hash: commit, TooLarge: true, Problem: fmt.Sprintf("has more than %d files and "+
			"directories: remove those that are not needed, or move the packages to a git repository of their own",
			bounds.BranchFiles)}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		words := cmp.Or(strings.TrimSpace(said.String()), err.Error())
		return nil, r.explain(ctx, &Error{At: r.Address(), Command: "ls-tree", Words: redact(words, r.address), err: err})
	}
	return found.dirs, nil
}

// holders takes what git says of the entries of trees, each of which ends with NUL, and keeps the directories that have
// a file of a name. A path that is longer than that of a file may be counts as none.
type holders struct {
	name string
	dirs map[string]Hash
	// above are the directories in which the last entry is.
	above   []holder
	entries int
	partial []byte
}

// holder is a directory.
type holder struct {
	path string
	tree Hash
}

var errManyFiles = errors.New("too many files")

// Write implements io.Writer. It fails for more files than a branch may have.
func (h *holders) Write(text []byte) (int, error) {
	const beforePath = 200
	for rest := text; len(rest) > 0; {
		part, after, ends := bytes.Cut(rest, []byte{0})
		if len(h.partial) <= bounds.Path+beforePath {
			h.partial = append(h.partial, part...)
		}
		if rest = after; !ends {
			break
		}
		if err := h.take(string(h.partial)); err != nil {
			return 0, err
		}
		h.partial = h.partial[:0]
	}
	return len(text), nil
}

// take takes an entry: mode, kind and hash, and its path after a tab.
func (h *holders) take(entry string) error {
	about, file, ok := strings.Cut(entry, "\t")
	fields := strings.Fields(about)
	if h.entries++; h.entries > bounds.BranchFiles {
		return errManyFiles
	}
	if !ok || len(fields) != 3 || len(file) > bounds.Path {
		return nil
	}
	dir, name := path.Split(file)
	for len(h.above) > 0 && h.above[len(h.above)-1].path+"/" != dir {
		h.above = h.above[:len(h.above)-1]
	}
	if fields[1] == "tree" {
		h.above = append(h.above, holder{file, Hash(fields[2])})
		return nil
	}
	if name == h.name && len(h.above) > 0 {
		h.dirs[h.above[len(h.above)-1].path] = h.above[len(h.above)-1].tree
	}
	return nil
}

// newHash returns the hash by which the repository names objects.
func (r *Repository) newHash() hash.Hash {
	if r.sha256 {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // it is git's
}

// put keeps an object to be written, and returns its name.
func (r *Repository) put(kind string, data []byte) Hash {
	h := r.newHash()
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	_, _ = h.Write(data) // a hash never fails
	name := Hash(hex.EncodeToString(h.Sum(nil)))
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.known[name] {
		r.known[name], r.pending[name] = true, object{kind, data}
		r.size += len(data)
	}
	return name
}

// PutBlob returns the name of a file's content, which is written when it is needed, as what the other methods put.
func (r *Repository) PutBlob(text string) Hash { return r.put("blob", []byte(text)) }

// PutTree returns the name of a directory with these entries.
func (r *Repository) PutTree(entries []Entry) (Hash, error) {
	data, err := encodeTree(entries)
	if err != nil {
		return "", err
	}
	return r.put("tree", data), nil
}

// With returns a root, which may be none, with something else at a path: a tree, or nothing.
func (r *Repository) With(root Hash, path string, tree Hash) (Hash, error) {
	return r.WithAll(root, map[string]Hash{path: tree})
}

// WithAll is With of several paths, none of which is inside of another. Each directory is written once.
func (r *Repository) WithAll(root Hash, trees map[string]Hash) (Hash, error) {
	out, err := r.with(root, trees)
	if err != nil || out != "" {
		return out, err
	}
	return r.PutTree(nil)
}

// with returns a directory with something else at paths; "" if it is empty then: git has no such directories.
func (r *Repository) with(root Hash, trees map[string]Hash) (Hash, error) {
	var entries []Entry
	if root != "" {
		var err error
		if entries, err = r.Tree(root); err != nil {
			return "", err
		}
	}
	now, below := map[string]Hash{}, map[string]map[string]Hash{}
	for path, tree := range trees {
		name, rest, deeper := strings.Cut(path, "/")
		if now[name] = tree; deeper {
			if below[name] == nil {
				below[name] = map[string]Hash{}
			}
			below[name][rest] = tree
		}
	}
	was := map[string]Hash{}
	for _, e := range entries {
		if e.Mode == Directory {
			was[e.Name] = e.Hash
		}
	}
	for name, inside := range below {
		var err error
		if now[name], err = r.with(was[name], inside); err != nil {
			return "", err
		}
	}
	out := make([]Entry, 0, len(entries)+len(now))
	for _, e := range entries {
		if _, other := now[e.Name]; !other {
			out = append(out, e)
		}
	}
	for name, tree := range now {
		if tree != "" {
			out = append(out, Entry{Mode: Directory, Name: name, Hash: tree})
		}
	}
	if len(out) == 0 {
		return "", nil
	}
	return r.PutTree(out)
}

// Write writes to the clone what was put.
func (r *Repository) Write(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pending) == 0 {
		return nil
	}
	pack, done := io.Pipe()
	go func() { done.CloseWithError(r.writePack(done)) }()
	_, err := r.run(ctx, pack, "index-pack", "--stdin")
	_ = pack.CloseWithError(err) // so that the writer ends
	if err != nil {
		return err
	}
	r.pending, r.size = map[Hash]object{}, 0
	return nil
}

// WriteIfLarge writes to the clone what was put if it takes much memory.
func (r *Repository) WriteIfLarge(ctx context.Context) error {
	r.mu.Lock()
	large := r.size > maxPending
	r.mu.Unlock()
	if !large {
		return nil
	}
	return r.Write(ctx)
}

// writePack writes what was put as git's packs have it.
func (r *Repository) writePack(to io.Writer) error {
	sum := r.newHash()
	out := bufio.NewWriterSize(io.MultiWriter(to, sum), 64<<10)
	_, _ = out.WriteString("PACK\x00\x00\x00\x02") // a bufio.Writer keeps its error until it is flushed
	_ = binary.Write(out, binary.BigEndian, uint32(len(r.pending)))
	packed, err := zlib.NewWriterLevel(out, zlib.BestSpeed)
	if err != nil {
		return err
	}
	for _, o := range r.pending {
		size := len(o.data)
		first := kinds[o.kind]<<4 | byte(size&15)
		for size >>= 4; size > 0; size >>= 7 {
			_ = out.WriteByte(first | 0x80)
			first = byte(size & 0x7f)
		}
		_ = out.WriteByte(first)
		packed.Reset(out)
		if _, err := io.Copy(packed, bytes.NewReader(o.data)); err != nil {
			return err
		}
		if err := packed.Close(); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err = to.Write(sum.Sum(nil))
	return err
}
