// SPDX-License-Identifier: Apache-2.0

package forge

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/engine/markdown"
)

// Result is what came of the pull requests of a git repository.
type Result struct {
	// Done is what was done.
	Done []Outcome
	// Numbers are those of the open pull requests of branches that are wanted.
	Numbers map[string]int
	// Left is how many were not opened, because so many are open.
	Left int
	// Refused are the calls that failed. What was not done is done by the next sync.
	Refused []error
}

// Outcome is what was done about a pull request.
type Outcome struct {
	Did    Did    `json:"did"`
	Number int    `json:"number"`
	Branch string `json:"branch"`
	Title  string `json:"title"`
}

// Sync opens, updates and closes pull requests of a fleet until they are as wanted: at most so many are open. Those of
// branches that the fleet itself removed, and that are gone, may come again: forges close them with their branch.
func (r *Repository) Sync(ctx context.Context, fleet string, wanted []Wanted, gone []string, most int) *Result {
	out := &Result{Numbers: map[string]int{}}
	open, err := r.Open(ctx)
	if err != nil {
		out.Refused = append(out.Refused, err)
		return out
	}
	calls, left, err := Plan(fleet, wanted, open, func(branch string) ([]PullRequest, error) {
		return r.Ended(ctx, branch)
	}, most)
	if err != nil {
		out.Refused = append(out.Refused, err)
	}
	out.Left = left
	for i := range open {
		out.Numbers[open[i].Branch] = open[i].Number
	}
	for i := range calls {
		c := &calls[i]
		number, err := r.do(ctx, fleet, c, out.Numbers)
		if number > 0 {
			out.Done = append(out.Done, Outcome{c.Did, number, c.branch(), c.title})
		}
		if err != nil {
			out.Refused = append(out.Refused, fmt.Errorf("the pull request of %s: %w", c.branch(), err))
		}
	}
	for _, branch := range gone {
		if err := r.forget(ctx, fleet, branch); err != nil {
			out.Refused = append(out.Refused, fmt.Errorf("the pull request of %s: %w", branch, err))
		}
	}
	return out
}

// forget has the closed pull requests of a branch say no more what they were about.
func (r *Repository) forget(ctx context.Context, fleet, branch string) error {
	before, err := r.Ended(ctx, branch)
	for i := range before {
		p := &before[i]
		m := read(p.Body)
		if p.Branch != branch || p.State != Closed || m == nil || m.fleet != digest(fleet) || m.of == "" {
			continue
		}
		c := end(p, m, nil).change
		c.close = false
		if err := r.update(ctx, p, &c); err != nil {
			return err
		}
	}
	return err
}

// branch is the branch of the pull request.
func (c *Call) branch() string {
	if c.Is != nil {
		return c.Is.Branch
	}
	return c.Wanted.Branch
}

// do makes a call, and returns the number of the pull request; 0 if nothing was done.
func (r *Repository) do(ctx context.Context, fleet string, c *Call, numbers map[string]int) (int, error) {
	switch c.Did {
	case Opened:
		made, err := r.create(ctx, c.Wanted.Branch, c.Wanted.Base, &c.change)
		if err != nil || made == nil {
			return 0, err
		}
		numbers[made.Branch] = made.Number
		for _, more := range c.Wanted.update(fleet, made) { // what can be asked for once it is there
			err = r.update(ctx, made, &more.change)
		}
		return made.Number, err
	case Updated:
		if err := r.update(ctx, c.Is, &c.change); err != nil {
			return 0, err
		}
	case Ended:
		if err := r.update(ctx, c.Is, &c.change); err != nil {
			return 0, err
		}
		delete(numbers, c.Is.Branch)
		return c.Is.Number, r.say(ctx, c.Is.Number, r.farewell(c, numbers))
	}
	return c.Is.Number, nil
}

// farewell says why a pull request was closed.
func (r *Repository) farewell(c *Call, numbers map[string]int) string {
	switch {
	case c.By == nil:
		return "No variant asks for this branch any more."
	case numbers[c.By.Branch] > 0:
		return "It is reviewed in " + r.reference(numbers[c.By.Branch]) + ", with others."
	}
	return "It is reviewed with others, in the branch " + markdown.Code(c.By.Branch) + "."
}
