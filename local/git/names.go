// SPDX-License-Identifier: Apache-2.0

package git

import (
	"regexp"
	"slices"
	"strings"
)

// device is what Windows takes for a device: git does not check such a file out there (is_valid_win32_path of git's
// compat/mingw.c).
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³]|conin\$|conout\$) *([.:].*)?$`)

// CheckName says why git takes an entry of such a name into no index, on any system, and what to do; "" if it does.
// A tree that was not made by git may have it all the same. The answer follows the path of the entry.
func CheckName(name string) string {
	switch {
	case name == "":
		return "has no name: give it one, or take it out of the package"
	case name == "." || name == "..":
		return "has the name of a directory above it: rename it, or take it out of the package"
	case strings.ContainsAny(name, "/\\\x00"):
		return "has a slash, a backslash or a NUL in its name: rename it, or take it out of the package"
	case device.MatchString(name):
		return "has the name of a device of Windows, which no file can have there: rename it, or take it out of the package"
	case OfGit(name):
		return "has a name that git keeps for itself: rename it, or take it out of the package"
	}
	return ""
}

// OfGit reports whether a file is in a git directory, or replaces one: git would run commands that it names. File
// systems may treat names as equal that differ in case, in trailing dots and blanks, in characters that have no width,
// or by Windows' short name (git has the same rules in is_ntfs_dotgit and is_hfs_dotgit).
func OfGit(file string) bool {
	return slices.ContainsFunc(strings.Split(strings.ReplaceAll(file, `\`, "/"), "/"), func(part string) bool {
		part, _, _ = strings.Cut(strings.Map(notIgnored, part), ":") // a stream of a file, on Windows
		part = strings.ToLower(strings.TrimRight(part, ". "))
		return part == ".git" || part == "git~1"
	})
}

// notIgnored is a mapping that drops the characters which HFS+ ignores in names.
func notIgnored(r rune) rune {
	switch {
	case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
		return -1
	}
	return r
}
