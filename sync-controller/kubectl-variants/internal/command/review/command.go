// SPDX-License-Identifier: Apache-2.0

// Package review has the commands kubectl variants approve and kubectl variants reject: what is done is shown before.
package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/review"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/spf13/cobra"
)

const longApprove = `Publish the drafts of PackageVariants. The command first shows each draft: what it was made from,
how many files it changes, its conflicts, and the conditions of its variant. Then it asks for confirmation, unless --yes
is given.

The command refuses a draft that is not what its variant asks for: the variant is not Ready, the pipeline failed, or the
draft was not made from the revision that the upstream stands for now. It also refuses a draft with conflicts or with
unmet readiness gates, unless a flag allows them. If it refuses any, the exit code is 2, but it still approves the
others. Porch refuses a draft that has changed since it was shown.

With --set and --wave, the command also approves the wave, if the wave asks for approval and none of its drafts is
refused. The approval is for the revision that is being rolled out, and is stored in the annotation
` + v1alpha2.ApproveWaveAnnotation + ` of the set.`

const exampleApprove = `  # Look at the draft of a variant, and approve it
  kubectl variants approve edge-web

  # Approve the drafts of all variants in Europe without asking
  kubectl variants approve -l region=eu --yes

  # Approve a wave of a rollout: its drafts, and the wave itself
  kubectl variants approve --set fleet --wave canary`

const longReject = `Turn proposed package revisions of PackageVariants back into drafts. The command first shows what it
will reject, and asks for confirmation, unless --yes is given. A controller that proposes drafts by
spec.approvalPolicy does not propose a rejected one again until its content changes.`

const exampleReject = `  # Reject the proposed revision of a variant
  kubectl variants reject edge-web`

// options are the flags of the commands.
type options struct {
	live.Selection
	yes, allowConflicts, allowGates bool
}

// action is approve or reject.
type action struct {
	verb, done string
	items      func(*review.Input) []review.Item
	do         func(context.Context, *live.Cluster, *revision.Revision) error
}

var (
	approve = action{"approve", "approved", review.Approvals, publish}
	reject  = action{"reject", "rejected", review.Rejections, withdraw}
)

// NewApprove returns the command approve.
func NewApprove(env *cli.Env) *cobra.Command {
	cmd, o := command(env, approve)
	cmd.Short, cmd.Long, cmd.Example = "Review and publish the drafts of variants", longApprove, exampleApprove
	cmd.Flags().BoolVar(&o.allowConflicts, "allow-conflicts", false,
		"also approve drafts with values that the upstream and the package both changed")
	cmd.Flags().BoolVar(&o.allowGates, "allow-unmet-gates", false,
		"also approve drafts with readiness gates that are not met")
	return cmd
}

// NewReject returns the command reject.
func NewReject(env *cli.Env) *cobra.Command {
	cmd, _ := command(env, reject)
	cmd.Short, cmd.Long = "Turn proposed package revisions of variants back into drafts", longReject
	cmd.Example = exampleReject
	return cmd
}

func command(env *cli.Env, a action) (*cobra.Command, *options) {
	o := &options{}
	cmd := &cobra.Command{
		Use: a.verb + " [NAME...] [--selector LABELS | --set NAME [--wave NAME]]",
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(cmd.Context(), env, a, o, args)
		},
		ValidArgsFunction: live.Names(env, live.VariantNames),
	}
	o.AddFlags(cmd.Flags(), true)
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask for confirmation")
	live.CompleteFlags(env, cmd)
	return cmd, o
}

// run gathers the drafts, shows them, asks for confirmation, and acts.
func run(ctx context.Context, env *cli.Env, a action, o *options, args []string) error {
	if err := o.Check(len(args)); err != nil {
		return err
	}
	var names []string
	for _, arg := range args {
		of, err := naming.Parse(arg, live.Variant)
		if err != nil {
			return err
		}
		names = append(names, of.Name)
	}
	c, err := live.Open(env)
	if err != nil {
		return err
	}
	variants, set, err := o.Variants(ctx, c, names)
	if err != nil {
		return err
	}
	items, err := gather(ctx, c, a, o, variants)
	if err != nil {
		return err
	}
	for i := range items {
		if _, err := fmt.Fprint(env.Out, krm.Visible(review.Show(&items[i]))); err != nil {
			return err
		}
	}
	return finish(ctx, env, c, a, o, set, items)
}

