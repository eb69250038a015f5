// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"k8s.io/utils/lru"
)

// maxKept is how many results a Memo keeps: enough for a package of some hundred files, and for what differs between
// packages.
const maxKept = 2048

// Memo does as the functions of this package do, and keeps the results for files, because most files of packages
// from one upstream are the same. What it returns does not depend on what it has kept. A nil Memo keeps nothing.
type Memo struct{ kept *lru.Cache }

// NewMemo returns a Memo that has kept nothing yet.
func NewMemo() *Memo { return &Memo{kept: lru.New(maxKept)} }

// fileKey identifies a result by the file and the operation. Other is the name and the text of another file on which
// the result depends.
type fileKey struct {
	done       string
	name, text string
	other      [2]string
}

// remember returns the kept result for a file. Otherwise it calls found, and keeps its result unless it is an error.
func remember[T any](m *Memo, key fileKey, find func() (T, error)) (T, error) {
	if m == nil {
		return find()
	}
	if kept, there := m.kept.Get(key); there {
		if found, ok := kept.(T); ok {
			return found, nil
		}
	}
	found, err := find()
	if err == nil {
		m.kept.Add(key, found)
	}
	return found, err
}
