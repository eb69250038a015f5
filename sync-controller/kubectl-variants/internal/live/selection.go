// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/naming"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Selection is how a command line chooses variants: by name, by labels, or as the variants of a set or of a wave of its
// rollout.
type Selection struct {
	Selector, Set, Wave string
}

// AddFlags adds the flags of a selection, with --wave if waves is set.
func (s *Selection) AddFlags(flags *pflag.FlagSet, waves bool) {
	flags.StringVarP(&s.Selector, "selector", "l", "",
		"choose the PackageVariants with these labels; the syntax is that of kubectl get")
	flags.StringVar(&s.Set, "set", "", "choose the PackageVariants of this PackageVariantSet")
	if waves {
		flags.StringVar(&s.Wave, "wave", "", "with --set, choose only the PackageVariants in this wave of the rollout")
	}
}

// Check returns an error if the flags and the number of names select no variants, or select them twice.
func (s *Selection) Check(names int) error {
	chosen := 0
	for _, is := range []bool{names > 0, s.Selector != "", s.Set != ""} {
		if is {
			chosen++
		}
	}
	switch {
	case s.Wave != "" && s.Set == "":
		return errors.New("--wave is of a set: name it by --set")
	case chosen == 0:
		return errors.New("nothing is chosen: name PackageVariants, or choose them by --selector or --set")
	case chosen > 1:
		return errors.New("names, --selector and --set exclude each other: choose by one of them")
	}
	return nil
}

// Variants returns the variants selected by name or by the flags, and the set of --set. It fails if there are none; for
// an unknown name the error suggests another.
func (s *Selection) Variants(ctx context.Context, c *Cluster,
	names []string) ([]v1alpha1.PackageVariant, *v1alpha2.PackageVariantSet, error) {
	switch {
	case s.Selector != "":
		variants, err := c.labelled(ctx, s.Selector)
		return variants, nil, err
	case s.Set != "":
		return c.ofSet(ctx, s.Set, s.Wave)
	}
	var variants []v1alpha1.PackageVariant
	for _, name := range names {
		pv, err := c.Variant(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		variants = append(variants, *pv)
	}
	return variants, nil, nil
}

// labelled returns the variants with labels.
func (c *Cluster) labelled(ctx context.Context, text string) ([]v1alpha1.PackageVariant, error) {
	selector, err := labels.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("--selector %q is not one: %w", text, err)
	}
	variants, err := c.Variants(ctx, client.MatchingLabelsSelector{Selector: selector})
	if err == nil && len(variants) == 0 {
		err = fmt.Errorf("no PackageVariant in the namespace %q has the labels %s", c.Namespace, text)
	}
	return variants, err
}

// ofSet returns the variants of a set, or of one wave of its rollout.
func (c *Cluster) ofSet(ctx context.Context, name, wave string) ([]v1alpha1.PackageVariant,
	*v1alpha2.PackageVariantSet, error) {
	set, err := c.Set(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	if wave != "" {
		if err := hasWave(set, wave); err != nil {
			return nil, nil, err
		}
	}
	all, err := c.Variants(ctx)
	if err != nil {
		return nil, nil, err
	}
	variants := slices.DeleteFunc(all, func(pv v1alpha1.PackageVariant) bool { return naming.SetOf(&pv) != set.Name })
	if wave != "" {
		waves, err := c.Waves(ctx, set)
		if err != nil {
			return nil, nil, err
		}
		variants = slices.DeleteFunc(variants, func(pv v1alpha1.PackageVariant) bool { return waves.Of(&pv) != wave })
	}
	if len(variants) == 0 {
		return nil, nil, fmt.Errorf("the PackageVariantSet %q has no PackageVariant%s", name, inWave(wave))
	}
	return variants, set, nil
}

func inWave(wave string) string {
	if wave == "" {
		return ""
	}
	return " in the wave " + wave
}

// hasWave returns an error if the rollout of a set has no wave of that name.
func hasWave(set *v1alpha2.PackageVariantSet, wave string) error {
	if set.Spec.Rollout == nil || set.Status.Rollout == nil {
		return fmt.Errorf("the PackageVariantSet %q has no rollout, and so no waves: leave out --wave", set.Name)
	}
	var names []string
	for _, w := range set.Status.Rollout.Waves {
		names = append(names, w.Name)
	}
	switch {
	case slices.Contains(names, wave):
		return nil
	case naming.Nearest(wave, names) != "":
		return fmt.Errorf("the rollout of the PackageVariantSet %q has no wave %q: did you mean %q?", set.Name, wave,
			naming.Nearest(wave, names))
	}
	return fmt.Errorf("the rollout of the PackageVariantSet %q has no wave %q: it has %s", set.Name, wave,
		strings.Join(names, ", "))
}
