// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/engine/adopt"
	"github.com/package-variants/package-variants/engine/blueprint"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/starting"
)

// InitOptions say of what a fleet is made, and where. Paths are below Dir.
type InitOptions struct {
	// Dir is a directory in a clone.
	Dir string
	// From are patterns of the directories of copies; none for a fleet without packages.
	From []string
	// Blueprint is the directory of the blueprint; "" if one is made of what most copies have.
	Blueprint string
	// Manifests and Blueprints are the directories for the manifests and the blueprints.
	Manifests, Blueprints string
}

// Begun is a fleet that was made of copies.
type Begun struct {
	Packages []BegunPackage
	// Left are what the patterns match and is no copy.
	Left []starting.Left
	// Files are the texts of the files that are written, by their paths below the directory.
	Files map[string]string
	// Branch is checked out, "" for none; Main is that of the Repositories.
	Branch, Main string
	// Manifests is the directory with the manifests.
	Manifests string
}

// BegunPackage is a package of which there are copies.
type BegunPackage struct {
	Name string
	// Dir is the directory of the blueprint, Tag the tag that publishes it.
	Dir, Tag string
	Copies   []starting.Copy
	// Made is the blueprint as it was made; nil if it was there.
	Made *blueprint.Blueprint
	// Pairings are which resources of the copies are which of the blueprint.
	Pairings []merging.Pairing
	// files are those of the blueprint.
	files map[string]string
}

// ErrChanges says that a fleet of copies would change what they have. Plan is what would be done.
type ErrChanges struct{ Plan *plans.Plan }

// Error implements error.
func (e *ErrChanges) Error() string {
	all := append([]string{"a sync would change or refuse copies, as the plan shows, so nothing is " +
		"written: mend them, or name others by --from"}, e.Plan.Errors()...)
	return strings.Join(all, "\n")
}

// beginning is a fleet that is being made.
type beginning struct {
	InitOptions
	*directory
	at      starting.Place
	files   fs.FS
	copies  map[string][]starting.Copy
	of      map[string]map[string]string // the files of copies, by their directories
	current string
}

// Init makes the files of a fleet of copies, writes them below the directory, and says what they are. Nothing in the
// copies changes but their Kptfile, which says what they are copies of. If a plan over all of it, as if it were
// committed and tagged, changes anything else, the error is an *ErrChanges, and nothing is written.
func Init(ctx context.Context, o InitOptions) (_ *Begun, err error) {
	if err := git.Check(ctx); err != nil {
		return nil, err
	}
	where, err := locate(ctx, o.Dir)
	defer func() { err = errors.Join(err, where.close()) }()
	b := &beginning{InitOptions: o, directory: where, of: map[string]map[string]string{}}
	if err == nil {
		err = b.settle(ctx)
	}
	if err != nil {
		return nil, err
	}
	if len(o.From) == 0 {
		begun := &Begun{Files: inDir(b.Manifests, starting.Smallest(b.at)), Manifests: b.Manifests}
		return begun, writeNew(o.Dir, begun.Files, nil)
	}
	begun, err := b.make(ctx)
	if err != nil {
		return nil, err
	}
	if begun.Files, err = b.written(begun, b.at.Address); err == nil {
		err = b.plan(ctx, begun)
	}
	maps.DeleteFunc(begun.Files, func(name, text string) bool { is, there := b.text(name); return there && is == text })
	if err == nil {
		err = writeNew(o.Dir, begun.Files, b.text)
	}
	return begun, err
}

// settle finds out where the fleet is.
func (b *beginning) settle(ctx context.Context) (err error) {
	for flag, dir := range map[string]*string{"--fleet": &b.Manifests, "--blueprints": &b.Blueprints,
		"--blueprint": &b.Blueprint} {
		clean := path.Clean(filepath.ToSlash(*dir))
		if *dir != "" && (!filepath.IsLocal(*dir) || clean == ".") {
			return fmt.Errorf("%s %q: write a directory below %s", flag, *dir, b.Dir)
		} else if *dir != "" {
			*dir = clean
		}
	}
	b.at = starting.Place{Address: b.remote}
	if b.checkout != nil {
		if b.at.Branch, b.current, err = b.checkout.Branch(ctx); err != nil {
			return err
		}
	}
	err = b.unfit()
	if len(b.From) == 0 {
		if err != nil {
			b.at.Address = "" // the manifests say that it is to be filled in
		}
		b.at.Branch = cmp.Or(b.at.Branch, "main")
		return nil
	}
	if err != nil {
		return err
	}
	tree, err := b.checkout.At(b.head, b.path)
	b.files = b.checkout.FS(tree)
	return err
}

