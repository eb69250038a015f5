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

// completeWithin bounds how long a shell waits for names when a cluster does not answer.
const completeWithin = 3 * time.Second

// Names has a shell complete an argument, or a flag, with what list returns of the cluster, but for what stands there
// already. What goes wrong is told as no names: a shell has no place for it.
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

// First has a shell complete the first argument only.
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

// CompleteFlags has a shell complete the flags of a selection, as far as the command has them.
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
			// It fails for a flag that is not there only.
			_ = cmd.RegisterFlagCompletionFunc(flag, complete)
		}
	}
}
