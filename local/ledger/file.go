// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	strict "sigs.k8s.io/json"
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

// Encode returns the file of a ledger, a line of JSON for each entry, sorted by key, and its digest.
func (l Ledger) Encode() (string, Digest, error) {
	keys := slices.SortedFunc(maps.Keys(l), Key.Compare)
	var text bytes.Buffer
	rows := json.NewEncoder(&text)
	for _, key := range keys {
		if err := rows.Encode(row{key, l[key]}); err != nil {
			return "", Digest{}, err
		}
	}
	return text.String(), digestOf(text.Bytes(), len(keys)), nil
}

// Unmarshal reads JSON that was written here: with fields that nothing knows, it was not.
func Unmarshal(text string, to any) error {
	unknown, err := strict.UnmarshalStrict([]byte(text), to)
	return errors.Join(append(unknown, err)...)
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
	for line := range strings.Lines(text) {
		var r row
		if err := Unmarshal(line, &r); err != nil {
			return nil, err
		}
		l[r.Key] = r.Entry
	}
	if len(l) != d.Entries {
		return nil, fmt.Errorf("it has %d packages, and %d were written", len(l), d.Entries)
	}
	return l, nil
}
