// SPDX-License-Identifier: Apache-2.0

// Package starting decides, purely, how a fleet over copies that exist is laid out, and writes its manifests.
package starting

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/local/git"
)

// Copy is a directory that a pattern matches.
type Copy struct {
	// Pattern is the one that matches, with one name where it has a list of them.
	Pattern string
	// Dir is the directory, In the one above it that is its Repository, and Package the rest.
	Dir, In, Package string
	// Environment is what the stars of the pattern stand for, Names its parts.
	Environment string
	Names       []string
	// Files are its files, by their paths below the directory, and Links where its symbolic links lead to.
	Files, Links map[string]string
	// Of is the package that it is a copy of.
	Of string
	// Repository is the name of its Repository, which several copies have if it is Shared.
	Repository string
	Shared     bool
}

// Left is what a pattern matches and is no copy.
type Left struct{ Path, Why string }

// pattern is one of directories. The stars in its environment, the first parts, stand for the name of that; one in its
// package stands for the names of several packages.
type pattern struct {
	environment, pkg []string
	match            *regexp.Regexp
	// globs are what it stands for: itself, or one for each name of a list, which comes in place of the first star.
	globs []string
}

// listed matches a pattern with a list of names.
var listed = regexp.MustCompile(`^([^{}*]*)\{([^{}*/,]+(?:,[^{}*/,]+)*)\}([^{}]*)$`)

// parse reads a pattern. Where its last part has the only star, the last part is the package, too.
func parse(text string) (*pattern, error) {
	clean := path.Clean(text)
	p := &pattern{globs: []string{clean}}
	if list := listed.FindStringSubmatch(clean); list != nil {
		p.globs = nil
		for name := range strings.SplitSeq(list[2], ",") {
			p.globs = append(p.globs, list[1]+name+list[3])
		}
		clean = list[1] + "*" + list[3]
	}
	parts := strings.Split(clean, "/")
	starred := func(part string) bool { return strings.Contains(part, "*") }
	first := slices.IndexFunc(parts, starred)
	if !fs.ValidPath(clean) || first < 0 || strings.ContainsAny(text, "?[\\") || strings.ContainsAny(clean, "{}") ||
		strings.Contains(clean, "**") {
		return nil, fmt.Errorf("--from %q: write the directories of copies below this one, in quotes, with a * where the "+
			"name of the environment is, such as 'environments/*/web', or with the names, such as "+
			"'environments/{dev,prod}/web'", text)
	}
	p.match = regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(clean), `\*`, `([^/]+)`) + "$")
	last := len(parts) - 1
	for last > first && !starred(parts[last-1]) { // what follows the star before the last part is the package
		last--
	}
	p.environment, p.pkg = parts[:last], parts[last:]
	return p, nil
}

// copies returns the copies that the pattern matches, whose files are not read yet. text is what it was read of.
func (p *pattern) copies(files fs.FS, text string) (all []Copy, err error) {
	for _, glob := range p.globs {
		matched, err := fs.Glob(files, glob)
		if err != nil {
			return nil, err
		}
		if len(matched) == 0 && glob != path.Clean(text) {
			return nil, fmt.Errorf("--from %q: the commit that is checked out has no directory %s", text, glob)
		}
		for _, dir := range matched {
			if !p.match.MatchString(dir) { // a star stands for no name
				continue
			}
			c := p.copyAt(dir)
			c.Pattern = glob
			all = append(all, c)
		}
	}
	return all, nil
}

