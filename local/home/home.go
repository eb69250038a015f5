// SPDX-License-Identifier: Apache-2.0

// Package home is the port packages of the engine over plain git repositories: drafts are branches, published
// revisions are tags, and what is on the branch of a Repository is what is deployed. A round of work begins with
// Fetch and ends with Push; what is written in between is seen at once, and nowhere else.
package home

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
	"github.com/package-variants/package-variants/local/manifests"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// branch returns the ref of the branch.
func (r *repository) branch() string { return branches + r.Branch }

// place returns the directory of a package in the git repository.
func (r *repository) place(pkg string) string { return placeIn(r.Directory, pkg) }

// placeIn returns the path in the git repository of a package in a directory.
func placeIn(directory, pkg string) string { return strings.Trim(path.Join(directory, pkg), "/") }

// key names a Repository or a revision.
type key struct{ namespace, name string }

// Home implements packages.Home. Its methods may be called at once.
type Home struct {
	fleet        string
	mu           sync.Mutex
	repositories map[key]*repository
	// named are the Repositories by the address that their manifests name, as locks do, in order.
	named  map[string][]*repository
	clones []*clone
	ledger ledger.Ledger
	// began are the entries as the round began: what has not been pushed yet is not known to be anywhere.
	began ledger.Ledger
	// seen are the branches as they were seen last, replaced those that are other ones by now.
	seen     Seen
	replaced map[Branch]bool
	// waits says of packages why they wait for a person, since their branch is another one.
	waits map[ledger.Key]string
	// same are the git repositories that are others by another address, before has 1 for each Repository that had its
	// place when the Home began.
	same   Same
	before map[key]int
	// proposed are the drafts that are proposed, with the trees that were: nobody else sees that.
	proposed map[id]git.Hash
	// again are the drafts of which the merge was refused before this home began, and is tried again.
	again map[id]bool
	// renewed are the drafts that are made again in this round.
	renewed map[id]*renewal
	// nobodys are the drafts that were left to people.
	nobodys map[id]bool
	// left is what is to be told about drafts that belong to no variant any more.
	left []string
	// judged is what Settle found out about drafts.
	judged map[id]judgement
	index  index
	memo   *kpt.Memo
	// contact is that of Options.
	contact func(address string) error
}

var _ packages.Lister = (*Home)(nil)

// repository is a Repository with the clone of its git repository.
type repository struct {
	manifests.Repository
	*clone
	// located is where its packages are, by the address that counts. Holder is the Repository that has this place; nil if
	// this one has it.
	located ledger.Place
	holder  *repository
	// known are the revisions of packages as far as they were asked for.
	known map[string][]found
}

// Options are what a Home needs.
type Options struct {
	// Cache is the directory for clones.
	Cache string
	// Fleet names the manifests that the variants are from, in commits.
	Fleet        string
	Repositories []manifests.Repository
	// Identity says who commits; nil for whom git commits as everywhere.
	Identity git.Identity
	// Ledger is the one that the Home had at its end; nil for none.
	Ledger ledger.Ledger
	// Seen are the branches as the Home saw them at its end; nil for none.
	Seen Seen
	// Same are the git repositories that are others by another address, as the Home knew at its end; nil for none.
	Same Same
	// Contact returns why the git repository of an address is not contacted; nil if it is, as all are without Contact.
	Contact func(address string) error
}

