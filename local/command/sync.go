// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"os"

	"github.com/package-variants/package-variants/engine/visible"
	"github.com/package-variants/package-variants/local/fleet"
	"github.com/package-variants/package-variants/local/forge"
	"github.com/spf13/cobra"
)

const longSync = `Bring the packages of a fleet to what the manifests in DIR ask for: make drafts, each on a branch,
merge what was published into drafts that are open, and give what was merged its tag. What was done is remembered on the
branch package-variants. A second sync changes nothing.

The manifests are those of the commit that is checked out, which has to be on the default branch of DIR's remote, or on
the one that --branch names. Otherwise nothing is done, which is an error unless a later commit was synced already.

A draft of a package with a pipeline of functions in its Kptfile is made with --render only.

A variant whose manifest is gone is removed.

--pull-requests opens, updates and closes pull requests on GitHub, GitLab or Gitea: one for each removal, and each draft
that waits for a person. The token is in GITHUB_TOKEN, GITLAB_TOKEN or GITEA_TOKEN, and goes to the host of DIR's remote
only. What a person writes around the text of the sync stays; one that a person closes comes again when something else
is asked for.

With --reviews, drafts of a wave that wait for nothing but a person, in one git repository, are also on one branch below
reviews/, for people to merge at once.

The JSON has uncommitted; sets and variants with namespace, name, state, reason and message, of which variants have
package, revision, upstream, from, draft, workspace, waits, conflicted, conflicts, injection, review and pullRequest;
reviews with namespace, set, wave, drafts, frozen and pullRequest; removals with namespace, package and pullRequest,
which has repository, branch, base, title, body and number; repositories; packages with namespace, package, text, found
and pushed, which are what happened (did, revision, number, branch, commit, files, why); pullRequests with repository,
did, number, branch and title; notes, refused and failures. A field that says nothing is left out.`

const exampleSync = `  # Make the drafts of a fleet, and publish what was merged since the last sync
  variants sync fleet/

  # The same, with a pull request for each draft
  variants sync fleet/ --pull-requests --labels fleet --reviewers ada,acme/sites`

func newSync(e *env) *cobra.Command {
	var output, by string
	var keep bool
	var how fleet.PullRequests
	cmd := &cobra.Command{Use: "sync DIR", Short: "Bring packages to what a fleet asks for", Long: longSync,
		Example: exampleSync, Args: one("one directory with manifests")}
	e.syncFlags(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "table", "format: table, or json for programs")
	cmd.Flags().StringVar(&by, "reviews", "", "show the drafts of a wave by one branch: wave, or wave,label:`NAME` for "+
		"one for each value of that label of Repositories")
	cmd.Flags().BoolVar(&keep, "pull-requests", false, "open, update and close pull requests on the forge")
	pullRequestFlags(cmd, &how)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if output != "table" && output != "json" {
			return fmt.Errorf("--output %q is neither table nor json", output)
		}
		o, err := e.syncOptions(args[0])
		if err == nil {
			o.PullRequests, err = pullRequests(cmd, keep, &how)
		}
		if err != nil {
			return err
		}
		if by != "" {
			if o.Reviews, err = fleet.ParseReviewBy(by); err != nil {
				return fmt.Errorf("--reviews: %w", err)
			}
		}
		report, err := fleet.Sync(cmd.Context(), o)
		if report == nil {
			return err
		}
		if err = errors.Join(err, e.show(report, output)); err == nil && len(report.Failures) > 0 {
			err = errTold
		} else if err == nil && len(report.Refused) > 0 {
			err = errRefused
		}
		return err
	}
	return cmd
}

// pullRequestFlags adds the flags that say how pull requests are kept.
func pullRequestFlags(cmd *cobra.Command, how *fleet.PullRequests) {
	flags := cmd.Flags()
	flags.StringSliceVar(&how.Labels, "labels", nil, "labels for pull requests, separated by commas")
	flags.StringSliceVar(&how.Reviewers, "reviewers", nil, "accounts that are asked to review pull requests, separated "+
		"by commas; on GitHub and Gitea also teams, as ORGANIZATION/TEAM")
	flags.IntVar(&how.MaxOpen, "max-open", forge.MaxOpen, "how many pull requests are open at once in a git repository")
	flags.StringVar(&how.Forge, "forge", "", "`kind` of the forge of DIR's remote: github, gitlab or gitea, with =URL of "+
		"its start page if that is elsewhere; by default what its host says")
}

// pullRequests returns how pull requests are kept; nil if they are not asked for.
func pullRequests(cmd *cobra.Command, keep bool, how *fleet.PullRequests) (*fleet.PullRequests, error) {
	for _, name := range []string{"labels", "reviewers", "max-open", "forge"} {
		if !keep && cmd.Flags().Changed(name) {
			return nil, fmt.Errorf("--%s is for --pull-requests: say both", name)
		}
	}
	if how.MaxOpen < 1 {
		return nil, fmt.Errorf("--max-open is %d, and must be at least 1", how.MaxOpen)
	}
	if err := forge.CheckSetting(how.Forge); err != nil || !keep {
		return nil, err
	}
	how.Env = os.Getenv
	return how, nil
}

// syncFlags adds the flags of what syncs, or says what a sync would do.
func (e *env) syncFlags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&e.fleet.Removals, "max-removals", fleet.MaxRemovals, "how many variants may be removed at once")
	cmd.Flags().StringVar(&e.fleet.Branch, "branch", "", "`branch` of DIR's remote from which the fleet is synced; by "+
		"default the default branch")
	cmd.Flags().BoolVar(&e.fleet.Render, "render", false, "run the pipelines of packages by kpt: the one in the "+
		"environment variable KPT, or else on the PATH")
}

// syncOptions returns the options of a sync of the fleet in a directory.
func (e *env) syncOptions(dir string) (fleet.Options, error) {
	if e.fleet.Removals < 1 {
		return fleet.Options{}, fmt.Errorf("--max-removals is %d, and must be at least 1", e.fleet.Removals)
	}
	return e.options(dir)
}

// show writes a report.
func (e *env) show(r *fleet.Report, format string) error {
	if format == "json" {
		return visible.JSON(e.Out, r)
	}
	return r.Table(e.Out)
}
