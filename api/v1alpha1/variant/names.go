// SPDX-License-Identifier: Apache-2.0

package variant

import (
	"fmt"
	"strings"
)

// The names that Porch takes, of what it makes and of what it finds. The rules are those of pkg/util in Porch v1.5; the
// patterns of the CRDs say the same, as far as a pattern can.
const (
	// maxLabel is the length of a DNS label.
	maxLabel = 63
	// maxObjectName is the length of an object's name, and of the prefix of a label's key.
	maxObjectName = 253
)

// RepositoryProblem returns what is wrong with the name of a Repository, as the rest of a sentence that begins with its
// field, and "" if nothing is: Porch takes DNS labels.
func RepositoryProblem(name string) string {
	switch {
	case name == "":
		return missing
	case !isDNSLabel(name):
		return quote(name) + ", which no Repository can have as a name: " +
			"use at most 63 lower-case letters, digits and '-', of which " +
			"the first and the last are no '-'"
	default:
		return ""
	}
}

// PackageProblem is RepositoryProblem for the name of a package that is to be made. It is a path: Porch takes DNS
// labels with single slashes between them, of at most 63 characters beside the slashes.
func PackageProblem(name string) string {
	if problem := packagePathProblem(name); problem != "" {
		return problem
	}
	if n := len(name) - strings.Count(name, "/"); n > maxLabel {
		return quote(name) + ", which is too long for Porch: shorten it to at most 63 characters beside the slashes"
	}
	return ""
}

// Ancestors returns the directories in which a package lies, each as the name of the package that it could be, the
// outermost first: a and a/b for a/b/c.
func Ancestors(name string) []string {
	var all []string
	for i := range name {
		if name[i] == '/' {
			all = append(all, name[:i])
		}
	}
	return all
}

// packagePathProblem is PackageProblem for a package that exists already: git may hold paths that are longer than those
// that Porch makes.
func packagePathProblem(name string) string {
	if name == "" {
		return missing
	}
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > maxLabel {
			return fmt.Sprintf("%s, which is too long for Porch: a part of the path has %d characters, and may have %d: "+
				"shorten it", quote(name), len(part), maxLabel)
		}
		if !isDNSLabel(part) {
			return quote(name) + ", which Porch takes for no package: use lower-case letters, digits and '-', and a " +
				"single '/' between " +
				"the parts of a path; each part begins and ends with a letter or digit"
		}
	}
	if len(name) > maxObjectName {
		return quote(name) + ", which is too long for Porch: a package's name has at most 253 characters"
	}
	return ""
}

// workspaceProblem is RepositoryProblem for the workspace of a package revision that exists: a DNS label, or a version
// as in v1.2.3, which the tags of packages that Porch did not make may have.
func workspaceProblem(name string) string {
	if isDNSLabel(name) || isVersion(name) && len(name) <= maxLabel {
		return ""
	}
	return quote(name) + ", which no package revision can have as its workspace: " +
		"use at most 63 lower-case letters, digits and '-', of " +
		"which the first and the last are no '-', or a version like v1.2.3"
}

// isDNSLabel tells whether s is a DNS label (RFC 1123).
func isDNSLabel(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isLowerAlphanumeric(c) && (c != '-' || i == 0 || i == len(s)-1) {
			return false
		}
	}
	return s != "" && len(s) <= maxLabel
}

// isDNSSubdomain tells whether s is made of DNS labels and dots between them, of any length each.
func isDNSSubdomain(s string) bool {
	for i := range len(s) {
		c := s[i]
		edge := i == 0 || i == len(s)-1 || s[i-1] == '.' || s[i+1] == '.'
		if !isLowerAlphanumeric(c) && (c != '-' && c != '.' || edge) {
			return false
		}
	}
	return s != "" && len(s) <= maxObjectName
}

// isVersion tells whether s is a v, then digits and dots, of which the last is a digit.
func isVersion(s string) bool {
	digits, found := strings.CutPrefix(s, "v")
	return found && digits != "" && strings.Trim(digits, "0123456789.") == "" && !strings.HasSuffix(digits, ".")
}

func isLowerAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
}

// isQualifiedName tells whether s is the key of a label: a name with an optional prefix.
func isQualifiedName(s string) bool {
	prefix, name, found := strings.Cut(s, "/")
	if !found {
		return isTag(s)
	}
	return isDNSSubdomain(prefix) && isTag(name)
}

// isConfigMapKey tells whether s can be a key of a ConfigMap.
func isConfigMapKey(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return s != "" && s != "." && !strings.HasPrefix(s, "..") && len(s) <= maxObjectName
}
