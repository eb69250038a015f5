// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/review"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/local/fleet"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
)

const longApprove = `Publish drafts: merge each into the branch of its Repository, give it the next tag, and remove its
own branch. The command first shows each draft: what it was made from, how many files it changes, its conflicts, and the
conditions of its variant. Then it asks for confirmation, unless --yes is given. A draft that people edited is published
as it is on its branch.

DRAFT is a package, as variants sync prints it, for all of its drafts; or the name of a variant or of a draft.

The command refuses a draft that is not what its variant asks for, or that is older than what is published: run variants
sync first. It also refuses a draft with conflicts or with unmet readiness gates, unless a flag allows them. If
it refuses any, the exit code is 2, but it still approves the others. If only the forge may change the branch, the draft
stays, for its pull request to be merged. A wave of a rollout is approved in the manifest of its set.`

const exampleApprove = `  # Look at the draft of a package, and publish it
  variants approve fra/web --dir fleet/

  # Look at what is different in the drafts of a wave, and publish those that are whole
  variants approve --set web --wave europe --dir fleet/`

const longReject = `Reject drafts: remove their branches. The command first shows what it will reject, and asks for
confirmation, unless --yes is given. The next sync notes the rejection: the same draft is not made again until the
upstream revision, the spec, or an injected object changes. To take that back, restore the branch.

DRAFT is a package, as variants sync prints it, for all of its drafts; or the name of a variant or of a draft.`

const exampleReject = `  # Reject the draft of a package
  variants reject fra/web --dir fleet/`

// action is approve or reject.
type action struct {
	verb, done string
	items      func(*review.Input) []review.Item
	do         func(*fleet.Fleet, context.Context, *revision.Revision) error
	// more says more of a revision for which it is done.
	more func(*fleet.Fleet, *revision.Revision) string
}

// reviewOptions are the flags of the commands.
type reviewOptions struct {
	yes, allowConflicts, allowGates bool
	// set and wave are whose drafts are approved; "" for those that are named.
	set, wave string
}

func newApprove(e *env) *cobra.Command {
	cmd, o := reviewCommand(e, &action{"approve", "approved", review.Approvals, (*fleet.Fleet).Approve,
		func(*fleet.Fleet, *revision.Revision) string { return "" }})
	cmd.Short, cmd.Long, cmd.Example = "Review and publish drafts", longApprove, exampleApprove
	cmd.Flags().StringVar(&o.set, "set", "", "approve the drafts of this PackageVariantSet that are as the sync made "+
		"them, and wait for nothing but a person")
	cmd.Flags().StringVar(&o.wave, "wave", "", "with --set, those of this wave of its rollout")
	cmd.Flags().BoolVar(&o.allowConflicts, "allow-conflicts", false,
		"also approve drafts with values that the upstream and the package both changed")
	cmd.Flags().BoolVar(&o.allowGates, "allow-unmet-gates", false,
		"also approve drafts with readiness gates that are not met")
	return cmd
}

func newReject(e *env) *cobra.Command {
	all := func(in *review.Input) []review.Item { return in.Items(func(*revision.Revision) string { return "" }) }
	cmd, _ := reviewCommand(e, &action{"reject", "rejected", all, (*fleet.Fleet).Reject,
		func(f *fleet.Fleet, r *revision.Revision) string {
			return fmt.Sprintf(": its branch %s was at %s", f.BranchesOf(r).Branch, r.Commit)
		}})
	cmd.Short, cmd.Long, cmd.Example = "Reject drafts, until something else is asked for", longReject, exampleReject
	return cmd
}

func reviewCommand(e *env, a *action) (*cobra.Command, *reviewOptions) {
	o := &reviewOptions{}
	cmd := &cobra.Command{Use: a.verb + " DRAFT...",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.set != "" && len(args) == 0 {
				return nil
			}
			if o.set != "" || o.wave != "" {
				return errors.New("--set takes no packages or drafts, and --wave is for --set")
			}
			return some("packages or drafts")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.open(cmd.Context(), func(f *fleet.Fleet) error {
				if o.set != "" {
					return e.approveSet(cmd.Context(), f, a, o)
				}
				return e.review(cmd.Context(), f, a, o, args)
			})
		}}
	e.fleetFlags(cmd)
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask for confirmation")
	return cmd, o
}

