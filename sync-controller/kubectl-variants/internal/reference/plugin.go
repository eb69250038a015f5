// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"strings"

	local "github.com/package-variants/package-variants/local/command"
	"github.com/package-variants/package-variants/local/programs"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/command"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

const pluginIntroduction = "The output of `--help` for each command. [kubectl variants](../plugin.md) shows the " +
	"commands in use."

// pluginPage returns the page of the plugin: a section for each command.
func pluginPage() string {
	root := command.New(cli.New(genericiooptions.NewTestIOStreamsDiscard()))
	out := page("The commands of kubectl variants", "the commands of the plugin", pluginIntroduction)
	out += commandSections(root)
	return out + "\n## Flags of all commands\n\nEvery command also accepts these flags of kubectl.\n" +
		flagTable(root.PersistentFlags())
}

const localIntroduction = "The output of `--help` for each command. [Use package variants with git](../use-git.md) " +
	"shows the commands in use."

// localPage returns the page of variants: a section for each command.
func localPage() string {
	root := local.New(programs.Streams{})
	out := page("The commands of variants", "the commands of variants", localIntroduction)
	return out + commandSections(root) + "\n## Flags of all commands\n" + flagTable(root.PersistentFlags())
}

// commandSections returns a section for each command.
func commandSections(root *cobra.Command) (out string) {
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			out += commandSection(c)
		}
	}
	return out
}

func commandSection(c *cobra.Command) string {
	out := "\n## " + c.Parent().DisplayName() + " " + c.Name() + "\n\n" + strings.TrimSpace(c.Long) + "\n" +
		"\n```text\n" + c.UseLine() + "\n```\n"
	if c.Example != "" {
		out += "\n```bash\n" + strings.ReplaceAll(strings.TrimSpace("\n"+c.Example), "\n  ", "\n") + "\n```\n"
	}
	if own := c.NonInheritedFlags(); own.HasAvailableFlags() {
		out += flagTable(own)
	}
	return out
}

// flagTable returns a table of flags, as their help has them.
func flagTable(flags *pflag.FlagSet) string {
	var rows [][]string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		if kind == "" {
			kind = "bool"
		}
		name := code("--" + f.Name)
		if f.Shorthand != "" {
			name = code("-"+f.Shorthand) + ", " + name
		}
		value := f.DefValue
		if value == "[]" {
			value = ""
		}
		rows = append(rows, []string{name, kind, code(value), plain(usage)})
	})
	return table([]string{"flag", "type", "default", "meaning"}, rows)
}
