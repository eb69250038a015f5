// SPDX-License-Identifier: Apache-2.0

// Package manifests reads what a fleet is made of from the files of a directory: Repositories, PackageVariantSets,
// PackageVariants, and the objects that they select or inject.
package manifests

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/local/git"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// defaultNamespace is that of what says none and has to have one.
const defaultNamespace = "default"

// Repository is a Repository of a manifest.
type Repository struct {
	objects.Repository
	// Remote is where git finds its git repository: its address, or the directory that a relative address names.
	Remote string
	// CreateBranch says that its branch is made if it is not there.
	CreateBranch bool
	// relative is a relative address as one from the directory with the manifests; "" for any other.
	relative string
	// Problem says why its manifest is not taken. Then nothing else is known of it but some of its metadata.
	Problem error
}

// Canonical returns the canonical address (revision.Canonical), in which a relative one is from the directory with the
// manifests.
func (r *Repository) Canonical() string { return revision.Canonical(cmp.Or(r.relative, r.Address)) }

// Manifests are what the files of a directory have.
type Manifests struct {
	Repositories []Repository
	Variants     []v1alpha1.PackageVariant
	Sets         []v1alpha2.PackageVariantSet
	// Objects are all objects, also those above.
	Objects []*unstructured.Unstructured
	// Problems are why objects are not taken, and not among those above.
	Problems []Problem
	// Packages are the directories below it that are kpt packages, whose files are no manifests.
	Packages []string

	places map[identity]place
	// refused are why objects are not taken, unlabeled why the labels of some are not known, by kind and namespace; unread
	// are the Repositories among them.
	refused, unlabeled map[identity]error
	unread             map[identity]Repository
}

// The kinds of manifests.
var (
	variantKind    = schema.GroupKind{Group: v1alpha1.GroupVersion.Group, Kind: "PackageVariant"}
	setKind        = schema.GroupKind{Group: v1alpha1.GroupVersion.Group, Kind: v1alpha2.PackageVariantSetKind}
	repositoryKind = revision.RepositoryKind.GroupKind()
	ours           = []string{variantKind.Kind, setKind.Kind, repositoryKind.Kind}
)

// ErrNone says that a directory has nothing of a fleet.
var ErrNone = errors.New("no manifests")

// identity is what no two objects share.
type identity struct {
	schema.GroupKind
	namespace, name string
}

// place is where an object is: a file, by its path in the directory, and a line.
type place struct {
	file string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s, line %d", p.file, p.line) }

// Read reads the YAML and JSON files of a directory and all below it. Root is the directory, and dir is what it is
// called: in messages, and to find the git repositories whose addresses begin with a dot. What is hidden, and
// directories below it that are kpt packages, are no manifests. What an API server would refuse is a problem of that
// object. What leaves unknown what a file holds is an error: then nothing is read. What is beyond the bounds of a fleet
// is refused by its size, before it is read.
func Read(root fs.FS, dir string) (*Manifests, error) {
	m := &Manifests{places: map[identity]place{}, refused: map[identity]error{}, unlabeled: map[identity]error{},
		unread: map[identity]Repository{}}
	names, packages, problems := find(root, dir)
	m.Packages = packages
	for values := 0; len(names) > 0 && !m.full(); names = names[1:] {
		text, err := fs.ReadFile(root, names[0])
		if err == nil {
			values += krm.CountValues(map[string]string{names[0]: string(text)})
			err = tooMuch(dir, values, "values in its YAML files", bounds.FleetValues)
		}
		if err != nil {
			problems = append(problems, err)
			break
		}
		for _, d := range split(string(text)) {
			if err := m.add(dir, place{names[0], d.line}, d); err != nil {
				problems = append(problems, err)
			}
			if m.full() {
				break
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	m.drop()
	if len(m.Variants)+len(m.Sets)+len(m.Repositories)+len(m.Problems) == 0 {
		return nil, fmt.Errorf("%s has %w: no Repository, PackageVariantSet or PackageVariant in a YAML file", dir, ErrNone)
	}
	m.sort()
	return m, nil
}

// full reports whether there are more objects than a fleet may have, which the last one was told.
func (m *Manifests) full() bool { return len(m.places) > bounds.FleetObjects }

// tooMuch returns an error if a fleet has more of something than it may have.
func tooMuch(dir string, n int, of string, most int) error {
	if n <= most {
		return nil
	}
	return fmt.Errorf("%s has more than %d %s: move what is no manifest elsewhere, or make several fleets of it", dir,
		most, of)
}

// find returns the YAML and JSON files of a directory and all below it, in order, without those that are not read, and
// why they are not; and the directories that are packages.
func find(root fs.FS, dir string) (names, packages []string, problems []error) {
	entries, size := 0, int64(0)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if entries++; err == nil {
			err = tooMuch(dir, entries, "files and directories", bounds.FleetFiles)
		}
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case strings.HasPrefix(entry.Name(), "."):
			return leftOut(entry)
		case entry.IsDir() && has(root, name, "Kptfile"):
			packages = append(packages, name)
			return fs.SkipDir
		case entry.Type()&(fs.ModeSymlink|fs.ModeIrregular) != 0 || entry.IsDir() && has(root, name, ".git"):
			problems = append(problems, elsewhere(entry, name))
			return leftOut(entry)
		case entry.IsDir() || !isManifest(name):
			return nil
		}
		bytes, problem, err := sizeOf(entry, name)
		if problem != nil || err != nil {
			problems = append(problems, problem)
			return err
		}
		names, size = append(names, name), size+bytes
		return tooMuch(dir, int(size), "bytes in its YAML files", bounds.FleetBytes)
	})
	if err = notThere(err, dir); err != nil {
		return nil, nil, append(problems, err)
	}
	return names, packages, problems
}

// notThere says that a directory is not there, if that is the error.
func notThere(err error, dir string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no directory %s", dir)
	}
	return err
}

