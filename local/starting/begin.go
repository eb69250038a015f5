// SPDX-License-Identifier: Apache-2.0

package starting

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/engine/adopt"
	"github.com/package-variants/package-variants/engine/blueprint"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

const kptfile = "Kptfile"

// Options say of which copies a fleet is made, and where. Directories are below the one with the files.
type Options struct {
	// From are patterns of the directories of copies.
	From []string
	// Blueprint is the directory of the blueprint; "" if one is made of what most copies have.
	Blueprint string
	// Manifests and Blueprints are the directories for the manifests and the blueprints.
	Manifests, Blueprints string
}

// Begun is a fleet of copies.
type Begun struct {
	Options
	// At is the directory of the git repository in which the files are.
	At       Place
	Packages []Package
	// Left are what the patterns match and is no copy.
	Left []Left
}

// Package is a package of which there are copies.
type Package struct {
	Name string
	// Dir is the directory of the blueprint, Tag the tag that publishes it.
	Dir, Tag string
	Copies   []Copy
	// Made is the blueprint as it was made; nil if it was there.
	Made *blueprint.Blueprint
	// Pairings are which resources of the copies are which of the blueprint.
	Pairings []merging.Pairing
	// files are those of the blueprint, links its symbolic links, which only one that was there has.
	files, links map[string]string
}

// Begin makes a fleet of the copies among files. The tags are those that are in the git repository.
func Begin(files fs.FS, at Place, o Options, tags []string) (*Begun, error) {
	b := &Begun{Options: o, At: at}
	own := []string{o.Manifests, cmp.Or(o.Blueprint, o.Blueprints)}
	of, left, err := Find(files, o.From, own)
	if err != nil {
		return nil, err
	}
	b.Left = left
	if o.Blueprint != "" {
		names := slices.Sorted(maps.Keys(of))
		if len(names) > 1 {
			return nil, fmt.Errorf("--blueprint is for one package, and --from matches copies of %s: name one of them by --from",
				strings.Join(names, ", "))
		}
		b.Blueprints = strings.TrimSuffix(path.Dir(o.Blueprint), ".")
		of = map[string][]Copy{path.Base(o.Blueprint): of[names[0]]}
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		p := Package{Name: name, Dir: path.Join(b.Blueprints, name)}
		for _, c := range of[name] {
			if lock := kpt.LockOf(c.Files); lock != nil {
				b.Left = append(b.Left, Left{c.Dir, fmt.Sprintf("its Kptfile says already from what it was made, %s of %s: add a "+
					"PackageVariant with adoptionPolicy: adoptExisting for it", lock, lock.Repo)})
				continue
			}
			p.Copies = append(p.Copies, c)
		}
		if len(p.Copies) == 0 {
			continue
		}
		p.Tag = next(path.Join(at.Directory, p.Dir), tags)
		if err := p.blueprint(files, o.Blueprint); err != nil {
			return nil, err
		}
		b.Packages = append(b.Packages, p)
	}
	if len(b.Packages) == 0 {
		return nil, errors.New("there is no copy that does not say already from what it was made")
	}
	return b, nil
}

// next returns the tag that the next revision of a package gets.
func next(place string, tags []string) string {
	last := 0
	for _, tag := range tags {
		if number, isOf := strings.CutPrefix(tag, place+"/v"); isOf {
			if n, err := strconv.Atoi(number); err == nil {
				last = max(last, n)
			}
		}
	}
	return fmt.Sprintf("%s/v%d", place, last+1)
}

// blueprint makes the blueprint of a package, or reads it from a directory, and pairs the resources of its copies.
func (p *Package) blueprint(files fs.FS, dir string) (err error) {
	var known []string
	var copies []blueprint.Copy
	for _, c := range p.Copies {
		known = append(known, c.Names...)
		copies = append(copies, blueprint.Copy{Name: c.Environment, Names: c.Names, Files: c.Files})
	}
	if dir == "" {
		p.Made = blueprint.Of(copies)
		p.files = p.Made.Files
	} else if p.files, p.links, err = read(files, dir); err != nil {
		return fmt.Errorf("--blueprint has to be the directory of a package in the commit that is checked out: %w", err)
	}
	p.files[kptfile] = cmp.Or(p.files[kptfile], newKptfile(p.Name))
	for _, c := range p.Copies {
		paired, err := merging.PairUp(p.files, c.Files, merging.Names{Own: c.Names, Known: known})
		if err != nil {
			return fmt.Errorf("%s: %w", c.Dir, err)
		}
		p.Pairings = append(p.Pairings, paired)
	}
	return nil
}

func newKptfile(pkg string) string {
	return "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + quote(Name(path.Base(pkg))) + "\n"
}

// Files returns the files of the fleet if the git repository has an address: those that are written, and with all
// those of the copies, too.
func (b *Begun) Files(address string) (written, all map[string]string, err error) {
	at := b.At
	at.Address = address
	manifests, err := b.manifests(at)
	if err != nil {
		return nil, nil, err
	}
	written, all = InDir(b.Manifests, manifests), map[string]string{}
	for _, p := range b.Packages {
		maps.Copy(written, InDir(p.Dir, p.files))
		lock := &revision.Lock{Repo: address, Directory: path.Join(at.Directory, p.Dir), Ref: p.Tag}
		for i, c := range p.Copies {
			maps.Copy(all, InDir(c.Dir, c.Files))
			name := path.Join(c.Dir, kptfile)
			written[name], err = adopt.Say(cmp.Or(c.Files[kptfile], newKptfile(c.Package)), lock, p.Pairings[i].Pairs)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	maps.Copy(all, written)
	return written, all, nil
}

// Links returns where the symbolic links of the copies and of blueprints that were there lead to.
func (b *Begun) Links() map[string]string {
	all := map[string]string{}
	for _, p := range b.Packages {
		maps.Copy(all, InDir(p.Dir, p.links))
		for _, c := range p.Copies {
			maps.Copy(all, InDir(c.Dir, c.Links))
		}
	}
	return all
}

// InDir returns files below a directory.
func InDir(dir string, files map[string]string) map[string]string {
	out := make(map[string]string, len(files))
	for name, text := range files {
		out[path.Join(dir, name)] = text
	}
	return out
}
