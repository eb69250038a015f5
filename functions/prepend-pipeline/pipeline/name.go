// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"strconv"
	"strings"
)

// namePrefix begins the names of all functions that a PackageVariant puts into a pipeline (a Porch convention).
const namePrefix = "PackageVariant."

// Name is what the name of a prepended function says: PackageVariant.<variant>.<function>.<position>.
type Name struct {
	// Variant is the name of the PackageVariant. It may contain dots.
	Variant string
	// Function is the function's name in the PackageVariant. It contains no dot, and may be empty.
	Function string
	// Position is the function's position in its list, from 0.
	Position int
}

// String returns the name as it is written in the Kptfile.
func (n Name) String() string {
	return namePrefix + n.Variant + "." + n.Function + "." + strconv.Itoa(n.Position)
}

// ParseName reads the name of a function in a Kptfile. As names of variants may contain dots and names of functions
// may not, it reads from the right. It reports false for a name that no PackageVariant gave.
func ParseName(s string) (Name, bool) {
	rest, found := strings.CutPrefix(s, namePrefix)
	if !found {
		return Name{}, false
	}
	rest, position, found := cutLast(rest)
	if !found {
		return Name{}, false
	}
	variant, function, found := cutLast(rest)
	if !found || variant == "" {
		return Name{}, false
	}
	i, err := strconv.Atoi(position)
	if err != nil || i < 0 || strconv.Itoa(i) != position {
		return Name{}, false
	}
	return Name{Variant: variant, Function: function, Position: i}, true
}

func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}