// sizeOf returns the size of a file, or why it is not read.
func sizeOf(entry fs.DirEntry, name string) (size int64, problem, err error) {
	if !entry.Type().IsRegular() {
		return 0, fmt.Errorf("%s is a device or a pipe: put a file there", name), nil
	}
	info, err := entry.Info()
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", name, err)
	}
	if info.Size() > bounds.ObjectBytes {
		problem = fmt.Errorf("%s has %d bytes, and may have %d: split it, or move it elsewhere", name, info.Size(),
			bounds.ObjectBytes)
	}
	return info.Size(), problem, nil
}

// leftOut returns what has a walk go on without an entry.
func leftOut(entry fs.DirEntry) error {
	if entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name))
}

// elsewhere returns the error for an entry whose content is elsewhere: a symbolic link, or a submodule.
func elsewhere(entry fs.DirEntry, name string) error {
	what := "submodule"
	if entry.Type()&fs.ModeSymlink != 0 {
		what = "symbolic link"
	}
	return fmt.Errorf("%s is a %s, which is not followed: put the file or the directory itself there", name, what)
}

// has reports whether there is an entry in a directory.
func has(root fs.FS, dir, name string) bool {
	_, err := fs.Stat(root, path.Join(dir, name))
	return err == nil
}

// sort gives objects an order that does not depend on files.
func (m *Manifests) sort() {
	byName := func(a, b metav1.Object) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	}
	slices.SortFunc(m.Repositories, func(a, b Repository) int { return byName(&a, &b) })
	slices.SortFunc(m.Variants, func(a, b v1alpha1.PackageVariant) int { return byName(&a, &b) })
	slices.SortFunc(m.Sets, func(a, b v1alpha2.PackageVariantSet) int { return byName(&a, &b) })
	slices.SortFunc(m.Objects, func(a, b *unstructured.Unstructured) int { return byName(a, b) })
}

// Place says in which file an object is, and in which line of it; "" for one that is in none.
func (m *Manifests) Place(gk schema.GroupKind, namespace, name string) string {
	if at, ok := m.places[identity{gk, namespace, name}]; ok {
		return at.String()
	}
	return ""
}

// source has the objects of manifests. What has a problem, or may be what has one, is not read.
type source struct {
	*objects.Static
	of *Manifests
}

