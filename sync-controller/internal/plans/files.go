// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"context"
	"maps"
	"slices"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/pmezard/go-difflib/difflib"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// draft is a package revision with its files.
type draft struct {
	Draft
	files map[string]string
}

// draft returns the changes of a revision compared with base, a revision before the plan or the same one; nil if the
// revision is gone.
func (p *planner) draft(ctx context.Context, namespace, name, base string) (*draft, error) {
	key := types.NamespacedName{Namespace: namespace, Name: name}
	var pr porchapi.PackageRevision
	if err := p.world.Get(ctx, key, &pr); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var now porchapi.PackageRevisionResources
	if err := p.world.Get(ctx, key, &now); err != nil {
		return nil, err
	}
	before, err := p.world.Original(ctx, types.NamespacedName{Namespace: namespace, Name: base})
	if err != nil {
		return nil, err
	}
	d := &draft{files: now.Spec.Resources, Draft: Draft{Name: name, Workspace: pr.Spec.WorkspaceName,
		Lifecycle: string(pr.Spec.Lifecycle), Total: len(now.Spec.Resources)}}
	d.Files, err = p.compare(before, now.Spec.Resources)
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