// unfit says why no fleet can be made of copies here; nil if one can.
func (b *beginning) unfit() error {
	if b.remote == "" {
		return fmt.Errorf("%s is in no git repository with a remote: run this in a clone", b.Dir)
	}
	err := git.CheckAddress(b.remote)
	if err == nil && strings.HasPrefix(b.remote, ".") {
		err = errors.New("it is relative: give the remote one that others reach, too")
	}
	if err != nil {
		return fmt.Errorf("the address of the remote of %s: %w", b.Dir, err)
	}
	if b.head == "" || b.at.Branch == "" {
		return fmt.Errorf("%s has no branch with a commit checked out: commit the copies first", b.Dir)
	}
	return nil
}

// make finds the copies, and makes their blueprints.
func (b *beginning) make(ctx context.Context) (begun *Begun, err error) {
	begun = &Begun{Branch: b.current, Main: b.at.Branch, Manifests: b.Manifests}
	if b.copies, begun.Left, err = starting.Find(b.files, b.From, b.own()); err != nil {
		return nil, err
	}
	if b.Blueprint != "" {
		if len(b.copies) > 1 {
			return nil, fmt.Errorf("--blueprint is for one package, and --from matches copies of %s: name one of them by --from",
				strings.Join(slices.Sorted(maps.Keys(b.copies)), ", "))
		}
		b.Blueprints = strings.TrimSuffix(path.Dir(b.Blueprint), ".")
		for _, copies := range b.copies {
			b.copies = map[string][]starting.Copy{path.Base(b.Blueprint): copies}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.copies)) {
		p := BegunPackage{Name: name, Dir: path.Join(b.Blueprints, name)}
		for _, c := range b.copies[name] {
			if b.of[c.Dir], err = readFiles(b.files, c.Dir); err != nil {
				return nil, err
			}
			if lock := kpt.LockOf(b.of[c.Dir]); lock != nil {
				begun.Left = append(begun.Left, starting.Left{Path: c.Dir, Why: fmt.Sprintf("its Kptfile says already from what "+
					"it was made, %s of %s: add a PackageVariant with adoptionPolicy: adoptExisting for it", lock, lock.Repo)})
				continue
			}
			p.Copies = append(p.Copies, c)
		}
		if b.copies[name] = p.Copies; len(p.Copies) == 0 {
			delete(b.copies, name)
			continue
		}
		if err = b.blueprint(&p); err == nil {
			p.Tag, err = b.next(ctx, path.Join(b.path, p.Dir))
		}
		if err != nil {
			return nil, err
		}
		begun.Packages = append(begun.Packages, p)
	}
	if len(begun.Packages) == 0 {
		return nil, fmt.Errorf("there is no copy that does not say already from what it was made")
	}
	return begun, nil
}

// next returns the tag that the next revision of a blueprint gets.
func (b *beginning) next(ctx context.Context, place string) (string, error) {
	tags, err := b.checkout.Tags(ctx, place+"/v")
	last := 0
	for _, tag := range tags {
		if number, err := strconv.Atoi(strings.TrimPrefix(tag, place+"/v")); err == nil {
			last = max(last, number)
		}
	}
	return fmt.Sprintf("%s/v%d", place, last+1), err
}

// own are the directories in which no copies are.
func (b *beginning) own() []string {
	if b.Blueprint != "" {
		return []string{b.Manifests, b.Blueprint}
	}
	return []string{b.Manifests, b.Blueprints}
}

