// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Format is the format of the file. Another one cannot be read.
const Format = 1

// Digest says which file was written: it stands beside the file, so that one which was cut off, or mended by hand, is
// noticed before anything is done.
type Digest struct {
	Format  int    `json:"format"`
	Entries int    `json:"entries"`
	SHA256  string `json:"sha256"`
}

// row is an entry in the file.
type row struct {
	Key   `json:",inline"`
	Entry `json:",inline"`
}

// Encode returns the file of a ledger, in YAML, sorted by key, and its digest.
func (l Ledger) Encode() (string, Digest, error) {
	keys := slices.SortedFunc(maps.Keys(l), Key.Compare)
	var text bytes.Buffer
	for rows := range slices.Chunk(keys, maxRows) {
		some := make([]row, len(rows))
		for i, key := range rows {
			some[i] = row{key, l[key]}
		}
		lines, err := yaml.Marshal(some)
		if err != nil {
			return "", Digest{}, err
		}
		text.Write(lines)
	}
	return text.String(), digestOf(text.Bytes(), len(keys)), nil
}

// maxRows is how many rows are encoded, or decoded, at once: a tree of YAML takes much memory.
const maxRows = 100

// chunks returns the parts of a file, each of which has some rows.
func chunks(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		at, rows := 0, 0
		for i := 0; i < len(text); {
			if text[i] == '-' { // at the beginning of a line
				if rows++; rows > maxRows {
					if !yield(text[at:i]) {
						return
					}
					at, rows = i, 1
				}
			}
			next := strings.IndexByte(text[i:], '\n')
			if next < 0 {
				break
			}
			i += next + 1
		}
		yield(text[at:])
	}
}

// digestOf returns the digest of a file.
func digestOf(text []byte, entries int) Digest {
	sum := sha256.Sum256(text)
	return Digest{Format: Format, Entries: entries, SHA256: hex.EncodeToString(sum[:])}
}

// Decode returns the ledger of a file. The error says in what way it is not the one that was written.
func Decode(text string, d Digest) (Ledger, error) {
	if d.Format != Format {
		return nil, fmt.Errorf("it has the format %d, and only %d can be read", d.Format, Format)
	}
	if digestOf([]byte(text), d.Entries) != d {
		return nil, fmt.Errorf("it is not the file that was written")
	}
	l := Ledger{}
	for part := range chunks(text) {
		var rows []row
		if err := yaml.UnmarshalStrict([]byte(part), &rows); err != nil {
			return nil, err
		}
		for _, r := range rows {
			l[r.Key] = r.Entry
		}
	}
	if len(l) != d.Entries {
		return nil, fmt.Errorf("it has %d packages, and %d were written", len(l), d.Entries)
	}
	return l, nil
}