// New returns a home. It reads nothing before Fetch.
func New(o Options) *Home {
	h := &Home{fleet: o.Fleet, repositories: map[key]*repository{}, named: map[string][]*repository{},
		ledger: maps.Clone(o.Ledger), seen: o.Seen, proposed: map[id]git.Hash{}, nobodys: map[id]bool{},
		memo: kpt.NewMemo(), contact: o.Contact,
		same: maps.Clone(o.Same)}
	if h.same == nil {
		h.same = Same{}
	}
	if h.contact == nil {
		h.contact = func(string) error { return nil }
	}
	if h.ledger == nil {
		h.ledger = ledger.Ledger{}
	}
	byRemote, kept := map[string]*clone{}, newContents()
	for _, r := range o.Repositories { // each is reached as its own manifest says
		if r.Problem != nil {
			h.repositories[key{r.Namespace, r.Name}] = &repository{Repository: r, clone: &clone{err: r.Problem}}
			continue
		}
		if byRemote[r.Remote] == nil {
			byRemote[r.Remote] = newClone(&o, r.Remote, kept)
			h.clones = append(h.clones, byRemote[r.Remote])
		}
		in := &repository{Repository: r, clone: byRemote[r.Remote]}
		root := strings.Trim(in.Root(), "/")
		in.repositories, in.roots[root] = append(in.repositories, in), append(in.roots[root], in)
		h.repositories[key{r.Namespace, r.Name}] = in
	}
	for _, k := range slices.SortedFunc(maps.Keys(h.repositories), compareKeys) {
		address := revision.Canonical(h.repositories[k].Address)
		h.named[address] = append(h.named[address], h.repositories[k])
	}
	h.assign()
	h.forget()
	return h
}

// Close ends what reads the clones. What was not pushed is forgotten.
func (h *Home) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, c := range h.clones {
		if c.git != nil {
			errs = append(errs, c.git.Close())
		}
	}
	return errors.Join(errs...)
}

// Fetch begins a round: it reads where the branches and tags of all git repositories are, at once. What was not
// pushed is forgotten. A repository that cannot be read does not keep the others from being read: it is told of by
// the calls for its packages.
func (h *Home) Fetch(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all sync.WaitGroup
	for _, c := range h.clones {
		all.Go(func() { c.fetch(ctx, h.contact) })
	}
	all.Wait()
	h.findSame(ctx)
	h.assign()
	h.began = maps.Clone(h.ledger)
	h.proposed, h.judged, h.renewed = map[id]git.Hash{}, map[id]judgement{}, map[id]*renewal{}
	h.forget()
	return ctx.Err()
}

// List implements packages.Lister.
func (h *Home) List(ctx context.Context, namespace string, of revision.Package) (_ []revision.Revision, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	r, err := h.repository(namespace, of.Repo)
	if err != nil {
		return nil, err
	}
	found, err := h.revisions(ctx, r, of.Name)
	if err != nil {
		return nil, err
	}
	out := make([]revision.Revision, len(found))
	for i := range found {
		out[i] = found[i].Revision
	}
	return out, nil
}

// Get implements packages.Home.
func (h *Home) Get(ctx context.Context, namespace, name string) (_ revision.Revision, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	f, err := h.find(ctx, namespace, name)
	if err != nil {
		return revision.Revision{}, err
	}
	return f.Revision, nil
}

// Read implements packages.Home.
func (h *Home) Read(ctx context.Context, namespace, name string) (_ packages.Content, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	f, err := h.find(ctx, namespace, name)
	if err != nil {
		return packages.Content{}, err
	}
	if err := h.belowDraft(ctx, f); err != nil {
		return packages.Content{}, err
	}
	return h.content(f)
}

// failed returns an error of a kind of the port.
func failed(kind error, format string, args ...any) error {
	e := &packages.Error{Kind: kind, Err: fmt.Errorf(format, args...)}
	if errors.Is(kind, packages.ErrUnavailable) {
		e.Condition = v1alpha1.Reconciling(v1alpha1.ReasonRepositoryNotReady, e.Error())
	}
	return e
}

// classify makes an error of a call one of a kind of the port: what git fails to read is unavailable.
func classify(err *error) {
	var known *packages.Error
	if *err != nil && !errors.As(*err, &known) && !errors.Is(*err, context.Canceled) &&
		!errors.Is(*err, context.DeadlineExceeded) {
		*err = failed(packages.ErrUnavailable, "%w", *err)
	}
}

