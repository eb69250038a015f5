// SPDX-License-Identifier: Apache-2.0

package home

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/local/git"
	"k8s.io/utils/lru"
)

// What a package in git has is read in three steps, each of which is bounded by the one before: the entries of its
// trees, the sizes of its files, and their contents.

// files are those of a package with their modes, and its symbolic links.
type files struct {
	texts map[string]string
	modes map[string]string
	// links are where symbolic links lead to.
	links map[string]string
}

// isPackage reports whether a directory with these files is a package.
func (f *files) isPackage() bool {
	_, ok := f.texts[kptfile]
	return ok
}

// unusableError says why the files of a package are not worked on: a person has to correct them. The reason is that of
// a condition.
type unusableError struct {
	reason string
	error
}

// refused returns the error of a package that has what it may not have.
func refused(format string, args ...any) error {
	return &unusableError{v1alpha1.ReasonPackageRefused, fmt.Errorf(format, args...)}
}

// tooLarge returns the error of a package that is beyond the bounds of one.
func tooLarge(format string, args ...any) error {
	return &unusableError{v1alpha1.ReasonPackageTooLarge, fmt.Errorf(format, args...)}
}

// asUnusable returns the error of an object of a package as the one of the package, where the cause is what was
// committed. Any other error stays as it is.
func asUnusable(where string, err error) error {
	bad, ok := errors.AsType[*git.ObjectError](err)
	switch {
	case !ok:
		return err
	case bad.TooLarge:
		return tooLarge("%s: %w", where, err)
	}
	return refused("%s: %w", where, err)
}

// unusable returns the error of a revision, or of what has a name like one, whose files are not worked on as one of the
// port. Any other error stays as it is.
func unusable(name string, err error) error {
	if bad, ok := errors.AsType[*unusableError](err); ok {
		return packages.Unusable(name, bad.reason, bad.error)
	}
	return err
}

// ignoreUnread returns an error unless it says that what was committed is not read.
func ignoreUnread(err error) error {
	_, bad := errors.AsType[*unusableError](err)
	if _, unread := errors.AsType[*git.ObjectError](err); bad || unread {
		return nil
	}
	return err
}

// cutOff reports whether an error says that a history cannot be followed beyond a commit: a clone lacks it, or it is
// not read.
func cutOff(err error) bool {
	return errors.Is(err, git.ErrMissing) || err != nil && ignoreUnread(err) == nil
}

// files returns the files of a revision.
func (f *found) files() (*files, error) {
	if f.unread != nil {
		return nil, unusable(f.Name, f.unread)
	}
	read, err := f.in.files(f.tree)
	return read, unusable(f.Name, err)
}

// files returns the files below a tree, which may be none. If they are not worked on, it returns an unusableError.
func (c *clone) files(tree git.Hash) (*files, error) {
	if tree == "" {
		return &files{}, nil
	}
	if kept := c.contents.get(tree); kept != nil {
		return kept.files, kept.err
	}
	f, err := c.read(tree)
	if _, bad := errors.AsType[*unusableError](err); bad || err == nil {
		c.contents.add(tree, f, err)
	}
	return f, err
}

// read reads the files below a tree.
func (c *clone) read(tree git.Hash) (*files, error) {
	l := &listing{in: c.git}
	if err := l.list(tree, ""); err != nil {
		return nil, err
	}
	hashes := make([]git.Hash, len(l.entries))
	for i, e := range l.entries {
		hashes[i] = e.Hash
	}
	texts, err := c.git.BlobsWithin(hashes, l.within)
	if err != nil {
		return nil, l.locate(err)
	}
	f := &files{texts: map[string]string{}, modes: map[string]string{}, links: map[string]string{}}
	for _, e := range l.entries {
		if e.Mode == git.Link {
			f.links[e.Name] = texts[e.Hash]
			continue
		}
		if err := checkText(e.Name, texts[e.Hash]); err != nil {
			return nil, err
		}
		f.texts[e.Name], f.modes[e.Name] = texts[e.Hash], e.Mode
	}
	return f, f.checkLinks()
}

