// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha2"
)

const (
	// maxNameLength is the length of a DNS label and of a label's value: names of variants fit wherever either is
	// asked for.
	maxNameLength = 63
	hashLength    = 10
)

// hashEncoding writes a hash in letters and digits that are easy to tell apart and allowed in names.
var hashEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// Name returns the name of a set's variant for a downstream package: readable, the same each time, at most 63
// characters. Its hash of all three parts keeps pairs apart that read alike (a-b/c and a/b-c), or that differ only
// where the name is cut.
func Name(set, repo, pkg string) string {
	sum := sha256.Sum256([]byte(set + "\x00" + repo + "\x00" + pkg))
	hash := hashEncoding.EncodeToString(sum[:])[:hashLength]
	readable := dnsLabel(set + "-" + repo + "-" + pkg)
	if room := maxNameLength - hashLength - 1; len(readable) > room {
		readable = strings.TrimRight(readable[:room], "-")
	}
	return readable + "-" + hash
}

// dnsLabel replaces what a DNS label (RFC 1123) cannot hold by "-".
func dnsLabel(s string) string {
	label := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		default:
			return '-'
		}
	}, s)
	label = strings.Trim(label, "-")
	if label == "" {
		return "variant"
	}
	return label
}

// OwnerOf returns the value of the owner label of the set's variants: the set's UID if it has one, else its name.
func OwnerOf(set *v1alpha2.PackageVariantSet) string {
	if set.UID != "" {
		return string(set.UID)
	}
	return set.Name
}
