// SPDX-License-Identifier: Apache-2.0

// Package adopt gives a copy of a package, which somebody made by hand or by a script, the upstream that it was made
// from: a draft of the copy says so, and from its publication on a variant can have the copy follow.
package adopt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

const kptfile = "Kptfile"

// Copy names a copy, and what it is a copy of.
type Copy struct {
	Namespace         string
	Package, Upstream revision.Package
	// Number is that of the revision of the upstream; 0 for the one that the copy is nearest to.
	Number int
	// Repository is that of the upstream.
	Repository revision.Repository
	// Deployment reports whether the copy is in a deployment Repository, where each package has a package context.
	Deployment bool
	// OnBranch reports whether the copy is what its branch has, rather than what was published last.
	OnBranch bool
	// Environments are the names after which its resources may have other names than upstream.
	Environments merging.Names
}

// In sets the names of its environment, by the Repositories of the fleet: each may be an environment, by its name or
// the directories that it is over. The copy's may also be a directory of its package.
func (c *Copy) In(repositories map[string]revision.Repository) {
	for name, r := range repositories {
		names := append(strings.Split(strings.Trim(r.Directory, "/"), "/"), name)
		if name == c.Package.Repo {
			c.Environments.Own = slices.Concat(names, strings.Split(c.Package.Name, "/"))
		} else {
			c.Environments.Known = append(c.Environments.Known, names...)
		}
	}
}

// Likeness is how a copy is like a revision of its upstream.
type Likeness struct {
	Copy, Upstream packages.Content
	// Same is how many values they share, Values how many the copy has, both without those of Kptfiles.
	Same, Values int
	// Pairing says which resources have other names in the copy.
	merging.Pairing
	// Alike are other revisions that the copy is as near to.
	Alike []string

	copy, upstream revision.Revision
	lock           *revision.Lock
	deployment     bool
	// differ is how many values only one of them has.
	differ int
}

// ParseUpstream reads REPOSITORY/PACKAGE, with the number of a revision after it or without one: blueprints/web@v2.
func ParseUpstream(text string) (of revision.Package, number int, err error) {
	name, version, numbered := strings.Cut(text, "@")
	repo, pkg, whole := strings.Cut(name, "/")
	if numbered {
		number, err = strconv.Atoi(strings.TrimPrefix(version, "v"))
	}
	if !whole || repo == "" || pkg == "" || err != nil || numbered && number < 1 {
		return of, 0, fmt.Errorf("%q does not name an upstream: write REPOSITORY/PACKAGE, or REPOSITORY/PACKAGE@vN for a "+
			"revision of it", text)
	}
	return revision.Package{Repo: repo, Name: pkg}, number, nil
}

// Find compares a copy with the published revisions of its upstream, or with one of them, and returns the one that it
// is nearest to: that with the fewest values that only one of them has, the latest of several.
func Find(ctx context.Context, home packages.Lister, c *Copy) (*Likeness, error) {
	r, err := c.find(ctx, home)
	if err != nil {
		return nil, err
	}
	of, err := home.Read(ctx, r.Namespace, r.Name)
	switch {
	case err != nil:
		return nil, err
	case of.Files[kptfile] == "":
		return nil, fmt.Errorf("%s has no Kptfile, so it is no package: write one, as kpt pkg init does", r.Name)
	}
	if lock := kpt.LockOf(of.Files); lock != nil {
		return nil, fmt.Errorf("%s says already from what it was made, %s of %s: a PackageVariant with adoptionPolicy: "+
			"adoptExisting takes it over as it is", r.Name, lock, lock.Repo)
	}
	candidates, err := c.candidates(ctx, home)
	if err != nil {
		return nil, err
	}
	var best *Likeness
	for i := range candidates {
		upstream, err := home.Read(ctx, c.Namespace, candidates[i].Name)
		if err != nil {
			return nil, err
		}
		l := &Likeness{Copy: of, Upstream: upstream, copy: *r, upstream: candidates[i],
			deployment: c.Deployment, lock: revision.LockOn(&candidates[i], c.Repository.Address, c.Repository.Directory)}
		if l.Pairing, err = merging.PairUp(upstream.Files, of.Files, c.Environments); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		l.compare(valuesOf(of.Files, l.Pairs), valuesOf(upstream.Files, nil))
		switch {
		case l.Same == 0 || best != nil && l.differ > best.differ:
			continue
		case best != nil && l.differ == best.differ:
			l.Alike = slices.Concat(best.Alike, []string{best.upstream.Name})
		}
		best = l
	}
	if best == nil {
		return nil, fmt.Errorf("%s shares no value of a resource of the same kind and name with %s: name the package "+
			"that it is a copy of by --upstream, and give its resources the names that they have there", r.Name, c.describe())
	}
	return best, nil
}

