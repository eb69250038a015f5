// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// place is where an object stands in a file, so that it can be read again.
type place struct {
	path           string
	offset, length int64
	// indent is by how much each line is indented: of an item of a list.
	indent int
	// line is the number of the first line, from 1.
	line int
}

// text reads the object again.
func (p place) text() ([]byte, error) {
	f, err := os.Open(p.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	raw := make([]byte, p.length)
	if _, err := f.ReadAt(raw, p.offset); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", p.path, err)
	}
	return dedent(raw, p.indent), nil
}

// dedent takes the indentation of an item of a list, and its dash, from the lines.
func dedent(raw []byte, indent int) []byte {
	if indent == 0 {
		return raw
	}
	var out bytes.Buffer
	for line := range bytes.Lines(raw) {
		out.Write(line[min(indent, len(bytes.TrimRight(line, "\r\n"))):])
	}
	return out.Bytes()
}

// split finds the objects in a YAML file: the documents, and the items of a document that is a list as kubectl writes
// it. It keeps no more of the file in memory than one object.
func split(path string, each func(place, []byte) error) error {
	f, err := os.Open(path) //nolint:gosec // the user names it
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	s := &splitter{path: path, each: each}
	reader := bufio.NewReaderSize(f, 1<<16)
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

// maxObject bounds the text of an object in bytes: no Kubernetes API and no Porch takes one as large.
const maxObject = 64 << 20

var errTooLarge = fmt.Errorf("the object is larger than %d MiB: leave it out", maxObject>>20)

// readLine reads a line, with its end. A line as large as no object is is an error.
func readLine(reader *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxObject {
			return nil, errTooLarge
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// splitter splits a file line by line.
type splitter struct {
	path   string
	each   func(place, []byte) error
	offset int64
	line   int

	text    []byte // of the object that is being read
	at      place
	listing bool // whether the items of a list are being read
	dash    int  // how far their dashes are indented; -1 before the first
}

func (s *splitter) add(line []byte) error {
	s.line++
	begin := s.offset
	s.offset += int64(len(line))
	content := strings.TrimRight(string(line), "\r\n")
	switch {
	case content == "---" || strings.HasPrefix(content, "--- ") || content == "...":
		return s.end()
	case s.listing:
		return s.item(line, content, begin)
	case content == "items:":
		s.text, s.listing, s.dash = nil, true, -1 // what stands before is the list's own
		return nil
	}
	return s.keep(line, begin)
}

// item adds a line of a list.
func (s *splitter) item(line []byte, content string, begin int64) error {
	indent := len(content) - len(strings.TrimLeft(content, " "))
	blank := strings.TrimSpace(content) == ""
	dashed := strings.HasPrefix(content[indent:], "- ")
	if s.dash < 0 && dashed {
		s.dash = indent
	}
	switch {
	case blank && len(s.text) == 0:
		return nil
	case dashed && indent == s.dash:
		if err := s.flush(); err != nil {
			return err
		}
		s.at.indent = s.dash + len("- ")
		return s.keep(line, begin)
	case blank || s.dash >= 0 && indent > s.dash:
		return s.keep(line, begin)
	default: // the list's own again, as its kind
		return s.flush()
	}
}

// keep adds a line to the object that is being read.
func (s *splitter) keep(line []byte, begin int64) error {
	if len(s.text) == 0 {
		s.at.path, s.at.offset, s.at.line = s.path, begin, s.line
	}
	if len(s.text)+len(line) > maxObject {
		return fmt.Errorf("cannot read %s, line %d: %w", s.path, s.at.line, errTooLarge)
	}
	s.text = append(s.text, line...)
	return nil
}

// flush hands on the object that was read.
func (s *splitter) flush() error {
	text, at := s.text, s.at
	s.text, s.at = nil, place{}
	if isBlank(text) {
		return nil
	}
	at.length = int64(len(text))
	return s.each(at, dedent(text, at.indent))
}

// end ends a document.
func (s *splitter) end() error {
	err := s.flush()
	s.listing = false
	return err
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
