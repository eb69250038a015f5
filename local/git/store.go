// SPDX-License-Identifier: Apache-2.0

package git

import (
	"bufio"
	"bytes"
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
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// ErrMissing says that there is no such object.
var ErrMissing = errors.New("missing")

// maxTrees is how many trees stay in memory as they were decoded: the roots of branches, which many drafts start
// from.
const maxTrees = 16

// maxPending is how many bytes of objects stay in memory.
const maxPending = 32 << 20

// reader is a git process that reads objects.
type reader struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// closeReader ends the process that reads. The lock must be held.
func (r *Repository) closeReader() error {
	if r.reader == nil {
		return nil
	}
	_ = r.reader.in.Close()
	err := r.reader.cmd.Wait()
	r.reader = nil
	return err
}

// start starts the process that reads, unless it runs. The lock must be held.
func (r *Repository) start() error {
	if r.reader == nil {
		cmd := Process{Repository: r.dir}.Command(context.Background(), "cat-file", "--batch-command")
		in, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			return fmt.Errorf("the git repository %s: git cat-file: %w", r.Address(), err)
		}
		r.reader = &reader{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}
	}
	return nil
}

// ask sends a command to the process that reads, and returns what it answers. The lock must be held.
func (r *Repository) ask(what, name string) (hash Hash, o object, err error) {
	if err := r.start(); err != nil {
		return "", object{}, err
	}
	if strings.ContainsAny(name, "\n") {
		return "", object{}, fmt.Errorf("%q: %w", name, ErrMissing)
	}
	if _, err = io.WriteString(r.reader.in, what+" "+name+"\n"); err == nil {
		hash, o, err = r.reader.answer(what, name)
	}
	return hash, o, r.failed(err)
}

// failed ends the process that reads after an error that leaves it in the middle of an answer. The lock must be held.
func (r *Repository) failed(err error) error {
	if err == nil || errors.Is(err, ErrMissing) {
		return err
	}
	_ = r.closeReader()
	return fmt.Errorf("the git repository %s: git cat-file: %w", r.Address(), err)
}

// answer reads an answer: of an object's contents with its data.
func (p *reader) answer(what, name string) (Hash, object, error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", object{}, err
	}
	fields := strings.Fields(line)
	if len(fields) != 3 || kinds[fields[1]] == 0 {
		return "", object{}, fmt.Errorf("%s: %w", name, ErrMissing)
	}
	o := object{kind: fields[1]}
	if o.size, err = strconv.ParseInt(fields[2], 10, 64); err != nil {
		return "", object{}, err
	}
	if what == "contents" {
		o.data = make([]byte, o.size+1)
		if _, err := io.ReadFull(p.out, o.data); err != nil {
			return "", object{}, err
		}
		o.data = o.data[:o.size]
	}
	return Hash(fields[0]), o, nil
}

// read returns the data of an object of a kind.
func (r *Repository) read(h Hash, kind string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, found := r.pending[h]
	if !found {
		var err error
		if _, o, err = r.ask("contents", string(h)); err != nil {
			return nil, r.damaged(err)
		}
	}
	if o.kind != kind {
		return nil, fmt.Errorf("%s is a %s, not a %s", h, o.kind, kind)
	}
	return o.data, nil
}

// askedAtOnce is how many objects are asked for before the answers are read. As many requests fit into a pipe.
const askedAtOnce = 64

// Blobs returns the contents of files.
func (r *Repository) Blobs(hashes []Hash) (map[Hash]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[Hash]string{}
	var asked []Hash
	for _, h := range hashes {
		if o, pending := r.pending[h]; pending {
			all[h] = string(o.data)
		} else {
			asked = append(asked, h)
		}
	}
	if err := r.start(); err != nil {
		return nil, err
	}
	for some := range slices.Chunk(asked, askedAtOnce) {
		var requests strings.Builder
		for _, h := range some {
			requests.WriteString("contents " + string(h) + "\n")
		}
		_, err := io.WriteString(r.reader.in, requests.String())
		for i := 0; i < len(some) && err == nil; i++ {
			var o object
			_, o, err = r.reader.answer("contents", string(some[i]))
			all[some[i]] = string(o.data)
		}
		if err != nil {
			_ = r.closeReader() // the other answers are not read
			return nil, r.damaged(r.failed(err))
		}
	}
	return all, nil
}

// Size returns how many bytes an object has.
func (r *Repository) Size(h Hash) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o, pending := r.pending[h]; pending {
		return int64(len(o.data)), nil
	}
	_, o, err := r.ask("info", string(h))
	if err != nil {
		return 0, r.damaged(err)
	}
	return o.size, nil
}

// Blob returns the content of a file.
func (r *Repository) Blob(h Hash) (string, error) {
	data, err := r.read(h, "blob")
	return string(data), err
}

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
	entries, err := decodeTree(data, r.newHash().Size())
	if err == nil {
		r.trees.Add(h, entries)
	}
	return entries, err
}

// Commit returns a commit.
func (r *Repository) Commit(h Hash) (*Commit, error) {
	data, err := r.read(h, "commit")
	if err != nil {
		return nil, err
	}
	return decodeCommit(data), nil
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

// At returns what a commit has at a path; "" if that is nothing.
func (r *Repository) At(commit Hash, path string) (Hash, error) {
	r.mu.Lock()
	o, pending := r.pending[commit]
	if !pending {
		h, _, err := r.ask("info", string(commit)+":"+path)
		r.mu.Unlock()
		if !errors.Is(err, ErrMissing) {
			return h, err
		} // it is not there, or the clone lacks it
		read, err := r.Commit(commit)
		if err != nil {
			return "", err
		}
		return r.TreeAt(read.Tree, path)
	}
	r.mu.Unlock()
	return r.TreeAt(decodeCommit(o.data).Tree, path)
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

// Files returns the files of a commit below a directory, or below its root for "".
func (r *Repository) Files(ctx context.Context, commit Hash, dir string) ([]string, error) {
	if err := r.Write(ctx); err != nil {
		return nil, err
	}
	args := []string{"ls-tree", "-r", "-z", "--name-only", string(commit)}
	if dir != "" {
		args = append(args, "--", dir+"/")
	}
	out, err := r.run(ctx, nil, args...)
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), err
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
		r.known[name], r.pending[name] = true, object{kind: kind, data: data}
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
	out, err := r.with(root, path, tree)
	if err != nil || out != "" {
		return out, err
	}
	return r.PutTree(nil)
}

// with returns a directory with something else at a path; "" if it is empty then: git has no such directories.
func (r *Repository) with(root Hash, path string, tree Hash) (Hash, error) {
	var entries []Entry
	if root != "" {
		var err error
		if entries, err = r.Tree(root); err != nil {
			return "", err
		}
	}
	name, rest, deeper := strings.Cut(path, "/")
	if deeper {
		below := Hash("")
		for _, e := range entries {
			if e.Name == name && e.Mode == Directory {
				below = e.Hash
			}
		}
		var err error
		if tree, err = r.with(below, rest, tree); err != nil {
			return "", err
		}
	}
	out := make([]Entry, 0, len(entries)+1)
	for _, e := range entries {
		if e.Name != name {
			out = append(out, e)
		}
	}
	if tree != "" {
		out = append(out, Entry{Mode: Directory, Name: name, Hash: tree})
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
