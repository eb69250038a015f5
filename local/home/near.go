// SPDX-License-Identifier: Apache-2.0

package home

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// nearTag is a tag that publishes nothing, and whose name is nearly that of one which would.
type nearTag struct {
	name    string
	numbers []int
}

// number is the one of the revision that the tag seems to be about.
func (t nearTag) number() int { return t.numbers[0] }

// compare orders tags by their versions.
func (t nearTag) compare(other nearTag) int {
	return cmp.Or(slices.Compare(t.numbers, other.numbers), cmp.Compare(t.name, other.name))
}

// nearVersion matches a tag in which each separator is a slash: what it is about, the first number of its version, and
// the others.
var nearVersion = regexp.MustCompile(`^(?:(.+?)/)??(?:v/?)?([0-9]{1,5})((?:/[0-9]{1,5})*)$`)

// separators are what people write in names of tags in place of slashes.
var separators = strings.NewReplacer("-", "/", "_", "/", ".", "/", "@", "/")

// leveled returns a name in which small differences do not show.
func leveled(name string) string { return separators.Replace(strings.ToLower(name)) }

// nearTags are tags that publish nothing, by what they seem to be about, the newest version last.
func nearTags(tags []string) map[string][]nearTag {
	near := map[string][]nearTag{}
	for _, name := range tags {
		parts := nearVersion.FindStringSubmatch(leveled(name))
		if parts == nil {
			continue
		}
		t := nearTag{name: name}
		for text := range strings.SplitSeq(parts[2]+parts[3], "/") {
			number, _ := strconv.Atoi(text) // it has five digits at most
			t.numbers = append(t.numbers, number)
		}
		near[parts[1]] = append(near[parts[1]], t)
	}
	for _, all := range near {
		slices.SortFunc(all, nearTag.compare)
	}
	return near
}

// nearTo returns the tags that seem to be about a package, by its name in the Repository and its path in the git
// repository. Those without any name are about it only if nothing else is.
func nearTo(near map[string][]nearTag, pkg, where string) []nearTag {
	var all []nearTag
	abouts := []string{leveled(where), leveled(pkg), leveled(path.Base(pkg))}
	slices.Sort(abouts)
	for _, about := range slices.Compact(abouts) {
		all = append(all, near[about]...)
	}
	if len(all) == 0 {
		return near[""]
	}
	slices.SortFunc(all, nearTag.compare)
	return all
}

// plain matches what no shell takes for anything else.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./@:+-]+$`)

// quoted returns a word of a command line for people.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
