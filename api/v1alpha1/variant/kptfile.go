// SPDX-License-Identifier: Apache-2.0

package variant

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// imagePattern is what at least one version of kpt takes for an image: a name, and a tag, a digest or both. Which tags
// and digests are valid differs between versions.
var imagePattern = sync.OnceValue(func() *regexp.Regexp {
	const (
		label     = `[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?`
		host      = `(?:` + label + `(?:\.` + label + `)*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?`
		component = `[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*`
	)
	return regexp.MustCompile(`^(?:` + host + `/)?` + component + `(?:/` + component + `)*` +
		`(?::\w[\w.-]{0,127})?(?:[:@]\w[\w.+:-]*)?$`)
})

// isImage reports whether kpt may take s for an image. What it does not take, no version of kpt does.
func isImage(s string) bool { return imagePattern().MatchString(s) }

// configPathProblem is RepositoryProblem for the path of a function's config, which may be empty. The rules are
// those of kpt.
func configPathProblem(name string) string {
	clean := path.Clean(name)
	switch {
	case name == "":
		return ""
	case strings.TrimSpace(name) == "":
		return quote(name) + ", which names no file: name one, or leave configPath out"
	case path.IsAbs(clean) || strings.Contains(clean, ".."):
		return quote(name) + ", which kpt takes for a path out of the package: name a file of the package, without \"..\""
	default:
		return ""
	}
}
