// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/spf13/cobra"
)

// completeWithin limits how long a shell waits for names from a cluster that does not answer.
const completeWithin = 3 * time.Second

// Names completes an argument or a flag in a shell with the names that list returns, except those already given. After
// an error there are no names: a shell cannot show it.
func Names(env *cli.Env, list func(context.Context, *Cluster) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		c, err := Open(env)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completeWithin)
		defer cancel()
		names, err := list(ctx, c)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		slices.Sort(names)
		return slices.DeleteFunc(names, func(name string) bool {
			return !strings.HasPrefix(name, toComplete) || slices.Contains(args, name)
		}), cobra.ShellCompDirectiveNoFileComp
	}
}

// First completes only the first argument in a shell.
func First(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, toComplete)
	}
}

// VariantNames lists the names of PackageVariants, for Names.
func VariantNames(ctx context.Context, c *Cluster) ([]string, error) {
	variants, err := c.Variants(ctx)
	var names []string
	for i := range variants {
		names = append(names, variants[i].Name)
	}
	return names, err
}

// SetNames lists the names of PackageVariantSets, for Names.
func SetNames(ctx context.Context, c *Cluster) ([]string, error) {
	sets, err := c.Sets(ctx)
	var names []string
	for i := range sets {
		names = append(names, sets[i].Name)
	}
	return names, err
}

// TypedNames lists PackageVariants by name, and PackageVariantSets as TYPE/NAME, for Names.
func TypedNames(ctx context.Context, c *Cluster) ([]string, error) {
	names, err := VariantNames(ctx, c)
	if err != nil {
		return nil, err
	}
	sets, err := SetNames(ctx, c)
	for _, set := range sets {
		names = append(names, "packagevariantset/"+set)
	}
	return names, err
}

// CompleteFlags completes the flags of a selection in a shell, those that the command has.
func CompleteFlags(env *cli.Env, cmd *cobra.Command) {
	waves := Names(env, func(ctx context.Context, c *Cluster) ([]string, error) {
		set, err := c.Set(ctx, cmd.Flag("set").Value.String())
		if err != nil || set.Status.Rollout == nil {
			return nil, err
		}
		var names []string
		for _, w := range set.Status.Rollout.Waves {
			names = append(names, w.Name)
		}
		return names, nil
	})
	for flag, complete := range map[string]cobra.CompletionFunc{"set": Names(env, SetNames), "wave": waves} {
		if cmd.Flags().Lookup(flag) != nil {
			// It fails only for an unknown flag.
			_ = cmd.RegisterFlagCompletionFunc(flag, complete)
		}
	}
}