// listing is what the trees of a package have.
type listing struct {
	in          *git.Repository
	directories int
	// entries are the files and links, with their paths as names.
	entries []git.Entry
}

// list adds what is in a tree and below it. Below is its path, with a slash at its end.
func (l *listing) list(tree git.Hash, below string) error {
	if l.directories++; l.directories > bounds.PackageDirectories {
		return tooLarge("the package has more than %d directories: make it smaller, or split it", bounds.PackageDirectories)
	}
	entries, err := l.in.Tree(tree)
	if err != nil {
		return asUnusable(strings.TrimSuffix("the directory "+below, "/"), err)
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		name := below + e.Name
		if err := checkEntry(name, e.Name); err != nil {
			return err
		}
		if names[e.Name] {
			return refused("%s is there twice: take one of them out of the package", name)
		}
		names[e.Name] = true
		if e.Name = name; kindOf(e.Mode) == git.Directory {
			err = l.list(e.Hash, name+"/")
		} else {
			err = l.add(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add adds a file or a link.
func (l *listing) add(e git.Entry) error {
	switch kind := kindOf(e.Mode); kind {
	case git.File, git.Program, git.Link:
		e.Mode = kind
	case git.Module:
		return refused("%s is a submodule, and its files are in another git repository: commit the files themselves, or "+
			"take it out of the package", e.Name)
	default:
		return refused("%s has the mode %s, which is not that of a file: commit it again, or take it out of the package",
			e.Name, e.Mode)
	}
	l.entries = append(l.entries, e)
	if len(l.entries) > bounds.PackageFiles {
		return tooLarge("the package has more than %d files: make it smaller, or split it", bounds.PackageFiles)
	}
	return nil
}

// kindOf returns the mode that git writes today for one that a tree may have: older versions of git, and other
// programs, wrote other permissions, and zeros before them. It returns "" for one that is none.
func kindOf(mode string) string {
	const kinds, program = 0o170000, 0o100
	bits, err := strconv.ParseUint(mode, 8, 32)
	if err != nil {
		return ""
	}
	switch bits & kinds {
	case 0o100000:
		if bits&program != 0 {
			return git.Program
		}
		return git.File
	case 0o120000:
		return git.Link
	case 0o160000:
		return git.Module
	case 0o040000:
		return git.Directory
	}
	return ""
}

// within returns an error if the sizes of the files are beyond the bounds of a package.
func (l *listing) within(sizes map[git.Hash]int64) error {
	of := make(map[string]int64, len(l.entries))
	for _, e := range l.entries {
		of[e.Name] = sizes[e.Hash]
	}
	return checkSizes(of)
}

// checkSizes returns an error if files, of which the sizes are known by their paths, are beyond the bounds of a
// package.
func checkSizes(of map[string]int64) error {
	if err := krm.CheckSizes(of); err != nil {
		return tooLarge("%w", err)
	}
	return nil
}

// locate returns the error of one of the files with its path.
func (l *listing) locate(err error) error {
	bad, ok := errors.AsType[*git.ObjectError](err)
	if !ok {
		return err
	}
	i := slices.IndexFunc(l.entries, func(e git.Entry) bool { return e.Hash == bad.Hash })
	return asUnusable(l.entries[i].Name, err)
}

// checkEntry returns why an entry of a tree is not taken. Name is its own name, file its path in the package.
func checkEntry(file, name string) error {
	const shown = 100
	if len(file) > bounds.Path {
		return tooLarge("%q... is the path of a file, has %d bytes, and may have %d: rename it", file[:shown], len(file),
			bounds.Path)
	}
	if problem := git.CheckName(name); problem != "" {
		return refused("%q %s", file, problem)
	}
	return checkPath(file)
}

// checkPath returns why a path is not that of a file of a package.
func checkPath(file string) error {
	switch problem := krm.CheckPath(file); {
	case problem != "":
		return refused("%q is the path of a file, %s", file, problem)
	case !utf8.ValidString(file):
		return refused("%q is the path of a file, and not in UTF-8: rename the file", file)
	}
	return nil
}

// pointers are how the texts begin that Git LFS commits in place of files, in all of its versions.
var pointers = []string{"version https://git-lfs.github.com/spec/", "version https://hawser.github.com/spec/",
	"version http://git-media.io/v/"}

// checkText returns why the content of a file is not worked on.
func checkText(name, text string) error {
	if !utf8.ValidString(text) {
		return refused("%s is not text in UTF-8: convert it, or take it out of the package", name)
	}
	return checkPointer(name, text)
}

// checkPointer returns an error for a file that only says where its content is.
func checkPointer(name, text string) error {
	if slices.ContainsFunc(pointers, func(begin string) bool { return strings.HasPrefix(text, begin) }) {
		return refused("%s is a pointer of Git LFS, and the file is elsewhere: commit the file itself, or take it out of "+
			"the package", name)
	}
	return nil
}

// drive is how a path begins that is absolute on Windows.
var drive = regexp.MustCompile(`^[a-zA-Z]:`)

// misleading says why a symbolic link may lead to what is not in the package; "" if it does not, or is none.
func (f *files) misleading(name string) string {
	to, isLink := f.links[name]
	slashed := strings.ReplaceAll(to, `\`, "/")
	switch {
	case !isLink:
		return ""
	case len(to) > bounds.Path:
		return fmt.Sprintf("to a path of %d bytes, and it may have %d", len(to), bounds.Path)
	case to == "", strings.Contains(to, "\x00"), !utf8.ValidString(to):
		return fmt.Sprintf("to %q, which is no path", to)
	case path.IsAbs(slashed) || drive.MatchString(slashed):
		return fmt.Sprintf("to %q, which is an absolute path", to)
	case f.leadsOut(name, slashed):
		return fmt.Sprintf("to %q, which leads out of the package", to)
	}
	return ""
}

// leadsOut reports whether a symbolic link leads out of the package. What is below another link is where that one leads
// to, and so in the package; what is above such a link may be outside.
func (f *files) leadsOut(name, to string) bool {
	at := []byte(name[:strings.LastIndex(name, "/")+1])
	for part := range strings.SplitSeq(to, "/") {
		if part == "" || part == "." {
			continue
		}
		if part != ".." {
			at = append(append(at, part...), '/')
			continue
		}
		if len(at) == 0 {
			return true
		}
		from := at[:len(at)-1]
		if _, isLink := f.links[string(from)]; isLink {
			return true
		}
		at = at[:bytes.LastIndexByte(from, '/')+1]
	}
	return false
}

// checkLinks returns an error for a symbolic link that may lead out of the package.
func (f *files) checkLinks() error {
	for _, name := range slices.Sorted(maps.Keys(f.links)) {
		if problem := f.misleading(name); problem != "" {
			return refused("%s is a symbolic link %s: make it lead to a file of the package, or take it out of the package",
				name, problem)
		}
	}
	return nil
}

// maxContents is how many bytes of packages stay in memory: upstreams, from which many are made.
const maxContents = 16 << 20

// contents are the packages that were read last, by their trees.
type contents struct {
	kept *lru.Cache
	size int
}

// content is what came of reading a package.
type content struct {
	files *files
	err   error
	size  int
}

func newContents() *contents {
	c := &contents{}
	c.kept = lru.NewWithEvictionFunc(0, func(_ lru.Key, value any) {
		if old, ok := value.(*content); ok {
			c.size -= old.size
		}
	})
	return c
}

// get returns what came of reading a package; nil if it is not known any more.
func (c *contents) get(tree git.Hash) *content {
	value, _ := c.kept.Get(tree)
	kept, _ := value.(*content)
	return kept
}

// add keeps what came of reading a package, and forgets what was not asked for of late.
func (c *contents) add(tree git.Hash, f *files, err error) {
	const each = 256 // what a file takes without its path and its content
	read := &content{files: f, err: err, size: each}
	if f != nil {
		for name, text := range f.texts {
			read.size += each + len(name) + len(text)
		}
		for name, to := range f.links {
			read.size += each + len(name) + len(to)
		}
	}
	c.size += read.size
	c.kept.Add(tree, read)
	for c.size > maxContents {
		c.kept.RemoveOldest()
	}
}
