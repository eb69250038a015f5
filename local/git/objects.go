// SPDX-License-Identifier: Apache-2.0

package git

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The modes of entries of trees.
const (
	File      = "100644"
	Program   = "100755"
	Link      = "120000"
	Module    = "160000"
	Directory = "40000"
)

// Entry is one of a tree.
type Entry struct {
	Mode, Name string
	Hash       Hash
}

// compareEntries compares the entries of a tree as git sorts them: a directory is as if its name ended with a slash.
func compareEntries(a, b Entry) int {
	n := min(len(a.Name), len(b.Name))
	return cmp.Or(strings.Compare(a.Name[:n], b.Name[:n]), cmp.Compare(a.after(n), b.after(n)))
}

// after returns the n-th character of what an entry is sorted by; 0 after its end.
func (e *Entry) after(n int) byte {
	switch {
	case n < len(e.Name):
		return e.Name[n]
	case e.Mode == Directory:
		return '/'
	}
	return 0
}

// Commit is a commit.
type Commit struct {
	Tree    Hash
	Parents []Hash
	// At is when it was made.
	At      time.Time
	Message string
}

// kinds of objects, with the numbers that packs have for them.
var kinds = map[string]byte{"commit": 1, "tree": 2, "blob": 3, "tag": 4}

// object is an object of a repository.
type object struct {
	kind string
	data []byte
}

// encodeTree returns a tree as git stores it.
func encodeTree(entries []Entry) ([]byte, error) {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, compareEntries)
	size := 0
	for _, e := range entries {
		size += len(e.Mode) + len(e.Name) + 2 + len(e.Hash)/2
	}
	var b bytes.Buffer
	b.Grow(size) // trees are kept until they are written
	for _, e := range entries {
		b.WriteString(e.Mode + " " + e.Name + "\x00")
		raw, err := hex.DecodeString(string(e.Hash))
		if err != nil {
			return nil, fmt.Errorf("the entry %s of a tree: %w", e.Name, err)
		}
		b.Write(raw)
	}
	return b.Bytes(), nil
}

// decodeTree reads a tree as git stores it, with hashes of some bytes, and says what is wrong with it; "" if nothing.
func decodeTree(data []byte, size int) (entries []Entry, problem string) {
	for len(data) > 0 {
		end := bytes.IndexByte(data, 0)
		if end < 0 || len(data) < end+1+size {
			return nil, "that ends in the middle of an entry: write the directory again"
		}
		mode, name, _ := strings.Cut(string(data[:end]), " ")
		entries = append(entries, Entry{Mode: mode, Name: name, Hash: Hash(hex.EncodeToString(data[end+1 : end+1+size]))})
		data = data[end+1+size:]
	}
	return entries, ""
}

// encode returns a commit as git stores it.
func (c *Commit) encode(author, committer string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, parent := range c.Parents {
		fmt.Fprintf(&b, "parent %s\n", parent)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", author, committer, c.Message)
	return b.Bytes()
}

// decodeCommit reads a commit as git stores it.
func decodeCommit(data []byte) *Commit {
	headers, message, _ := strings.Cut(string(data), "\n\n")
	c := &Commit{Message: message}
	for line := range strings.Lines(headers) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "tree":
			c.Tree = Hash(value)
		case "parent":
			c.Parents = append(c.Parents, Hash(value))
		case "committer":
			fields := strings.Fields(value[strings.LastIndex(value, ">")+1:])
			if len(fields) > 0 {
				seconds, _ := strconv.ParseInt(fields[0], 10, 64) // one that is none is the beginning of time
				c.At = time.Unix(seconds, 0).UTC()
			}
		}
	}
	return c
}
