// SPDX-License-Identifier: Apache-2.0

package variant

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// RevisionMain is the string for the main branch of a Repository, whatever that branch is called there. It is what
// older manuals of Porch write, and no floating tag.
const RevisionMain = "main"

// BranchNumber is the revision that Porch gives what is on the main branch.
const BranchNumber = -1

// Revision is the revision of an upstream package: a number, or a string that is a number (3 or v3), main, or a
// floating tag. -1 and main are the main branch of the Repository. It remembers which of the two it was written as, so
// that it encodes to what it was decoded from. At most one of the fields is set; in a Revision with neither, the zero
// value, no revision is asked for. Values can be compared by ==.
//
// +kubebuilder:validation:Type=""
// +kubebuilder:validation:XIntOrString
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="type(self) == int || self.matches('^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$')",message="must be a number, v and a number, main, or a tag of letters, digits, '-', '_' and '.' that begins and ends with a letter or digit"
// +kubebuilder:validation:XValidation:rule="type(self) == int || !self.matches('^v?0+$')",message="must not be 0: revisions are numbered from 1"
// +kubebuilder:validation:XValidation:rule="type(self) == int || !self.matches('^v?0*[1-9][0-9]{18,}$')",message="is out of range"
type Revision struct {
	// Int is the revision where it was written as a number. Porch numbers published revisions from 1 and gives the
	// main branch -1.
	Int int `json:"-"`

	// Str is the revision where it was written as a string.
	Str string `json:"-"`
}

// RevisionNumber returns the Revision that is written as the number n. 0 gives the zero Revision.
func RevisionNumber(n int) Revision {
	return Revision{Int: n}
}

// ParseRevision returns the Revision that is written as the string s. It returns an error for a string that is neither
// a number from 1, with or without a leading v, nor main, nor a floating tag, which is valid if it can be the name part
// of a label key. An empty string is an error too.
func ParseRevision(s string) (Revision, error) {
	if !isTag(s) {
		return Revision{}, fmt.Errorf("revision %q is not a number, v and a number, main, or a tag of at most 63 letters, "+
			"digits, '-', '_' and '.' that begins and ends with a letter or digit", s)
	}
	if digits, ok := number(s); ok {
		n, err := strconv.Atoi(digits)
		if err != nil {
			return Revision{}, fmt.Errorf("revision %q is out of range", s)
		}
		if n == 0 {
			return Revision{}, fmt.Errorf("revision %q does not exist: revisions are numbered from 1", s)
		}
	}
	return Revision{Str: s}, nil
}

// Number returns the revision's number, and whether it has one: 3 for 3, "3" and "v3", and -1, which is what Porch
// gives the main branch, for main. The zero Revision, floating tags, and strings that ParseRevision refuses have none.
func (r Revision) Number() (int, bool) {
	switch r.Str {
	case "":
		return r.Int, r.Int != 0
	case RevisionMain:
		return BranchNumber, true
	}
	digits, ok := number(r.Str)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n != 0
}

// Tag returns the revision's floating tag, and whether it is one: latest, or a tag that TagLabelPrefix turns into a
// label. The zero Revision, numbers and main are none.
func (r Revision) Tag() (string, bool) {
	if _, isNumber := number(r.Str); isNumber || r.Str == "" || r.Str == RevisionMain {
		return "", false
	}
	return r.Str, true
}

// Branch tells whether the revision is the main branch: -1, or main. Porch has no other negative revisions; all of them
// mean the branch.
func (r Revision) Branch() bool {
	n, _ := r.Number()
	return n < 0
}

// number returns the digits of a string that is a number, with or without a v. Signs are no part of it: the main
// branch's -1 is written plain.
func number(s string) (digits string, ok bool) {
	digits = strings.TrimPrefix(s, "v")
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	return digits, digits != "" && strings.TrimFunc(digits, isDigit) == ""
}

// isTag tells whether a string can be the name part of a label key.
func isTag(s string) bool {
	const maxLength = 63
	inner := func(c byte) bool { return c == '-' || c == '_' || c == '.' }
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && (!inner(c) || i == 0 || i == len(s)-1) {
			return false
		}
	}
	return s != "" && len(s) <= maxLength
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// IsZero tells whether no revision is asked for. It makes the omitzero option of encoding/json leave the field out.
func (r Revision) IsZero() bool {
	return r == Revision{}
}

// String returns the revision as it was written, without quotes, and an empty string for the zero Revision.
func (r Revision) String() string {
	switch {
	case r.Str != "":
		return r.Str
	case r.Int != 0:
		return strconv.Itoa(r.Int)
	default:
		return ""
	}
}

// MarshalJSON writes the revision in the form in which it was read, and the zero Revision as 0, which is what Porch
// takes an absent revision for.
func (r Revision) MarshalJSON() ([]byte, error) {
	if r.Str != "" {
		return json.Marshal(r.Str)
	}
	return json.Marshal(r.Int)
}

// UnmarshalJSON reads an integer, a string that is not empty, or null, which like 0 gives the zero Revision. It returns
// an error for anything else. A number that is out of range, and a string that ParseRevision refuses, is kept as a
// string, of which Upstream.Validate tells: an object that cannot be decoded keeps clients from all others in its list.
func (r *Revision) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		if s == "" {
			_, err := ParseRevision(s)
			return err
		}
		*r = Revision{Str: s}
		return nil
	}
	var n int
	if err := json.Unmarshal(data, &n); err != nil {
		if _, isNumber := number(string(data)); isNumber {
			*r = Revision{Str: string(data)}
			return nil
		}
		return fmt.Errorf("revision %s is neither an integer nor a string: a tag that looks like a number needs quotes", data)
	}
	*r = Revision{Int: n}
	return nil
}
