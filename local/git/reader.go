// SPDX-License-Identifier: Apache-2.0

package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/functions/bounds"
)

// ErrMissing says that there is no such object.
var ErrMissing = errors.New("missing")

// ObjectError is the error of an object that is there and is not read: it is too large, not of the kind that is asked
// for, or malformed.
type ObjectError struct {
	Hash Hash
	// Problem says what is wrong with it, and what to do. It follows the object's name.
	Problem string
	// TooLarge reports whether it is beyond a bound.
	TooLarge bool
}

// Error implements error.
func (e *ObjectError) Error() string { return fmt.Sprintf("the object %s %s", e.Hash, e.Problem) }

// reader is a git process that reads objects.
type reader struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	// headers are those of objects that were answered of late.
	headers map[Hash]header
}

// maxHeaders is how many headers of objects stay in memory.
const maxHeaders = 10_000

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
		r.reader = &reader{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10), headers: map[Hash]header{}}
	}
	return nil
}

// The commands of the process that reads: the first answers with the header of an object, the second with its data,
// too, which git and we then have in memory. So the second is for objects whose size is known.
const (
	askInfo     = "info"
	askContents = "contents"
)

// header is what git says of an object before its data.
type header struct {
	hash Hash
	kind string
	size int64
}

// askedAtOnce is how many objects are asked for before the answers are read. As many requests fit into a pipe.
const askedAtOnce = 64

// ask sends a command for each of some objects, which are given by names that git takes, and passes on what is
// answered, in their order. One that is missing is an error after the others were passed on. The lock must be held.
func (r *Repository) ask(what string, names []string, take func(h header, data []byte) error) (missing error) {
	if err := r.start(); err != nil {
		return err
	}
	for ; len(names) > 0; names = names[min(askedAtOnce, len(names)):] {
		some := names[:min(askedAtOnce, len(names))]
		var requests strings.Builder
		for _, name := range some {
			requests.WriteString(what + " " + name + "\n")
		}
		_, err := io.WriteString(r.reader.in, requests.String())
		for i := 0; i < len(some) && err == nil; i++ {
			var h header
			var data []byte
			if h, data, err = r.reader.answer(what, some[i]); errors.Is(err, ErrMissing) {
				missing, err = r.failed(err), nil
			} else if err == nil {
				err = take(h, data)
			}
		}
		if err != nil {
			_ = r.closeReader() // the other answers are not read
			return r.failed(err)
		}
	}
	return missing
}

// failed returns an error of the process that reads.
func (r *Repository) failed(err error) error {
	return fmt.Errorf("the git repository %s: git cat-file: %w", r.Address(), err)
}

// answer reads an answer.
func (p *reader) answer(what, name string) (h header, data []byte, err error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return header{}, nil, err
	}
	fields := strings.Fields(line)
	if len(fields) != 3 || kinds[fields[1]] == 0 {
		return header{}, nil, fmt.Errorf("%s: %w", name, ErrMissing)
	}
	h = header{hash: Hash(fields[0]), kind: fields[1]}
	if h.size, err = strconv.ParseInt(fields[2], 10, 64); err != nil {
		return header{}, nil, err
	}
	if what != askContents {
		if len(p.headers) >= maxHeaders {
			clear(p.headers)
		}
		p.headers[h.hash] = h
		return h, nil, nil
	}
	data = make([]byte, h.size+1)
	if _, err := io.ReadFull(p.out, data); err != nil {
		return header{}, nil, err
	}
	return h, data[:h.size], nil
}

// info returns the header of an object, which is given by a name that git takes. The lock must be held.
func (r *Repository) info(name string) (h header, err error) {
	if r.reader != nil {
		if h, known := r.reader.headers[Hash(name)]; known {
			return h, nil
		}
	}
	if strings.Contains(name, "\n") {
		return header{}, fmt.Errorf("%q: %w", name, ErrMissing)
	}
	err = r.ask(askInfo, []string{name}, func(it header, _ []byte) error {
		h = it
		return nil
	})
	return h, err
}