// describe names what a copy is compared with.
func (c *Copy) describe() string {
	if c.Number > 0 {
		return fmt.Sprintf("%s v%d", c.Upstream, c.Number)
	}
	return "any published revision of " + c.Upstream.String()
}

// find returns the revision that is the copy.
func (c *Copy) find(ctx context.Context, home packages.Lister) (*revision.Revision, error) {
	if c.Package == c.Upstream {
		return nil, fmt.Errorf("%s is no copy of itself: name another package by --upstream", c.Package)
	}
	all, err := home.List(ctx, c.Namespace, c.Package)
	if err != nil {
		return nil, err
	}
	if c.OnBranch {
		if i := slices.IndexFunc(all, func(r revision.Revision) bool { return r.Main() }); i >= 0 {
			return &all[i], nil
		}
		return nil, fmt.Errorf("the package %s is not on the branch of its Repository, with a Kptfile: add one if it has "+
			"none, push it, and run adopt again", c.Package)
	}
	if latest := revision.LatestPublished(all); latest != nil {
		return latest, nil
	}
	return nil, fmt.Errorf("the package %s has no published revision: publish it first", c.Package)
}

// candidates returns the revisions of the upstream to compare with, in the order of their numbers.
func (c *Copy) candidates(ctx context.Context, home packages.Lister) ([]revision.Revision, error) {
	all, err := home.List(ctx, c.Namespace, c.Upstream)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r revision.Revision) bool { return !r.Published() || r.Main() })
	slices.SortFunc(all, func(a, b revision.Revision) int { return a.Number - b.Number })
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no published revision of %s: publish it, or name another upstream", c.Upstream)
	}
	if c.Number == 0 {
		return all, nil
	}
	latest := all[len(all)-1].Number
	all = slices.DeleteFunc(all, func(r revision.Revision) bool { return r.Number != c.Number })
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no published revision v%d: its latest is v%d", c.Upstream, c.Number, latest)
	}
	return all, nil
}

// String says how alike they are.
func (l *Likeness) String() string {
	text := fmt.Sprintf("%s is nearest to %s, which has %d of its %d values", l.copy.Name, l.upstream.Name, l.Same,
		l.Values)
	if len(l.Alike) > 0 {
		text += fmt.Sprintf("\nit is as near to %s: name the right one by @vN", strings.Join(l.Alike, ", "))
	}
	for _, p := range l.Pairs {
		text += fmt.Sprintf("\nits %s is the upstream's %s", p.Here, p.Upstream)
	}
	for _, lacks := range l.Lacks {
		text += fmt.Sprintf("\nit has no %s: that counts as removed in the copy", lacks)
	}
	for _, p := range l.Doubtful {
		text += fmt.Sprintf("\nits %s may be the upstream's %s: if it is, add the line %q to the annotation %s of the "+
			"draft's Kptfile", p.Here, p.Upstream, p, merging.PairsAnnotation)
	}
	return text
}

// Say returns a Kptfile that says of which revision a package is a copy, and which of its resources have other names
// there.
func Say(text string, lock *revision.Lock, pairs []merging.Pair) (string, error) {
	text, err := kpt.Lock(text, lock)
	if err == nil && len(pairs) > 0 {
		text, err = kpt.Annotate(text, merging.PairsAnnotation, merging.JoinPairs(pairs))
	}
	return text, err
}

// Draft makes a draft of the copy that has the upstream, and a package context where clones have one. Nothing else in
// it changes.
func (l *Likeness) Draft(ctx context.Context, home packages.Home) (revision.Revision, error) {
	text, err := Say(l.Copy.Files[kptfile], l.lock, l.Pairs)
	if err != nil {
		return revision.Revision{}, fmt.Errorf("cannot write the upstream into the Kptfile of %s: %w", l.copy.Name, err)
	}
	made, err := home.Ask(ctx, packages.Draft{Namespace: l.copy.Namespace, Package: l.copy.Package,
		Workspace: fmt.Sprintf("adopt-v%d", l.upstream.Number),
		Task:      revision.Task{Type: revision.Edit, Source: l.copy.Name}})
	if errors.Is(err, packages.ErrStale) {
		err = fmt.Errorf("%w: if it is a draft, merge or publish it, or delete it", err)
	}
	if err != nil {
		return made, err
	}
	read, err := home.Read(ctx, made.Namespace, made.Name)
	if err == nil {
		files := maps.Clone(read.Files)
		files[kptfile] = text
		if l.deployment {
			files, err = kpt.WithContext(files, l.copy.Package.Name)
		}
		if err == nil {
			_, err = home.Save(ctx, read, files)
		}
	}
	if err != nil {
		return made, errors.Join(err, home.Delete(ctx, &made))
	}
	return home.Get(ctx, made.Namespace, made.Name)
}
