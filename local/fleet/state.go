// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/home"
	"github.com/package-variants/package-variants/local/ledger"
	"github.com/package-variants/package-variants/local/reviews"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// State is what a fleet needs to know from one sync to the next.
type State struct {
	// Commit is the one of the fleet's directory that was synced last; "" if it was in none.
	Commit git.Hash
	// Seen are the branches with packages as they were seen last.
	Seen home.Seen
	// Same are the git repositories that are others by another address.
	Same home.Same
	// Addresses are those of the git repositories that were synced.
	Addresses []string
	Sets      map[types.NamespacedName]v1alpha2.PackageVariantSet
	Variants  map[types.NamespacedName]RecordedVariant
	Packages  ledger.Ledger
	// Reviews are the branches that show several drafts.
	Reviews []reviews.Review
}

// RecordedVariant is a variant as it was.
type RecordedVariant struct {
	// Manifest says that it was in a manifest, and not made by a set.
	Manifest                bool `json:"manifest,omitempty"`
	v1alpha1.PackageVariant `json:",inline"`
}

// The files of a state.
const (
	fleetFile    = "fleet.json"
	packagesFile = "packages.jsonl"
	reviewsFile  = "reviews.json"
	setsDir      = "sets"
	variantsDir  = "variants"
)

// fleetState is what fleetFile has.
type fleetState struct {
	Fleet     string        `json:"fleet"`
	Commit    git.Hash      `json:"commit,omitempty"`
	Addresses []string      `json:"addresses,omitempty"`
	Branches  []seenBranch  `json:"branches,omitempty"`
	Same      home.Same     `json:"same,omitempty"`
	Packages  ledger.Digest `json:"packages"`
}

// seenBranch is a branch with packages.
type seenBranch struct {
	Address string   `json:"address"`
	Branch  string   `json:"branch"`
	Commit  git.Hash `json:"commit"`
}

// branchesOf returns the branches with packages, sorted.
func branchesOf(seen home.Seen) (all []seenBranch) {
	for b, commit := range seen {
		all = append(all, seenBranch{b.Address, b.Name, commit})
	}
	slices.SortFunc(all, func(a, b seenBranch) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.Branch, b.Branch))
	})
	return all
}

// newState returns a state without anything.
func newState() *State {
	return &State{Sets: map[types.NamespacedName]v1alpha2.PackageVariantSet{},
		Variants: map[types.NamespacedName]RecordedVariant{}, Packages: ledger.Ledger{}}
}

// written are the objects that files of a state were read as, or written from, by the names of the files: what has not
// changed is not written again.
type written map[string]struct {
	of     any
	blob   git.Hash
	digest ledger.Digest
}

// put writes an object, or takes what was read of it.
func (w written) put(to *git.Repository, name string, value any) (git.Hash, error) {
	if known := w[name]; equality.Semantic.DeepEqual(known.of, value) {
		return known.blob, nil
	}
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return "", err
	}
	blob := to.PutBlob(string(text) + "\n")
	w.keep(name, value, blob)
	return blob, nil
}

func (w written) keep(name string, value any, blob git.Hash) {
	known := w[name]
	known.of, known.blob = value, blob
	w[name] = known
}

// encode puts the files of a state into a repository.
func (s *State) encode(fleet string, to *git.Repository, known written) (map[string]git.Hash, error) {
	files := map[string]git.Hash{}
	put := func(name string, value any) (err error) {
		files[name], err = known.put(to, name, value)
		return err
	}
	about := fleetState{Fleet: fleet, Commit: s.Commit, Addresses: s.Addresses, Branches: branchesOf(s.Seen),
		Same: s.Same}
	packages := known[packagesFile]
	if of, is := packages.of.(ledger.Ledger); !is || !reflect.DeepEqual(of, s.Packages) {
		text, digest, err := s.Packages.Encode()
		if err != nil {
			return nil, err
		}
		packages.of, packages.blob, packages.digest = maps.Clone(s.Packages), to.PutBlob(text), digest
		known[packagesFile] = packages
	}
	files[packagesFile], about.Packages = packages.blob, packages.digest
	if err := put(fleetFile, about); err != nil {
		return nil, err
	}
	if len(s.Reviews) > 0 {
		if err := put(reviewsFile, s.Reviews); err != nil {
			return nil, err
		}
	}
	for key, set := range s.Sets {
		set.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha2.GroupVersion.String(), Kind: setKind}
		forget(&set.ObjectMeta)
		if err := put(fileOf(setsDir, key), set); err != nil {
			return nil, err
		}
	}
	for key, pv := range s.Variants {
		pv.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: variantKind}
		forget(&pv.ObjectMeta)
		if err := put(fileOf(variantsDir, key), pv); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// forget drops what follows from the rest.