// finish asks for confirmation and does what was shown.
func finish(ctx context.Context, env *cli.Env, c *live.Cluster, a action, o *options,
	set *v1alpha2.PackageVariantSet, items []review.Item) error {
	todo, refused := review.Summary(items)
	wave, err := waveToApprove(env, a, o, set, refused)
	if err != nil {
		return err
	}
	question := subject(todo, wave)
	if question == "" {
		return errors.Join(review.NotDone(a.done, 0, refused), wave.Early)
	}
	if todo > 0 {
		if err := c.May(ctx, "patch", live.Revision, "approval"); err != nil {
			return err
		}
	}
	streams := env.Streams()
	if err := streams.Confirm(krm.Visible(fmt.Sprintf("%s %s?", a.verb, question)), o.yes); err != nil {
		return err
	}
	errs := doAll(ctx, env, c, a, items)
	if len(errs) > 0 || refused > 0 {
		return errors.Join(append(errs, review.NotDone(a.done, len(errs), refused))...)
	}
	if wave.Value == "" {
		return wave.Early
	}
	return annotate(ctx, env, c, set, o.Wave, wave)
}

// waveToApprove returns the approval of the wave in the command line, and says so if there is nothing to approve. It
// approves no wave in which anything is refused.
func waveToApprove(env *cli.Env, a action, o *options, set *v1alpha2.PackageVariantSet, refused int) (Wave, error) {
	if a.verb != approve.verb || o.Wave == "" {
		return Wave{}, nil
	}
	wave, err := ApproveWave(set, o.Wave)
	if err != nil || refused > 0 {
		return Wave{}, err
	}
	if wave.Told != "" && wave.Value == "" {
		fmt.Fprintln(env.Out, krm.Visible(wave.Told))
	}
	return wave, nil
}

// subject names what will be approved or rejected; "" if nothing.
func subject(todo int, wave Wave) string {
	var parts []string
	if todo > 0 {
		parts = append(parts, words.Count(todo, "package revision"))
	}
	if wave.Value != "" {
		parts = append(parts, wave.Told)
	}
	return strings.Join(parts, " and ")
}

// doAll acts on each item that is not refused, one after the other. A failed item does not stop the others.
func doAll(ctx context.Context, env *cli.Env, c *live.Cluster, a action, items []review.Item) []error {
	var errs []error
	for i := range items {
		t := items[i].Target
		if t == nil || items[i].Refused != "" {
			continue
		}
		if err := a.do(ctx, c, t); err != nil {
			errs = append(errs, err)
			continue
		}
		fmt.Fprintf(env.Out, "packagerevision/%s %s\n", t.Name, a.done)
	}
	return errs
}

// publish proposes a draft and approves the proposal. Porch refuses if the draft changed since it was shown.
func publish(ctx context.Context, c *live.Cluster, r *revision.Revision) error {
	proposed := *r
	if r.Lifecycle == revision.Draft {
		var err error
		if proposed, err = c.Porch.Move(ctx, r, revision.Proposed); err != nil {
			return live.Explain(err, live.Call{Verb: "patch", Kind: live.Revision, Namespace: c.Namespace})
		}
	}
	return lifecycle(ctx, c, &proposed, revision.Published)
}

// withdraw makes a proposed revision a draft again.
func withdraw(ctx context.Context, c *live.Cluster, r *revision.Revision) error {
	return lifecycle(ctx, c, r, revision.Draft)
}

func lifecycle(ctx context.Context, c *live.Cluster, r *revision.Revision, to revision.Lifecycle) error {
	_, err := c.Porch.Move(ctx, r, to)
	return live.Explain(err, live.Call{Verb: "patch", Kind: live.Revision, Subresource: "approval",
		Namespace: c.Namespace})
}