// Source returns the objects that may be injected into packages or select variants: all of them.
func (m *Manifests) Source() objects.Source {
	type kind struct{ apiVersion, kind string }
	type name struct {
		kind
		namespace, name string
	}
	ofKind, named := map[kind][]*unstructured.Unstructured{}, map[name]*unstructured.Unstructured{}
	for _, o := range m.Objects {
		k := kind{o.GetAPIVersion(), o.GetKind()}
		ofKind[k] = append(ofKind[k], o)
		named[name{k, o.GetNamespace(), o.GetName()}] = o
	}
	list := func(_ context.Context, of objects.Kind) (all []*metav1.PartialObjectMetadata, _ error) {
		for _, o := range ofKind[kind{of.APIVersion, of.Kind}] {
			if namespace := o.GetNamespace(); namespace == "" || namespace == of.Namespace {
				all = append(all, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: o.GetName(),
					Namespace: namespace, Labels: o.GetLabels(), Annotations: o.GetAnnotations(),
					ResourceVersion: versionOf(o)}})
			}
		}
		return all, nil
	}
	get := func(_ context.Context, r objects.Reference, namespace string) (map[string]any, error) {
		if o := named[name{kind{r.APIVersion, r.Kind.Kind}, namespace, r.Name}]; o != nil {
			return o.Object, nil
		}
		return nil, nil
	}
	return &source{objects.NewStatic(list, get), m}
}

// Use implements objects.Source.
func (s *source) Use(ctx context.Context, user types.NamespacedName, references []objects.Reference) error {
	for _, r := range references {
		gk := schema.FromAPIVersionAndKind(r.APIVersion, r.Kind.Kind).GroupKind()
		if r.Name == "" {
			if err := s.of.Unselectable(gk, r.Namespace); err != nil {
				return err
			}
		}
		for _, namespace := range []string{r.Namespace, ""} {
			for _, name := range []string{r.Name, ""} {
				if err := s.of.ProblemOf(gk, namespace, name); err != nil {
					return err
				}
			}
		}
	}
	return s.Static.Use(ctx, user, references)
}

// Add implements objects.Source.
func (s *source) Add(ctx context.Context, user types.NamespacedName, references []objects.Reference) error {
	return s.Use(ctx, user, references)
}

// versionOf identifies the content of an object.
func versionOf(o *unstructured.Unstructured) string {
	text, _ := json.Marshal(o.Object) // it was read from JSON
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// repositoryOf returns a Repository as the engine and git know it.
func repositoryOf(dir string, at place, r *repositoryManifest) (Repository, error) {
	spec := r.Spec.Git
	switch {
	case r.Spec.Type != "" && r.Spec.Type != "git":
		return Repository{}, fmt.Errorf("spec.type: it is %q, and packages are kept in git here", r.Spec.Type)
	case spec == nil || spec.Repo == "":
		return Repository{}, errors.New("spec.git.repo: it is missing: it is the address of the git repository")
	case slices.Contains(strings.Split(spec.Directory, "/"), ".."):
		return Repository{}, fmt.Errorf("spec.git.directory: it is %q, and has to be a directory of the git repository",
			spec.Directory)
	}
	if err := git.CheckAddress(spec.Repo); err != nil {
		return Repository{}, fmt.Errorf("spec.git.repo: %w", err)
	}
	for _, part := range [][2]string{{"directory", spec.Directory}, {"branch", spec.Branch}} {
		if name := strings.Trim(part[1], "/"); name != "" && !git.IsRefName("refs/heads/"+name) {
			return Repository{}, fmt.Errorf("spec.git.%s: it is %q, which git takes for no part of the name of a branch: "+
				"rename it", part[0], name)
		}
	}
	out := Repository{Remote: spec.Repo, CreateBranch: spec.CreateBranch, Repository: objects.Repository{
		ObjectMeta: r.ObjectMeta, Repository: revision.Repository{Ready: true, Deployment: r.Spec.Deployment,
			Address: spec.Repo, Branch: spec.Branch, Directory: spec.Directory}}}
	if out.Branch == "" {
		out.Branch = "main"
	}
	if strings.HasPrefix(spec.Repo, "./") || strings.HasPrefix(spec.Repo, "../") {
		file := filepath.Join(dir, filepath.FromSlash(at.file))
		remote, err := filepath.Abs(filepath.Join(filepath.Dir(file), filepath.FromSlash(spec.Repo)))
		if err != nil {
			return Repository{}, err
		}
		out.Remote, out.relative = remote, "./"+path.Join(path.Dir(at.file), spec.Repo)
	}
	return out, nil
}
