// SPDX-License-Identifier: Apache-2.0

package gittest

import (
	"encoding/hex"
	"strings"
)

// Entry is one of a tree: the mode, the name and the hash may be any.
type Entry struct{ Mode, Name, Hash string }

// Object writes an object as it is, also one that git itself would not make, and returns its hash.
func (r *Remote) Object(kind, data string) string {
	r.Helper()
	return strings.TrimSpace(r.GitWith(data, "hash-object", "-t", kind, "-w", "--stdin", "--literally"))
}

// Tree writes a tree with entries in the order in which they are given, and returns its hash.
func (r *Remote) Tree(entries ...Entry) string {
	r.Helper()
	var data strings.Builder
	for _, e := range entries {
		raw, err := hex.DecodeString(e.Hash)
		if err != nil {
			r.Fatal(err)
		}
		data.WriteString(e.Mode + " " + e.Name + "\x00" + string(raw))
	}
	return r.Object("tree", data.String())
}

// CommitTree writes a commit with a tree and without parents, and returns its hash.
func (r *Remote) CommitTree(tree string) string {
	r.Helper()
	return strings.TrimSpace(r.Git("commit-tree", "-m", "Commit", tree))
}
