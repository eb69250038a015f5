// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/plans/show"
	"github.com/package-variants/package-variants/local/fleet"
	"github.com/package-variants/package-variants/local/forge"
	"github.com/spf13/cobra"
)

const longPlan = `Say what sync will do with the manifests in DIR once they are on the default branch.
For each variant, that is whether its package is created, upgraded, merged, edited, adopted, published, pruned or
deleted, whether it stays as it is, or what the variant waits for. It writes nothing.

Exit code: 0 if there is nothing to do, 1 if there is something to do, 2 if there was an error, or if a set or a variant
fails, for example by becoming Stalled. One that was Stalled before and stays so is no failure. What people have merged
is published by the next sync in any case: a note says so, and it counts as nothing to do.

With --comment, in a job that GitHub, GitLab or Gitea runs for a pull request, the plan is also a comment there, in the
place of the one of the last job, and something to do is no failure: the exit code is 0 or 2. The token is in
GITHUB_TOKEN, GITLAB_TOKEN or GITEA_TOKEN.`

const examplePlan = `  # What would sync do?
  variants plan fleet/

  # The same, with what is different in the files, each change once
  variants plan fleet/ --files

  # As a comment on the pull request of the job that runs it, and as a web page
  variants plan fleet/ --files --comment
  variants plan fleet/ -o html > plan.html`

func newPlan(e *env) *cobra.Command {
	var format string
	var files, names, comments bool
	cmd := &cobra.Command{Use: "plan DIR", Short: "Say what sync will do, and write nothing", Long: longPlan,
		Example: examplePlan, Args: one("one directory with manifests")}
	e.syncFlags(cmd)
	cmd.Flags().StringVarP(&format, "output", "o", "text", "format: "+strings.Join(show.Formats, ", "))
	cmd.Flags().BoolVar(&files, "files", false, "show the distinct changes of the packages' files")
	cmd.Flags().BoolVar(&names, "names", false, "name all packages in text, and not only the first that say the same")
	cmd.Flags().BoolVar(&comments, "comment", false, "make the plan a comment on the pull request of the job that runs it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := show.CheckFormat(format); err != nil {
			return err
		}
		o, err := e.syncOptions(args[0])
		if err != nil {
			return err
		}
		var job *forge.Job
		if comments {
			if job, err = forge.JobOf(os.Getenv); err != nil {
				return err
			}
		}
		plan, err := fleet.Plan(cmd.Context(), o, files || format == "html")
		if err != nil {
			about := plans.About{Over: "the fleet in " + args[0], Time: time.Now()}
			return errors.Join(err, show.Failure(e.Out, format, &about, err), comment(cmd.Context(), job, args[0],
				func(to io.Writer) error { return show.Failure(to, "markdown", &about, err) }))
		}
		changes, err := e.PrintPlan(plan, format, names)
		if changes && job == nil {
			err = errDiffers
		}
		return errors.Join(err, comment(cmd.Context(), job, args[0], func(to io.Writer) error {
			return show.Markdown(to, plan)
		}))
	}
	return cmd
}

// comment makes what is written a comment on the pull request of a job, in the place of an earlier one about the same
// directory. Without a job it does nothing.
func comment(ctx context.Context, job *forge.Job, dir string, write func(to io.Writer) error) error {
	if job == nil {
		return nil
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	return job.Comment(ctx, filepath.Clean(dir), text.String())
}
