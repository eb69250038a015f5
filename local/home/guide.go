// SPDX-License-Identifier: Apache-2.0

package home

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/local/git"
)

// site is what a git repository has at the place of a package of which a revision is asked for that is not there.
type site struct {
	address, repository, branch string
	// path is the directory of the package, in the git repository.
	path string
	// empty says that the git repository has neither branches nor tags. others are its branches, if it lacks that of the
	// Repository.
	empty  bool
	others []string
	// is what the branch has there: the mode of an entry, or "" for nothing; to is where a symbolic link leads to, in the
	// Repository.
	is, to string
	// isPackage says that it is a package, and like are the packages whose names are like it.
	isPackage bool
	like      []string
	// number is what is asked for; 0 for any, and mainNumber for the branch.
	number int
	// latest is the number that was published last, and ahead says that the branch has something else. next returns the
	// next number that is free, from one on.
	latest int
	ahead  bool
	next   func(from int) int
	// near are the tags that seem to be about it.
	near []nearTag
}

// missing says what is there, and what a person does to have the revision.
func (s *site) missing() revision.Missing {
	switch {
	case s.empty:
		return revision.Missing{Found: s.address + " is empty", Do: fmt.Sprintf("push the package there as %s, and "+
			"publish it: git push origin HEAD:%s; %s", s.path, words.Quoted(s.branch), s.tag("HEAD"))}
	case s.others != nil:
		return revision.Missing{Found: fmt.Sprintf("%s has no branch %s, which the Repository %s names, but %s", s.address,
			s.branch, s.repository, someOf(s.others)), Do: "the branch in the manifest of that Repository"}
	}
	found := fmt.Sprintf("%s has on its branch %s %s", s.address, s.branch, s.place())
	switch {
	case !s.isPackage && s.is != git.Link && s.latest > 0 && s.number == 0:
		return revision.Missing{Found: found + ", without which its tags do not count", Do: fmt.Sprintf("have it back: git "+
			"checkout %[1]s/v%[2]d -- %[1]s, and commit that", words.Quoted(s.path), s.latest)}
	case s.number != mainNumber:
		found += ", and " + s.tags()
	}
	return revision.Missing{Found: found, Do: s.do()}
}

// someOf names some branches.
func someOf(branches []string) string {
	if len(branches) == 0 {
		return "no other"
	}
	return words.Some(branches, ", ")
}

// place says what the branch has at the path.
func (s *site) place() string {
	switch {
	case s.isPackage:
		return "the package " + s.path
	case s.is == git.Directory:
		return "a directory " + s.path + " without a Kptfile"
	case s.is == git.Link:
		return s.path + " as a symbolic link to " + s.to + ", which is the package to name"
	case s.is == git.Module:
		return s.path + " as a submodule"
	case s.is != "":
		return s.path + " as a file"
	case len(s.like) > 0:
		return "no directory " + s.path + " (but " + words.Some(s.like, ", ") + ")"
	}
	return "no directory " + s.path
}

// tags says which tags there are.
func (s *site) tags() string {
	wanted := s.path + "/v<number>"
	if s.number > 0 {
		wanted = fmt.Sprintf("%s/v%d", s.path, s.number)
	}
	text := "no tag " + wanted
	if s.latest > 0 {
		text += fmt.Sprintf(" (the newest is v%d, and the branch has %s)", s.latest, map[bool]string{
			true: "changed since", false: "the same"}[s.ahead])
	}
	if len(s.near) > 0 {
		var names []string
		for i := range slices.Backward(s.near) {
			names = append(names, s.near[i].name)
		}
		text += "; what is called " + words.Some(names, ", ") + " is no such tag"
	}
	return text
}

// do says what a person does.
func (s *site) do() string {
	publish := ""
	if s.number != mainNumber {
		publish = ", and publish it: " + s.tag("origin/"+s.branch)
	}
	switch {
	case s.is == git.Link, s.isPackage && len(s.near) == 0 && s.latest > 0 && !s.ahead:
		return ""
	case s.is == git.Module:
		return "commit the files of the package themselves" + publish
	case s.isPackage && publish != "":
		return strings.TrimPrefix(publish, ", and ") + " (if you have that tag, the push is enough)"
	case s.is == git.Directory:
		return "add a Kptfile there, as kpt pkg init does" + publish
	}
	return "push it there" + publish
}

// tag returns the commands that publish the package: what a tag of nearly the right name has, or else a source.
func (s *site) tag(source string) string {
	from := 1
	if len(s.near) > 0 {
		last := s.near[len(s.near)-1]
		source, from = last.name, last.number()
	}
	number := s.number
	if number < 1 {
		number = s.next(from)
	}
	tag := words.Quoted(s.path + "/v" + strconv.Itoa(number))
	return fmt.Sprintf("git tag %s %s; git push origin %s", tag, words.Quoted(source), tag)
}

// nearer returns the tags that seem to be about what is asked for.
func (s *site) nearer() []nearTag {
	return slices.DeleteFunc(slices.Clone(s.near), func(t nearTag) bool {
		return !s.isPackage || s.number > 0 && t.number() != s.number ||
			s.number < 1 && s.latest > 0 && t.number() <= s.latest
	})
}

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
