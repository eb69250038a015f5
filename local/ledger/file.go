// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

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
	rows := make([]row, 0, len(l))
	for _, key := range slices.SortedFunc(maps.Keys(l), Key.Compare) {
		rows = append(rows, row{key, l[key]})
	}
	text, err := yaml.Marshal(rows)
	return string(text), digestOf(text, len(rows)), err
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
	var rows []row
	if err := yaml.UnmarshalStrict([]byte(text), &rows); err != nil {
		return nil, err
	}
	l := Ledger{}
	for _, r := range rows {
		l[r.Key] = r.Entry
	}
	if len(l) != d.Entries {
		return nil, fmt.Errorf("it has %d packages, and %d were written", len(l), d.Entries)
	}
	return l, nil
}