// remedies say what to do about an object that is too large, by its kind.
var remedies = map[string]string{
	"commit": "shorten its message",
	"tag":    "shorten its message",
	"tree":   "spread the entries of the directory over several",
	"blob":   "make the file smaller",
}

// check returns why an object is not read.
func (h *header) check(kind string, most int64) error {
	switch {
	case h.kind != kind:
		return &ObjectError{Hash: h.hash, Problem: fmt.Sprintf("is a %s, not a %s: correct what refers to it", h.kind, kind)}
	case h.size > most:
		return &ObjectError{Hash: h.hash, TooLarge: true, Problem: fmt.Sprintf("is a %s of %d bytes, and may have %d: %s",
			kind, h.size, most, remedies[kind])}
	}
	return nil
}

// Size returns how many bytes an object has.
func (r *Repository) Size(h Hash) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o, pending := r.pending[h]; pending {
		return int64(len(o.data)), nil
	}
	known, err := r.info(string(h))
	if err != nil {
		return 0, r.damaged(err)
	}
	return known.size, nil
}

// read returns the data of an object of a kind, which is a commit, a tag or a tree.
func (r *Repository) read(h Hash, kind string) (data []byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o, pending := r.pending[h]; pending {
		known := header{h, o.kind, 0} // what was put here may have any size
		return o.data, known.check(kind, 0)
	}
	known, err := r.info(string(h))
	if err != nil {
		return nil, r.damaged(err)
	}
	if err := known.check(kind, bounds.GitBytes); err != nil {
		return nil, err
	}
	err = r.ask(askContents, []string{string(h)}, func(_ header, read []byte) error {
		data = read
		return nil
	})
	if err != nil {
		return nil, r.damaged(err)
	}
	return data, nil
}

// Blobs returns the contents of files, each of which has at most as many bytes as a file of a state.
func (r *Repository) Blobs(hashes []Hash) (map[Hash]string, error) {
	return r.BlobsWithin(hashes, func(sizes map[Hash]int64) error {
		for h, size := range sizes {
			if err := (&header{h, "blob", size}).check("blob", bounds.StateBytes); err != nil {
				return err
			}
		}
		return nil
	})
}

// BlobsWithin returns the contents of files if what within says of their sizes, in bytes, is nil. Without that, no
// content is asked for.
func (r *Repository) BlobsWithin(hashes []Hash, within func(sizes map[Hash]int64) error) (map[Hash]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all, sizes := make(map[Hash]string, len(hashes)), make(map[Hash]int64, len(hashes))
	var asked []string
	for _, h := range hashes {
		o, pending := r.pending[h]
		if _, twice := sizes[h]; !twice && !pending {
			asked = append(asked, string(h))
		}
		if sizes[h] = int64(len(o.data)); pending {
			all[h] = string(o.data)
		}
	}
	err := r.sizes(asked, sizes)
	if err == nil {
		err = within(sizes)
	}
	if err != nil {
		return nil, err
	}
	err = r.ask(askContents, asked, func(h header, data []byte) error {
		all[h.hash] = string(data)
		return nil
	})
	if err != nil {
		return nil, r.damaged(err)
	}
	return all, nil
}

// sizes adds the sizes of files. The lock must be held.
func (r *Repository) sizes(asked []string, to map[Hash]int64) error {
	if err := r.start(); err != nil {
		return err
	}
	var other error // the first one that is no blob
	learn := func(h header, _ []byte) error {
		if other == nil {
			other = h.check("blob", h.size)
		}
		to[h.hash] = h.size
		return nil
	}
	var unknown []string
	for _, h := range asked {
		if known, ok := r.reader.headers[Hash(h)]; ok {
			_ = learn(known, nil)
		} else {
			unknown = append(unknown, h)
		}
	}
	if err := r.ask(askInfo, unknown, learn); err != nil {
		return r.damaged(err)
	}
	return other
}
