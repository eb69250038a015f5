// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/package-variants/package-variants/engine/status"
	"github.com/package-variants/package-variants/local/fleet"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
)

const longStatus = `Show where the packages of the fleet in DIR stand, or in the directory that is the current one: for
each package what is published and which revision of the blueprint is in it, the newest revision of the blueprint, and
for whom or what it waits, since when, and on which branch. Conflicts, and injection points that nothing fills, follow.
Waves and variants are as of the last sync; branches and tags are as they are now. It writes nothing.

` + status.Long + `

Exit code: 0, or 2 if there was an error.`

const exampleStatus = `  # Who waits for what?
  variants status fleet/

  # One wave of a rollout
  variants status fleet/ --set web --wave europe

  # A page for everybody
  variants status fleet/ -o html > fleet.html`

func newStatus(e *env) *cobra.Command {
	var output, namespace, selector string
	var filter status.Filter
	cmd := &cobra.Command{Use: "status [DIR]", Short: "Show where packages stand, and who waits for whom",
		Long: longStatus, Example: exampleStatus, Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			e.fleet.Dir = "."
			if len(args) > 0 {
				e.fleet.Dir = args[0]
			}
			if err := status.CheckFormat(output); err != nil {
				return err
			}
			if selector != "" {
				if filter.Labels, err = labels.Parse(selector); err != nil {
					return fmt.Errorf("--selector %q is not one: %w", selector, err)
				}
			}
			err = e.open(cmd.Context(), func(f *fleet.Fleet) error {
				all, err := f.Status(cmd.Context(), namespace)
				if err == nil {
					err = filter.Check(all...)
				}
				if err != nil {
					return err
				}
				return status.Of(time.Now(), filter, all...).Print(e.Out, output)
			})
			if errors.Is(err, errDiffers) { // something is not contacted, as was said
				err = nil
			}
			return err
		}}
	flags := cmd.Flags()
	flags.StringVarP(&namespace, "namespace", "n", "", "only this namespace")
	flags.StringVarP(&selector, "selector", "l", "",
		"choose the PackageVariants with these labels; the syntax is that of kubectl get")
	flags.StringVar(&filter.Set, "set", "", "choose the PackageVariants of this PackageVariantSet")
	flags.StringVar(&filter.Wave, "wave", "", "with --set, choose only the PackageVariants in this wave of the rollout")
	flags.StringVarP(&output, "output", "o", "text", "format: "+strings.Join(status.Formats, ", "))
	return cmd
}
