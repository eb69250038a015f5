// SPDX-License-Identifier: Apache-2.0

package reviews

import (
	"slices"

	"github.com/package-variants/package-variants/local/git"
)

// Branch is a branch of a git repository.
type Branch struct{ Repository, Ref string }

// Found is where a branch was seen, "" for nowhere, and whether the main branch has all that it has.
type Found struct {
	At     git.Hash
	Merged bool
}

// What is done with the branch of a review.
const (
	// Keep leaves it as it is.
	Keep = iota
	// Make writes it anew, on the main branch as it is now.
	Make
	// End removes it.
	End
)

// Step is a review as it is to be remembered, and what is to be done with its branch, which was seen at At; "" for
// nowhere. A review that is not to be remembered has no members.
type Step struct {
	Review
	Do int
	At git.Hash
}

// Decide returns what is to be done with the reviews that are remembered, and with those that the drafts make. Branches
// are the branches of reviews that were seen; of a git repository that could not be read, there are no candidates, and
// known is false.
func Decide(remembered []Review, branches map[Branch]Found, candidates []Candidate,
	known func(repository string) bool) []Step {
	d := decision{open: map[Draft]*Candidate{}, taken: map[Draft]bool{}, branches: branches}
	for i := range candidates {
		d.open[candidates[i].Draft] = &candidates[i]
	}
	used := map[Branch]bool{}
	for i := range remembered {
		r := remembered[i]
		branch := Branch{r.Repository, r.Ref()}
		used[branch] = true
		switch {
		case !known(r.Repository):
			d.steps = append(d.steps, Step{Review: r})
		case r.isForeign(branches[branch].At):
			r.Members = nil
			d.steps = append(d.steps, Step{Review: r})
		default:
			d.again(r)
		}
	}
	for ref := range branches {
		used[ref] = true
	}
	d.begin(candidates, used)
	return d.steps
}

type decision struct {
	open map[Draft]*Candidate
	// taken are the drafts that are in a review, or were.
	taken    map[Draft]bool
	branches map[Branch]Found
	steps    []Step
}

// again decides on a review that is remembered.
func (d *decision) again(r Review) {
	found := d.branches[Branch{r.Repository, r.Ref()}]
	isFormer := r.see(found)
	members, changed := d.members(&r)
	r.Over = d.left(&r) == 0 // all are published, rejected, or made for another revision
	step := Step{Review: r, At: found.At}
	switch {
	case r.Closed:
		if found.At != "" {
			step.Do = End
		}
		if r.Over {
			step.Members = nil
		}
	case r.Frozen:
	case r.Over || len(members) < 2:
		if step.Members = nil; found.At != "" {
			step.Do = End
		}
	case changed || isFormer:
		if step.Members, step.Do = members, Make; found.At == r.Tip {
			step.Former = append(slices.Clip(r.Former), r.Tip)
		}
	}
	for i := 0; i < len(step.Members) && !r.Over; i++ {
		d.taken[step.Members[i].Draft] = true
	}
	d.steps = append(d.steps, step)
}

// see notes where the branch of a review was seen, and reports whether that is what it was before the sync made Tip.
func (r *Review) see(found Found) (isFormer bool) {
	at := found.At
	switch {
	case at == r.Tip && !r.Frozen:
		r.Seen, r.Closed = true, false
	case slices.Contains(r.Former, at), at == "" && !r.Seen && len(r.Former) == 0:
		r.Frozen, r.Closed = false, false
		return true
	case at == "" || found.Merged:
		r.Closed = true
	default:
		if !r.Frozen {
			r.Former = append(slices.Clip(r.Former), r.Tip)
		}
		r.Frozen, r.Seen, r.Tip, r.Closed = true, true, at, false
	}
	return false
}

// isForeign reports whether the branch of a review that was never seen is somebody else's, who made it meanwhile.
func (r *Review) isForeign(at git.Hash) bool {
	return len(r.Former) == 0 && !r.Seen && at != "" && at != r.Tip
}

// members returns the members of a review that are still fit for it, as they are now, and whether that changes it.
func (d *decision) members(r *Review) (members []Member, changed bool) {
	for _, before := range r.Members {
		now := d.open[before.Draft]
		if now == nil || now.Alone != "" || now.Group != r.Group {
			changed = true
			continue
		}
		changed = changed || now.Tree != before.Tree || now.Main != before.Main || now.Directory != before.Directory
		members = append(members, now.Member)
	}
	return members, changed
}

// left returns how many members of a review are still open for its revision.
func (d *decision) left(r *Review) (n int) {
	for i := range r.Members {
		if now := d.open[r.Members[i].Draft]; now != nil && now.Group == r.Group {
			n++
		}
	}
	return n
}

// begin begins reviews of drafts that are in none.
func (d *decision) begin(candidates []Candidate, used map[Branch]bool) {
	groups := map[Group][]Member{}
	var order []Group
	for i := range candidates {
		c := &candidates[i]
		if c.Alone != "" || d.taken[c.Draft] {
			continue
		}
		if groups[c.Group] == nil {
			order = append(order, c.Group)
		}
		groups[c.Group] = append(groups[c.Group], c.Member)
	}
	slices.SortFunc(order, func(a, b Group) int { return a.compare(&b) })
	for _, g := range order {
		members := groups[g]
		if len(members) < 2 {
			continue
		}
		slices.SortFunc(members, func(a, b Member) int { return a.compare(&b.Draft) })
		part := 1
		for used[Branch{g.Repository, g.Ref(part)}] {
			part++
		}
		used[Branch{g.Repository, g.Ref(part)}] = true
		d.steps = append(d.steps, Step{Review: Review{Group: g, Part: part, Members: members}, Do: Make})
	}
}
