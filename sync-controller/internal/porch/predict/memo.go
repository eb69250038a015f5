// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"k8s.io/utils/lru"
)

// maxKept is how many results a Memo keeps: those of a package of some hundred files, and some for what differs from
// one package to the next.
const maxKept = 2048

// Memo predicts as the functions of this package do, and keeps what becomes of a file: of packages made from one
// upstream most files are the same. What it predicts does not depend on what it keeps. A nil Memo keeps nothing.
type Memo struct{ kept *lru.Cache }

// NewMemo returns a Memo that has kept nothing yet.
func NewMemo() *Memo { return &Memo{kept: lru.New(maxKept)} }

// fileKey says of which file, and of what done to it, a result is. Other is the name and the text of another file on
// which the result depends.
type fileKey struct {
	done       string
	name, text string
	other      [2]string
}

// remember returns what is kept for a file, or else what found returns, which is kept unless it is an error.
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