// content returns the files of a revision.
func (h *Home) content(f *found) (packages.Content, error) {
	content := packages.Unread(&f.Revision)
	files, err := f.files()
	switch {
	case err != nil:
		return packages.Content{}, err
	case len(files.texts) == 0 && f.Open():
		return packages.Content{}, packages.Unusable(f.Name, v1alpha1.ReasonPackageRefused, fmt.Errorf("its branch %s has "+
			"no %s: restore the directory there, or delete the branch, which rejects the draft",
			strings.TrimPrefix(f.ref(), branches), f.path))
	case !files.isPackage():
		return packages.Content{}, noKptfile(f)
	case !f.Open(): // what is wrong with an open draft, its functions say
		if err := checkKptfile(files.texts[kptfile]); err != nil {
			return packages.Content{}, packages.Unusable(f.Name, v1alpha1.ReasonPackageRefused, fmt.Errorf("%s/%s: %w",
				f.path, kptfile, err))
		}
	}
	content.Files = maps.Clone(files.texts)
	return content, nil
}

// noKptfile returns the error of a revision whose directory is no package.
func noKptfile(f *found) error {
	err := fmt.Errorf("the directory %s has no Kptfile there, so it is no package: add one, as kpt pkg init does", f.path)
	if f.number > 0 {
		next := f.in.next(f.path, 1)
		err = fmt.Errorf("the tag %s is at a commit whose directory %s has no Kptfile, so it is no package: publish a "+
			"commit that has one by the tag %s, or put the tag back if it was moved", strings.TrimPrefix(f.ref(), tags), f.path,
			strings.TrimPrefix(next.ref(), tags))
	}
	return packages.Unusable(f.Name, v1alpha1.ReasonPackageRefused, err)
}

// checkKptfile returns what is wrong with the text of a Kptfile that is no YAML, or of something else.
func checkKptfile(text string) error {
	var read struct{ Kind string }
	err := yaml.Unmarshal([]byte(text), &read)
	switch {
	case err != nil:
	case strings.TrimSpace(text) == "":
		err = errors.New("it is empty")
	case read.Kind != kptfile:
		err = fmt.Errorf("it is of the kind %q, not %s", read.Kind, kptfile)
	default:
		return nil
	}
	return fmt.Errorf("%w: correct it, and publish that as another version", err)
}

// repository returns a Repository that can be read.
func (h *Home) repository(namespace, name string) (*repository, error) {
	r := h.repositories[key{namespace, name}]
	if r == nil {
		return nil, failed(packages.ErrAbsent, "there is no Repository %s", name)
	}
	if r.err != nil {
		return nil, failed(packages.ErrUnavailable, "Repository %s: %w", name, r.err)
	}
	return r, r.problem()
}

// found is a revision, with where it is.
type found struct {
	revision.Revision
	in *repository
	place
	tree git.Hash
	// made is what the commits say of who made a draft.
	made
	// tagged reports whether its tag, or its commit, is one that a sync has made.
	tagged bool
	// unread is why nothing is known of it but its ref.
	unread error
}

// find returns the revision of a name.
func (h *Home) find(ctx context.Context, namespace, name string) (*found, error) {
	all, err := h.lookUp(ctx, namespace, value{byName, name})
	switch {
	case err != nil:
		return nil, err
	case len(all) > 1:
		return nil, failed(packages.ErrRefused, "%s and %s have revisions of the same name %s: give one of the Repositories "+
			"another name", all[0].Package, all[1].Package, name)
	case len(all) == 1:
		return all[0], nil
	}
	for i := range name { // it may be in one that cannot be read
		if r := h.repositories[key{namespace, name[:i]}]; name[i] == '.' && r != nil && r.problem() != nil {
			_, err := h.repository(namespace, r.Name)
			return nil, err
		}
	}
	return nil, failed(packages.ErrAbsent, "there is no package revision %s", name)
}

// at returns the revision of a package with a workspace.
func (h *Home) at(ctx context.Context, m member, workspace string) (*found, error) {
	all, err := h.revisions(ctx, m.in, m.pkg)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Workspace == workspace {
			return &all[i], nil
		}
	}
	return nil, failed(packages.ErrAbsent, "%s has no revision %s", m.key().Of(), workspace)
}
