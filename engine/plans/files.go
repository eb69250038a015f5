// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/pmezard/go-difflib/difflib"
)

// draft is a package revision with its files.
type draft struct {
	Draft
	files map[string]string
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
	d := &draft{files: now.Files, Draft: Draft{Name: name, Workspace: r.Workspace, Lifecycle: string(r.Lifecycle),
		Total: len(now.Files)}}
	d.Files, err = p.compare(before, now.Files)
	return d, err
}

// compare returns the files that differ, sorted by path.
func (p *planner) compare(before, after map[string]string) ([]File, error) {
	all := maps.Clone(before)
	maps.Copy(all, after)
	var out []File
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
		if p.Diffs {
			var err error
			if f.Diff, err = diff(path, was, is); err != nil {
				return nil, err
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// diff returns a unified diff.
func diff(path, before, after string) (string, error) {
	return difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: lines(before), B: lines(after), FromFile: "a/" + path, ToFile: "b/" + path, Context: 3,
	})
}

// lines returns the lines of a text, each with a line end.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	out := difflib.SplitLines(text)
	if out[len(out)-1] == "\n" { // the library adds a line
		out = out[:len(out)-1]
	}
	return out
}