// review shows the drafts that names stand for, asks for confirmation, and acts. It acts in memory before it shows
// them: what is shown is what is pushed.
func (e *env) review(ctx context.Context, f *fleet.Fleet, a *action, o *reviewOptions, names []string) error {
	var items []review.Item
	for _, name := range names {
		more, err := e.itemsOf(ctx, f, a, o, name)
		if err != nil {
			return err
		}
		for i := range more {
			if !slices.ContainsFunc(items, func(other review.Item) bool { return more[i].Same(&other) }) {
				items = append(items, more[i])
			}
		}
	}
	return e.act(ctx, f, a, o, items)
}

// act acts on items in memory, shows them, asks for confirmation, and pushes.
func (e *env) act(ctx context.Context, f *fleet.Fleet, a *action, o *reviewOptions, items []review.Item) error {
	var todo []*revision.Revision
	for i := range items {
		item := &items[i]
		if item.Target != nil && item.Refused == "" {
			if err := a.do(f, ctx, item.Target); err != nil {
				item.Refused = err.Error()
			} else {
				todo = append(todo, item.Target)
			}
		}
		if o.set != "" && item.Refused == "" { // its changes are shown with those of others
			continue
		}
		if _, err := fmt.Fprint(e.Out, krm.Visible(review.Show(item))); err != nil {
			return err
		}
	}
	_, refused := review.Summary(items)
	if len(todo) == 0 {
		return review.NotDone(a.done, 0, refused)
	}
	question := a.verb + " " + words.Count(len(todo), "package revision") + "?"
	if err := e.Confirm(question, o.yes); err != nil {
		return err
	}
	failed := f.Push(ctx, todo)
	var errs []error
	for _, r := range todo {
		if err := failed[types.NamespacedName{Namespace: r.Namespace, Name: r.Name}]; err != nil {
			errs = append(errs, fmt.Errorf("%s is not %s: %w", r.Name, a.done, err))
			continue
		}
		fmt.Fprintf(e.Out, "%s %s%s\n", krm.Visible(r.Name), a.done, krm.Visible(a.more(f, r)))
	}
	return errors.Join(append(errs, review.NotDone(a.done, len(errs), refused))...)
}

// approveSet publishes the drafts of a set, or of one wave of it, that wait for nothing but a person: what is different
// in them is shown once. It ends with the line that approves the wave.
func (e *env) approveSet(ctx context.Context, f *fleet.Fleet, a *action, o *reviewOptions) error {
	of, err := f.InWave(ctx, e.namespace, o.set, o.wave)
	if err != nil {
		return err
	}
	all, err := of.Whole.Distinct(review.Published)
	if err == nil && len(of.Whole.Variants) > 0 {
		err = e.PrintChanges(all, false)
	}
	if err != nil {
		return err
	}
	for _, name := range of.Others {
		fmt.Fprintf(e.Out, "%s: its draft is to be looked at for itself: variants approve %[1]s%[2]s\n", krm.Visible(name),
			krm.Visible(f.Words().Flags))
	}
	var items []review.Item
	for i := range of.Whole.Variants {
		more, err := e.itemsOf(ctx, f, a, o, of.Whole.Variants[i].Name)
		if err != nil {
			return err
		}
		items = append(items, more...)
	}
	err = e.act(ctx, f, a, o, items)
	if of.Approval != "" {
		fmt.Fprintf(e.Out, "To approve the wave, annotate the set in its manifest: %s: %s\n", v1alpha2.ApproveWaveAnnotation,
			of.Approval)
	}
	return err
}

// itemsOf returns the items that a name stands for.
func (e *env) itemsOf(ctx context.Context, f *fleet.Fleet, a *action, o *reviewOptions, name string) ([]review.Item,
	error) {
	chosen, err := f.Choose(ctx, e.namespace, name)
	if err != nil {
		return nil, err
	}
	in, err := f.Input(ctx, chosen.PackageVariant)
	if err != nil {
		return nil, err
	}
	in.AllowConflicts, in.AllowGates = o.allowConflicts, o.allowGates
	var items []review.Item
	for _, item := range a.items(in) {
		if chosen.Draft == "" || item.Target != nil && item.Target.Name == chosen.Draft {
			items = append(items, item)
		}
	}
	return items, nil
}
