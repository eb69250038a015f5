// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/engine/changes"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// draft is a package revision with its files, and with those that it is compared with.
type draft struct {
	Draft
	files, before map[string]string
}

// draft returns the changes of a revision compared with base, a revision before the plan or the same one; nil if the
// revision is gone.
func (p *planner) draft(ctx context.Context, namespace, name, base string) (*draft, error) {
	r, err := p.world.Packages.Get(ctx, namespace, name)
	if errors.Is(err, packages.ErrAbsent) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	now, err := p.world.Packages.Read(ctx, namespace, name)
	if err != nil {
		return nil, err
	}
	before, err := p.world.Packages.Original(ctx, namespace, base)
	if err != nil {
		return nil, err
	}
	return &draft{files: now.Files, before: before, Draft: Draft{Name: name, Workspace: r.Workspace,
		Lifecycle: string(r.Lifecycle), Total: len(now.Files), Files: compare(before, now.Files)}}, nil
}

// compare returns the files that differ, sorted by path.
func compare(before, after map[string]string) (out []File) {
	all := maps.Clone(before)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, after)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		was, there := before[path]
		is, stays := after[path]
		f := File{Path: path, Change: "changed"}
		switch {
		case there && stays && was == is:
			continue
		case !there:
			f.Change = "added"
		case !stays:
			f.Change = "removed"
		}
		out = append(out, f)
	}
	return out
}

// find adds what is different in the drafts of a variant: its conflicts, and if that was asked for, its changes.
func (p *planner) find(ctx context.Context, r *record, v *Variant, drafts []*draft) error {
	one := changes.Package{Name: p.title(v), Conflicts: v.Conflicts}
	for i, d := range drafts {
		if one.After = d.files; p.Files {
			one.Before = d.before
		} else {
			one.Before = d.files
		}
		if i > 0 { // they are the variant's, and not the draft's
			one.Conflicts = nil
		}
		if !p.Files && len(one.Conflicts) == 0 {
			continue
		}
		if err := p.know(ctx, r, v, &one); err != nil {
			return err
		}
		p.finder.Add(&one)
	}
	if len(drafts) == 0 && len(v.Conflicts) > 0 {
		p.finder.Add(&one)
	}
	return nil
}

// know adds the values that are a package's own, and the files of its upstream if a conflict is about a whole file.
func (p *planner) know(ctx context.Context, r *record, v *Variant, one *changes.Package) error {
	repo, err := p.world.Objects.Repository(ctx, v.Namespace, v.Repo)
	if err != nil {
		return err
	}
	var labels map[string]string
	if repo != nil {
		labels = repo.Labels
	}
	one.Own = changes.Own(v.Repo, labels, one.After)
	if v.Upstream == nil || !one.NeedsUpstream() {
		return nil
	}
	one.Upstream, err = p.world.Packages.Original(ctx, r.key.Namespace, v.Upstream.To)
	return err
}

// title names the package of a variant, with the namespace if the plan has several.
func (p *planner) title(v *Variant) string {
	name := v.Name
	if v.Repo != "" {
		name = revision.Package{Repo: v.Repo, Name: v.Package}.String()
	}
	if p.spread {
		return v.Namespace + "/" + name
	}
	return name
}