func forget(o *metav1.ObjectMeta) { o.UID, o.ResourceVersion = "", "" }

func fileOf(dir string, key types.NamespacedName) string {
	return path.Join(dir, key.Namespace, key.Name+".json")
}

// decode reads the files of a state, which are all of those that encode returned, or none, and keeps what they are.
func decode(files map[string]file, known written) (*State, error) {
	s := newState()
	if len(files) == 0 {
		return s, nil
	}
	var about fleetState
	for _, name := range []string{fleetFile, packagesFile} {
		if _, there := files[name]; !there {
			return nil, fmt.Errorf("%s: it is missing", name)
		}
	}
	if err := ledger.Unmarshal(files[fleetFile].text, &about); err != nil {
		return nil, fmt.Errorf("%s: %w", fleetFile, err)
	}
	if about.Fleet == "" {
		return nil, fmt.Errorf("%s: %w", fleetFile, errEmpty)
	}
	s.Commit, s.Addresses, s.Same, s.Seen = about.Commit, about.Addresses, about.Same, home.Seen{}
	for _, b := range about.Branches {
		s.Seen[home.Branch{Address: b.Address, Name: b.Branch}] = b.Commit
	}
	var err error
	if s.Packages, err = ledger.Decode(files[packagesFile].text, about.Packages); err != nil {
		return nil, fmt.Errorf("%s: %w", packagesFile, err)
	}
	if recorded, there := files[reviewsFile]; there {
		if err := ledger.Unmarshal(recorded.text, &s.Reviews); err != nil {
			return nil, fmt.Errorf("%s: %w", reviewsFile, err)
		}
	}
	if err := s.addAll(files, known); err != nil {
		return nil, err
	}
	packages := known[packagesFile]
	packages.of, packages.blob, packages.digest = maps.Clone(s.Packages), files[packagesFile].blob, about.Packages
	known[packagesFile] = packages
	return s, nil
}

// addAll adds the files of sets and variants. To read them takes longest of all that a sync without changes does, so
// they are read by all processors.
func (s *State) addAll(files map[string]file, known written) error {
	names := sortedNames(files)
	read, errs := make([]any, len(names)), make([]error, len(names))
	var all sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := worker; i < len(names); i += runtime.GOMAXPROCS(0) {
				read[i], errs[i] = readFile(names[i], files[names[i]].text)
			}
		})
	}
	all.Wait()
	for i, name := range names {
		switch v := read[i].(type) {
		case v1alpha2.PackageVariantSet:
			s.Sets[objects.KeyOf(&v)] = v
		case RecordedVariant:
			s.Variants[objects.KeyOf(&v)] = v
		}
		if errs[i] != nil {
			return fmt.Errorf("%s: %w", name, errs[i])
		}
		known.keep(name, read[i], files[name].blob)
	}
	return nil
}

// errEmpty says of a file that it was emptied, or is not the one that was written.
var errEmpty = errors.New("it does not have what was written there")

// readFile reads a file of a set or a variant; nil for another file.
func readFile(name, text string) (any, error) {
	var set v1alpha2.PackageVariantSet
	var pv RecordedVariant
	var err error
	switch {
	case strings.HasPrefix(name, setsDir+"/"):
		if err = ledger.Unmarshal(text, &set); err == nil && name != fileOf(setsDir, objects.KeyOf(&set)) {
			err = errEmpty
		}
		return set, err
	case strings.HasPrefix(name, variantsDir+"/"):
		if err = ledger.Unmarshal(text, &pv); err == nil && name != fileOf(variantsDir, objects.KeyOf(&pv)) {
			err = errEmpty
		}
		return pv, err
	}
	return nil, nil
}
