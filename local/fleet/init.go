// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/starting"
)

// Begun is a fleet that was begun.
type Begun struct {
	*starting.Begun
	// Written are the texts of the files that are written, by their paths below the directory.
	Written map[string]string
	// Branch is checked out, "" for none; Remote is the name of the remote.
	Branch, Remote string
}

// ErrChanges says that a fleet of copies would change what they have. Plan is what would be done.
type ErrChanges struct{ Plan *plans.Plan }

// Error implements error.
func (e *ErrChanges) Error() string {
	all := append([]string{"a sync would change or refuse copies, as the plan shows, so nothing is " +
		"written: mend them, or name others by --from"}, e.Plan.Errors()...)
	return strings.Join(all, "\n")
}

// Init makes the files of a fleet of copies, writes them below a directory in a clone, and says what they are. Nothing
// in the copies changes but their Kptfile, which says what they are copies of. If a plan over all of it, as if it were
// committed and tagged, changes anything else, the error is an *ErrChanges, and nothing is written. Without patterns,
// it makes the smallest fleet.
func Init(ctx context.Context, dir string, o starting.Options) (begun *Begun, err error) {
	for flag, name := range map[string]*string{"--fleet": &o.Manifests, "--blueprints": &o.Blueprints,
		"--blueprint": &o.Blueprint} {
		clean := path.Clean(filepath.ToSlash(*name))
		if *name != "" && (!filepath.IsLocal(*name) || clean == ".") {
			return nil, fmt.Errorf("%s %q: write a directory below %s", flag, *name, dir)
		} else if *name != "" {
			*name = clean
		}
	}
	if err := git.Check(ctx); err != nil {
		return nil, err
	}
	where, err := locate(ctx, dir)
	defer func() { err = errors.Join(err, where.close()) }()
	if err != nil {
		return nil, err
	}
	begun = &Begun{}
	at := starting.Place{Address: where.remote, Directory: where.path}
	if where.checkout != nil {
		begun.Remote, at.Branch, begun.Branch, err = where.checkout.Branches(ctx)
		if err != nil {
			return nil, err
		}
	}
	unfit := where.cannotBegin(dir, at.Branch)
	switch {
	case len(o.From) > 0 && unfit == nil:
		return begun, begun.of(ctx, where, at, &o)
	case len(o.From) > 0:
		return nil, unfit
	case unfit != nil:
		at.Address, at.Directory = "", "" // the manifests say that it is to be filled in
	}
	begun.Begun = &starting.Begun{Options: o, At: at}
	begun.Written = starting.InDir(o.Manifests, starting.Smallest(at))
	return begun, writeNew(dir, begun.Written, nil)
}

// cannotBegin says why no fleet can be made of copies here; nil if one can.
func (d *directory) cannotBegin(dir, branch string) error {
	if d.remote == "" {
		return fmt.Errorf("%s is in no git repository with a remote: run this in a clone", dir)
	}
	err := git.CheckAddress(d.remote)
	if err == nil && strings.HasPrefix(d.remote, ".") {
		err = errors.New("it is relative: give the remote one that others reach, too")
	}
	if err != nil {
		return fmt.Errorf("the address of the remote of %s: %w", dir, err)
	}
	if d.head == "" || branch == "" {
		return fmt.Errorf("%s has no branch with a commit checked out: commit the copies first", dir)
	}
	return nil
}

// of makes a fleet of the copies in the commit that is checked out.
func (b *Begun) of(ctx context.Context, where *directory, at starting.Place, o *starting.Options) error {
	tree, err := where.checkout.At(where.head, where.path)
	if err != nil {
		return err
	}
	tags, err := where.checkout.Tags(ctx)
	if err != nil {
		return err
	}
	files := where.checkout.FS(tree)
	if b.Begun, err = starting.Begin(files, at, *o, tags); err != nil {
		return err
	}
	if b.Written, _, err = b.Files(at.Address); err == nil {
		err = b.plan(ctx)
	}
	if err != nil {
		return err
	}
	was := func(name string) (text string, there bool) {
		data, err := fs.ReadFile(files, name)
		return string(data), err == nil
	}
	maps.DeleteFunc(b.Written, func(name, text string) bool {
		committed, there := was(name)
		return there && committed == text
	})
	return writeNew(where.dir, b.Written, was)
}

// plan plans over what is written, as if it were committed and tagged, and returns an error if that changes anything.
func (b *Begun) plan(ctx context.Context) error {
	temp, err := os.MkdirTemp("", "variants-init-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	origin, clone := filepath.Join(temp, "origin.git"), filepath.Join(temp, "clone")
	written, all, err := b.Files(origin)
	if err != nil {
		return err
	}
	var tags []string
	for _, p := range b.Packages {
		tags = append(tags, p.Tag)
	}
	dir := filepath.Join(clone, filepath.FromSlash(b.At.Directory))
	in := b.At.Directory
	err = git.Propose(ctx, origin, b.At.Branch, starting.InDir(in, all), starting.InDir(in, b.Links()), tags)
	if err == nil {
		err = git.CloneWithoutFiles(ctx, origin, clone)
	}
	if err == nil {
		err = writeNew(dir, written, nil)
	}
	if err != nil {
		return err
	}
	plan, err := Plan(ctx, Options{Dir: filepath.Join(dir, filepath.FromSlash(b.Manifests)),
		Cache: filepath.Join(temp, "cache")}, true)
	if err != nil {
		return err
	}
	if len(plan.Errors()) > 0 || slices.ContainsFunc(plan.Variants, changesContent) {
		return &ErrChanges{plan}
	}
	return nil
}

// changesContent reports whether a variant does anything else than take over its package.
func changesContent(v plans.Variant) bool {
	return len(v.Drafts) > 0 || v.Action != plans.Adopt && v.Action != plans.Unchanged
}

// writeNew writes files below a directory. Of those that are there, it writes only a Kptfile, which has to be as in the
// commit that is checked out; was returns what that has, and whether it has the file.
func writeNew(dir string, files map[string]string, was func(name string) (string, bool)) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	names := slices.Sorted(maps.Keys(files))
	if err := checkUnwritten(root, names, was); err != nil {
		return err
	}
	for _, name := range names {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(name, []byte(files[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// checkUnwritten returns an error that names all files that writeNew may not write.
func checkUnwritten(root *os.Root, names []string, was func(name string) (string, bool)) error {
	var there, changed, added []string
	for _, name := range names {
		text, err := root.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if path.Base(name) != "Kptfile" || was == nil {
			there = append(there, name)
		} else if committed, tracked := was(name); !tracked {
			added = append(added, name)
		} else if committed != string(text) {
			changed = append(changed, name)
		}
	}
	var all []error
	add := func(format, separator string, names []string) {
		if len(names) > 0 {
			all = append(all, fmt.Errorf(format, strings.Join(names, separator)))
		}
	}
	add("files are there already: remove %s, or name another directory by --fleet or --blueprints", ", ", there)
	add("files are not in the commit that is checked out: commit them first, or remove %s", ", ", added)
	add("files are not as in the commit that is checked out: commit them first, or take the changes back by\n"+
		"git restore --staged --worktree %s", " ", changed)
	return errors.Join(all...)
}