// copyAt returns the copy in a directory that the pattern matches.
func (p *pattern) copyAt(dir string) Copy {
	parts, stars := strings.Split(dir, "/"), p.match.FindStringSubmatch(dir)[1:]
	n := len(p.environment)
	c := Copy{Dir: dir, In: strings.Join(parts[:n], "/"), Package: strings.Join(parts[n:], "/"), Names: stars}
	inEnvironment := strings.Count(strings.Join(p.environment, "/"), "*")
	if c.Of = c.Package; inEnvironment > 0 {
		c.Names = stars[:inEnvironment]
		c.Environment = strings.Join(c.Names, "-")
		c.Repository = Name(c.Environment)
		return c
	}
	// The star is in the last part: the package is called after what the copies are in.
	c.Environment, c.Shared, c.Repository = stars[0], true, cmp.Or(Name(c.In), "root")
	isGeneral := func(part string) bool { return slices.Contains(general, part) }
	above := slices.DeleteFunc(slices.Clone(p.environment), isGeneral)
	c.Of = strings.Trim(strings.ReplaceAll(p.pkg[0], "*", ""), "-._")
	if c.Of == "" {
		c.Of = path.Base(cmp.Or(strings.Join(above, "/"), c.In, "package"))
	}
	return c
}

// general are names of directories that say nothing of what the copies in them are.
var general = []string{"overlays", "environments", "envs", "clusters", "values"}

// Find returns the copies that patterns match among files, by their packages, and what is no copy. What is below one of
// the directories own is left out.
func Find(files fs.FS, patterns, own []string) (of map[string][]Copy, left []Left, err error) {
	of = map[string][]Copy{}
	seen := map[string]bool{}
	for _, text := range patterns {
		p, err := parse(text)
		if err != nil {
			return nil, nil, err
		}
		all, err := p.copies(files, text)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range all {
			if seen[c.Dir] || slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(c.Dir+"/", o+"/") }) {
				continue
			}
			seen[c.Dir] = true
			if c.Files, c.Links, err = read(files, c.Dir); err != nil {
				left = append(left, Left{c.Dir, err.Error()})
				continue
			}
			of[c.Of] = append(of[c.Of], c)
		}
	}
	if len(of) == 0 {
		err = fmt.Errorf("--from %s matches no directory with copies in the commit that is checked out%s",
			strings.Join(patterns, " "), reasons(left))
	}
	return of, left, err
}

func reasons(left []Left) (text string) {
	for _, l := range left {
		text += fmt.Sprintf("\n%s is no copy: %s", l.Path, l.Why)
	}
	return text
}

// read returns the files of a package, and where its symbolic links lead to. The error is why the directory is none.
func read(files fs.FS, dir string) (texts, links map[string]string, err error) {
	if err := isPackage(files, dir); err != nil {
		return nil, nil, err
	}
	texts, links = map[string]string{}, map[string]string{}
	size := int64(0)
	err = fs.WalkDir(files, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below := strings.TrimPrefix(name, dir+"/")
		if entry.Type() == fs.ModeSymlink && below != kptfile {
			links[below], err = fs.ReadLink(files, name)
			return err
		}
		info, err := entry.Info()
		if err != nil || !entry.Type().IsRegular() {
			return cmp.Or(err, fmt.Errorf("%s is %s, which a package may not have", name, irregular(entry)))
		}
		if size += info.Size(); len(texts) >= bounds.PackageFiles || size > bounds.PackageBytes {
			return fmt.Errorf("it has more than %d files or %d bytes", bounds.PackageFiles, bounds.PackageBytes)
		}
		text, err := fs.ReadFile(files, name)
		texts[below] = string(text)
		return err
	})
	if err == nil && len(texts) == 0 {
		err = errors.New("it has no files")
	}
	return texts, links, err
}

// irregular says what is neither a file nor a directory.
func irregular(entry fs.DirEntry) string {
	if entry.Type() == fs.ModeSymlink {
		return "a symbolic link"
	}
	return "a submodule"
}

// isPackage returns why a directory cannot be one of a package.
func isPackage(files fs.FS, dir string) error {
	info, err := fs.Stat(files, dir)
	name := path.Base(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("it is a file, and a package is a directory: move what belongs to one environment into a " +
			"directory of its own")
	case strings.HasPrefix(name, "."):
		return errors.New("it is hidden")
	case strings.Contains(name, "."):
		return errors.New("a package has no dot in its name")
	case !git.IsRefName("refs/tags/" + dir):
		return errors.New("its path cannot be the name of a tag")
	}
	return nil
}
