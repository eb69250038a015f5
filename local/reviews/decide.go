// SPDX-License-Identifier: Apache-2.0

package reviews

import (
	"slices"

	"github.com/package-variants/package-variants/local/git"
)

// Branch is a branch of a git repository.
type Branch struct{ Repository, Ref string }

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
// has where the branches of reviews were seen; of a git repository that could not be read, there are no candidates, and
// known is false.
func Decide(remembered []Review, branches map[Branch]git.Hash, candidates []Candidate,
	known func(repository string) bool) []Step {
	d := decision{open: map[Draft]*Candidate{}, taken: map[Draft]bool{}, branches: branches}
	for i := range candidates {
		d.open[candidates[i].Draft] = &candidates[i]
	}
	used := map[Branch]bool{}
	for i := range remembered {
		r := remembered[i]
		used[Branch{r.Repository, r.Ref()}] = true
		if !known(r.Repository) {
			d.steps = append(d.steps, Step{Review: r})
			continue
		}
		d.again(r)
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
	branches map[Branch]git.Hash
	steps    []Step
}

// again decides on a review that is remembered.
func (d *decision) again(r Review) {
	at := d.branches[Branch{r.Repository, r.Ref()}]
	lost := at == r.Before && !r.Seen && at != r.Tip          // what was announced did not arrive
	if r.Before == "" && !r.Seen && at != "" && at != r.Tip { // somebody else made a branch of that name meanwhile
		r.Members = nil
		d.steps = append(d.steps, Step{Review: r})
		return
	}
	r.Closed = r.Closed && at == ""
	switch {
	case r.Closed:
	case at == r.Tip:
		r.Seen = true
	case lost:
	case at == "":
		r.Closed = true
	default:
		r.Frozen, r.Seen, r.Tip = true, true, at
	}
	members, changed := d.members(&r)
	left := d.left(&r)
	step := Step{Review: r, At: at}
	switch {
	case left == 0 && !r.Frozen && !r.Closed: // all are published, rejected, or made for another revision
		step.Members, step.Do = nil, End
	case left == 0:
		step.Members = nil
	case r.Frozen || r.Closed:
	case len(members) < 2:
		step.Members, step.Do = nil, End
	case changed || lost:
		step.Members, step.Do = members, Make
	}
	if step.Do == End && at == "" {
		step.Do = Keep
	}
	if len(step.Members) > 0 {
		for i := range step.Members {
			d.taken[step.Members[i].Draft] = true
		}
	}
	d.steps = append(d.steps, step)
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
		slices.SortFunc(members, func(a, b Member) int { return a.Draft.compare(&b.Draft) })
		part := 1
		for used[Branch{g.Repository, g.Ref(part)}] {
			part++
		}
		used[Branch{g.Repository, g.Ref(part)}] = true
		d.steps = append(d.steps, Step{Review: Review{Group: g, Part: part, Members: members}, Do: Make})
	}
}