// blueprint makes the blueprint of a package, or reads it, and pairs the resources of its copies.
func (b *beginning) blueprint(p *BegunPackage) (err error) {
	if b.Blueprint != "" {
		if p.files, err = readFiles(b.files, b.Blueprint); err != nil {
			err = fmt.Errorf("--blueprint has to be a directory of the commit that is checked out: %w", err)
		}
	} else {
		var copies []blueprint.Copy
		for _, c := range p.Copies {
			copies = append(copies, blueprint.Copy{Name: c.Environment, Names: c.Names, Files: b.of[c.Dir]})
		}
		p.Made = blueprint.Of(copies)
		p.files = p.Made.Files
	}
	if err != nil {
		return err
	}
	p.files["Kptfile"] = cmp.Or(p.files["Kptfile"], newKptfile(path.Base(p.Name)))
	var known []string
	for _, c := range p.Copies {
		known = append(known, c.Names...)
	}
	for _, c := range p.Copies {
		paired, err := merging.PairUp(p.files, b.of[c.Dir], merging.Names{Own: c.Names, Known: known})
		if err != nil {
			return fmt.Errorf("%s: %w", c.Dir, err)
		}
		p.Pairings = append(p.Pairings, paired)
	}
	return nil
}

func newKptfile(name string) string {
	return "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + starting.Name(name) + "\n"
}

// written returns the files that are written if the git repository has an address.
func (b *beginning) written(begun *Begun, address string) (map[string]string, error) {
	at := b.at
	at.Address = address
	manifests, err := starting.Fleet(at, b.path, b.Blueprints, b.copies)
	if err != nil {
		return nil, err
	}
	files := inDir(b.Manifests, manifests)
	for _, p := range begun.Packages {
		maps.Copy(files, inDir(p.Dir, p.files))
		lock := &revision.Lock{Repo: address, Directory: path.Join(b.path, p.Dir), Ref: p.Tag}
		for i, c := range p.Copies {
			name := path.Join(c.Dir, "Kptfile")
			was := cmp.Or(b.of[c.Dir]["Kptfile"], newKptfile(path.Base(c.Package)))
			if files[name], err = adopt.Say(was, lock, p.Pairings[i].Pairs); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return files, nil
}

// text returns a file as the commit that is checked out has it.
func (b *beginning) text(name string) (text string, there bool) {
	data, err := fs.ReadFile(b.files, name)
	return string(data), err == nil
}

// plan plans over what is written, as if it were committed and tagged, and returns an error if that changes anything.
func (b *beginning) plan(ctx context.Context, begun *Begun) error {
	temp, err := os.MkdirTemp("", "variants-init-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	origin, clone := filepath.Join(temp, "origin.git"), filepath.Join(temp, "clone")
	files, err := b.written(begun, origin)
	if err != nil {
		return err
	}
	var tags []string
	all := map[string]string{}
	for _, p := range begun.Packages {
		tags = append(tags, p.Tag)
		for _, c := range p.Copies {
			maps.Copy(all, inDir(c.Dir, b.of[c.Dir]))
		}
	}
	maps.Copy(all, files)
	if err = git.Propose(ctx, origin, b.at.Branch, inDir(b.path, all), tags); err == nil {
		err = git.CloneWithoutFiles(ctx, origin, clone)
	}
	dir := filepath.Join(clone, filepath.FromSlash(path.Join(b.path, b.Manifests)))
	if err == nil {
		err = writeNew(filepath.Join(clone, filepath.FromSlash(b.path)), files, nil)
	}
	if err != nil {
		return err
	}
	plan, err := Plan(ctx, Options{Dir: dir, Cache: filepath.Join(temp, "cache")}, true)
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

// inDir returns files below a directory.
func inDir(dir string, files map[string]string) map[string]string {
	out := make(map[string]string, len(files))
	for name, text := range files {
		out[path.Join(dir, name)] = text
	}
	return out
}

// readFiles returns the files below a directory.
func readFiles(files fs.FS, dir string) (map[string]string, error) {
	out := map[string]string{}
	err := fs.WalkDir(files, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		out[strings.TrimPrefix(name, dir+"/")] = string(data)
		return err
	})
	return out, err
}

// writeNew writes files below a directory. Where a file is already, it has to be as in the commit that is checked out,
// of which was returns the files; nil if there are none.
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
	for _, name := range names {
		data, err := root.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if path.Base(name) != "Kptfile" || was == nil {
			return fmt.Errorf("%s is there already: remove it, or name another directory by --fleet or --blueprints", name)
		}
		if known, _ := was(name); known != string(data) {
			return fmt.Errorf("%s is not as in the commit that is checked out: commit it first, or remove it", name)
		}
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
