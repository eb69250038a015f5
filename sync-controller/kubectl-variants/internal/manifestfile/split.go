// SPDX-License-Identifier: Apache-2.0

package manifestfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/package-variants/package-variants/functions/bounds"
)

// place is where an object is in a file.
type place struct {
	path string
	// indent is the indentation of each line, for a list item.
	indent int
	// line is the number of the first line, from 1.
	line int
	// item reports whether the object is a list item.
	item bool
}

// dedent removes the indentation and the dash of a list item from its lines.
func dedent(raw []byte, indent int) []byte {
	if indent == 0 {
		return raw
	}
	var out bytes.Buffer
	for line := range bytes.Lines(raw) {
		cut := min(indent, len(bytes.TrimRight(line, "\r\n")))
		if comment := bytes.IndexByte(line[:cut], '#'); comment >= 0 { // a comment may be indented less
			cut = comment
		}
		out.Write(line[cut:])
	}
	return out.Bytes()
}

// split finds the objects in a YAML file: its documents, and the items of a document that is a list as kubectl writes
// it. It keeps at most one object in memory.
func split(path string, each func(place, []byte) error) error {
	f, err := os.Open(path) //nolint:gosec // the user names it
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return splitStream(f, path, each)
}

// splitStream is split for a reader.
func splitStream(from io.Reader, path string, each func(place, []byte) error) error {
	s := &splitter{path: path, each: each}
	reader := bufio.NewReaderSize(from, 1<<16)
	for {
		line, err := readLine(reader)
		if len(line) > 0 {
			if err := s.add(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return s.end()
		}
		if err != nil {
			return fmt.Errorf("cannot read %s, line %d: %w", path, s.line+1, err)
		}
	}
}

var errTooLarge = fmt.Errorf("the object is larger than %d MiB: leave it out", bounds.ObjectBytes>>20)

// readLine reads a line with its end. It fails for a line that is longer than any object may be.
func readLine(reader *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > bounds.ObjectBytes {
			return nil, errTooLarge
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// splitter splits a file line by line.
type splitter struct {
	path string
	each func(place, []byte) error
	line int

	text    []byte // of the object that is being read
	at      place
	listing bool   // whether a list is being read
	dash    int    // how far the dashes of its items are indented; -1 before the first
	list    []byte // its own fields before the items
	begins  int    // the line of the items
	tailing bool   // whether the fields after the items are being read
}

func (s *splitter) add(line []byte) error {
	s.line++
	content := strings.TrimRight(string(line), "\r\n")
	switch {
	case content == "---" || strings.HasPrefix(content, "--- ") || content == "...":
		return s.end()
	case s.listing && !s.tailing:
		return s.item(line, content)
	case content == "items:" && !s.listing && s.mayList():
		s.list, s.begins = s.text, s.line
		s.text, s.at = nil, place{}
		s.listing, s.tailing, s.dash = true, false, -1
		return nil
	}
	return s.keep(line)
}

// mayList reports whether the current document may be a list: it has the kind of a list, or no kind yet.
func (s *splitter) mayList() bool {
	h, err := headOf(s.text)
	return err != nil || h.Kind == "" || isList(h.Kind)
}

// item adds a line of a list.
func (s *splitter) item(line []byte, content string) error {
	indent := len(content) - len(strings.TrimLeft(content, " "))
	passive := isBlank(line)
	dashed := strings.HasPrefix(content[indent:], "- ") || content[indent:] == "-"
	if s.dash < 0 && dashed {
		s.dash = indent
	}
	switch {
	case passive && len(s.text) == 0:
		return nil
	case dashed && indent == s.dash:
		if err := s.flush(); err != nil {
			return err
		}
		s.at.indent, s.at.item = s.dash+len("- "), true
		return s.keep(line)
	case passive || s.dash >= 0 && indent > s.dash:
		return s.keep(line)
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.tailing = true // the list's own again, as its kind
	return s.keep(line)
}

// keep adds a line to the current object.
func (s *splitter) keep(line []byte) error {
	if len(s.text) == 0 {
		s.at.path, s.at.line = s.path, s.line
	}
	if len(s.text)+len(line) > bounds.ObjectBytes {
		return fmt.Errorf("cannot read %s, line %d: %w", s.path, s.at.line, errTooLarge)
	}
	s.text = append(s.text, line...)
	return nil
}

// flush passes on the current object.
func (s *splitter) flush() error {
	text, at := s.text, s.at
	s.text, s.at = nil, place{}
	if isBlank(text) {
		return nil
	}
	return s.each(at, dedent(text, at.indent))
}

// end ends a document.
func (s *splitter) end() error {
	if !s.listing {
		return s.flush()
	}
	if s.tailing {
		s.list = append(s.list, s.text...)
		s.text, s.at = nil, place{}
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.listing, s.tailing = false, false
	if h, err := headOf(s.list); err != nil || !isList(h.Kind) { // kubectl writes the kind at the end
		return unreadable(s.path, s.begins, "the list that begins here is damaged, or has no kind: List at its end: write "+
			"the file again")
	}
	return nil
}

// isBlank reports whether a document has nothing but comments.
func isBlank(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}
