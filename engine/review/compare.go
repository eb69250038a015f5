// SPDX-License-Identifier: Apache-2.0

package review

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// What a draft is compared with.
const (
	Published = "published"
	Upstream  = "upstream"
)

// Pair names two revisions to compare; From is "" where there is nothing to compare with.
type Pair struct{ From, To string }

// Pairs returns the pairs to compare for a variant: each open revision of its package with the latest published one,
// or with the upstream in its spec. The note says why there is nothing to compare.
func Pairs(pv *v1alpha1.PackageVariant, revisions []revision.Revision, against string) ([]Pair, string, error) {
	pkg := revision.DownstreamOf(&pv.Spec)
	var known []revision.Revision
	for i := range revisions {
		if revisions[i].Package == pkg && !revisions[i].Main() {
			known = append(known, revisions[i])
		}
	}
	latest := revision.LatestPublished(known)
	open := slices.DeleteFunc(slices.Clone(known), func(r revision.Revision) bool { return !r.Open() })
	from := ""
	switch {
	case against == Upstream:
		asked := revision.Upstream(pv.Spec.Upstream, revisions)
		if asked == nil {
			return nil, "", fmt.Errorf("there is no %s, which %s asks for: see its condition Stalled",
				pv.Spec.Upstream.Describe(), pv.Name)
		}
		from = asked.Name
		if len(open) == 0 && latest != nil {
			open = []revision.Revision{*latest}
		}
	case latest != nil:
		from = latest.Name
	}
	if len(open) == 0 {
		is := "it has no package yet"
		if latest != nil {
			is = latest.Name + " is published"
		}
		return nil, fmt.Sprintf("%s has no draft: %s", pv.Name, is), nil
	}
	var pairs []Pair
	for i := range open {
		pairs = append(pairs, Pair{from, open[i].Name})
	}
	return pairs, "", nil
}

// PrintConflicts writes the three sides of each conflict in the status, and says which of them the open draft has. It
// reads the files of that.
func PrintConflicts(w io.Writer, pv *v1alpha1.PackageVariant, read func(name string) (map[string]string, error)) error {
	var files map[string]string
	if draft := pv.Status.OpenDraft; draft != nil && len(pv.Status.Conflicts) > 0 {
		var err error
		if files, err = read(draft.Name); err != nil {
			return err
		}
	}
	for i := range pv.Status.Conflicts {
		conflict := &pv.Status.Conflicts[i]
		var place []string
		for _, part := range []string{conflict.File, conflict.Resource, conflict.Field} {
			if part != "" {
				place = append(place, krm.Visible(part))
			}
		}
		mark := map[string]string{}
		if side := merging.Held(files, &merging.Conflict{File: conflict.File, Resource: conflict.Resource,
			Field: conflict.Field, Local: conflict.Local, Updated: conflict.Updated}); side != "" && files != nil {
			mark[side] = "  (in the draft)"
		}
		_, err := fmt.Fprintf(w, "conflict in %s\n  original: %s\n  local:    %s%s\n  updated:  %s%s\n",
			strings.Join(place, ", "), orAbsent(conflict.Original), orAbsent(conflict.Local), mark[merging.SideLocal],
			orAbsent(conflict.Updated), mark[merging.SideUpstream])
		if err != nil {
			return err
		}
	}
	if len(pv.Status.Conflicts) == v1alpha1.MaxConflicts {
		_, err := fmt.Fprintln(w, andMore)
		return err
	}
	return nil
}

func orAbsent(value string) string {
	if value == "" {
		return "(absent)"
	}
	return krm.Visible(value)
}

// Side is one side of a comparison: the files of a package revision, under the name of their directory.
type Side struct {
	Name  string
	Files map[string]string
}

// Shown returns both sides in a form that is safe to show with any program: control characters and direction overrides
// are escaped. Backslashes beside them are doubled, so files that differ still do.
func Shown(from, to Side) (Side, Side) {
	names := slices.Concat(slices.Collect(maps.Keys(from.Files)), slices.Collect(maps.Keys(to.Files)))
	hidden := func(text string) bool { return krm.Visible(text) != text }
	hiddenName := slices.ContainsFunc(names, hidden)
	out := [2]Side{{from.Name, map[string]string{}}, {to.Name, map[string]string{}}}
	for _, name := range names {
		changes := hidden(from.Files[name]) || hidden(to.Files[name])
		for i, s := range []Side{from, to} {
			if text, there := s.Files[name]; there {
				out[i].Files[escaped(name, hiddenName)] = escaped(text, changes)
			}
		}
	}
	return out[0], out[1]
}

// escaped returns a text in a form that is safe to show. In texts with something to escape, it doubles the backslashes.
func escaped(text string, beside bool) string {
	if !beside {
		return text
	}
	return krm.Visible(strings.ReplaceAll(text, `\`, `\\`))
}
