// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"flag"

	"github.com/package-variants/package-variants/sync-controller/internal/options"
)

const flagsIntroduction = "What `sync-controller --help` prints. They stand under `args` in `6-deployment.yaml`."

// flagsPage returns the page of the controller's flags.
func flagsPage() string {
	var rows [][]string
	(&options.Options{}).Flags().VisitAll(func(f *flag.Flag) {
		kind, usage := flag.UnquoteUsage(f)
		if kind == "" {
			kind = "bool"
		}
		rows = append(rows, []string{code("--" + f.Name), kind, code(f.DefValue), plain(usage)})
	})
	return page("The flags of the controller", "the flags of sync-controller", flagsIntroduction) +
		table([]string{"flag", "type", "default", "meaning"}, rows)
}
