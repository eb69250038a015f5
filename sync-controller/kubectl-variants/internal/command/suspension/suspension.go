// SPDX-License-Identifier: Apache-2.0

// Package suspension has the commands kubectl variants suspend and kubectl variants resume.
package suspension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const longSuspend = `Keep the controller from changing anything in PackageVariants until they are resumed. The command
sets spec.suspend to true, and writes the reason to the annotation
` + v1alpha1.SuspendReasonAnnotation + `. The condition Suspended shows it. If an object is already
suspended, the new reason replaces the old one; without --reason, the old one is removed.

NAME is a PackageVariant, or packagevariantset/NAME. A suspended set does not change its variants, but the controller
continues with the variants themselves. With --set, the command suspends the variants of the set, but not the set.`

const exampleSuspend = `  # Suspend a variant
  kubectl variants suspend edge-web --reason "freeze until Monday"

  # Suspend all variants of a set, and then the set itself
  kubectl variants suspend --set fleet --reason INC-1234
  kubectl variants suspend packagevariantset/fleet --reason INC-1234`

const longResume = `Let the controller continue with suspended PackageVariants. The command removes spec.suspend and the
reason, and prints what the controller will do with each of them.

NAME is a PackageVariant, or packagevariantset/NAME. With --set, the command resumes the variants of the set, but not
the set.`

const exampleResume = `  # Resume a variant
  kubectl variants resume edge-web

  # Resume all variants in Europe
  kubectl variants resume -l region=eu`

// NewSuspend returns the command suspend.
func NewSuspend(env *cli.Env) *cobra.Command {
	var reason string
	cmd := command(env, "suspend", true, &reason)
	cmd.Short, cmd.Long = "Keep the controller from changing the packages of variants", longSuspend
	cmd.Example = exampleSuspend
	cmd.Flags().StringVar(&reason, "reason", "", "why; the condition Suspended shows it")
	return cmd
}

// NewResume returns the command resume.
func NewResume(env *cli.Env) *cobra.Command {
	cmd := command(env, "resume", false, new(string))
	cmd.Short, cmd.Long, cmd.Example = "Let the controller continue with suspended variants", longResume, exampleResume
	return cmd
}

func command(env *cli.Env, name string, suspend bool, reason *string) *cobra.Command {
	var selection live.Selection
	cmd := &cobra.Command{
		Use: name + " [NAME...] [--selector LABELS | --set NAME]",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := selection.Check(len(args)); err != nil {
				return err
			}
			c, err := live.Open(env)
			if err != nil {
				return err
			}
			objects, err := chosen(cmd.Context(), c, &selection, args)
			if err != nil {
				return err
			}
			return write(cmd.Context(), env, c, objects, change{suspend, *reason})
		},
		ValidArgsFunction: live.Names(env, live.TypedNames),
	}
	selection.AddFlags(cmd.Flags(), false)
	live.CompleteFlags(env, cmd)
	return cmd
}

// chosen returns the variants and sets that a command line chooses.
func chosen(ctx context.Context, c *live.Cluster, selection *live.Selection, names []string) ([]object, error) {
	var objects []object
	for _, name := range names {
		of, err := naming.Parse(name, live.Variant, live.Set)
		if err != nil {
			return nil, err
		}
		if of.Kind.Name == live.Set.Name {
			set, err := c.Set(ctx, of.Name)
			if err != nil {
				return nil, err
			}
			objects = append(objects, object{live.Set, set, set.Spec.Suspend, set.Status.Conditions})
			continue
		}
		pv, err := c.Variant(ctx, of.Name)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object{live.Variant, pv, pv.Spec.Suspend, pv.Status.Conditions})
	}
	if len(names) > 0 {
		return objects, nil
	}
	variants, _, err := selection.Variants(ctx, c, nil)
	for i := range variants {
		pv := &variants[i]
		objects = append(objects, object{live.Variant, pv, pv.Spec.Suspend, pv.Status.Conditions})
	}
	return objects, err
}

// object is a variant or a set, with the fields that matter here.
type object struct {
	kind live.Kind
	client.Object
	suspended  bool
	conditions []metav1.Condition
}

// change is the change to make to objects.
type change struct {
	suspend bool
	reason  string
}

// patch returns the merge patch for an object, nil if it needs no change, and a message about it.
func (ch change) patch(o *object) (patch []byte, told string) {
	name := strings.ToLower(o.kind.Name) + "/" + o.GetName()
	before := v1alpha1.SuspendReason(o.GetAnnotations())
	reason := v1alpha1.SuspendReason(map[string]string{v1alpha1.SuspendReasonAnnotation: ch.reason})
	_, noted := o.GetAnnotations()[v1alpha1.SuspendReasonAnnotation]
	switch {
	case !ch.suspend && !o.suspended && !noted:
		return nil, name + " is not suspended"
	case ch.suspend && o.suspended && before == reason:
		return nil, name + " is suspended already" + because(reason)
	case ch.suspend:
		told = name + " suspended" + because(reason)
	default:
		told = name + " resumed" + would(o)
	}
	spec, annotations := map[string]any{"suspend": nil}, map[string]any{v1alpha1.SuspendReasonAnnotation: nil}
	if ch.suspend {
		spec["suspend"] = true
	}
	if reason != "" {
		annotations[v1alpha1.SuspendReasonAnnotation] = reason
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}, "spec": spec})
	if err != nil { // maps of texts always can be written
		panic(err)
	}
	return patch, told
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// would says what the controller will do with a resumed object, according to its condition.
func would(o *object) string {
	c := meta.FindStatusCondition(o.conditions, v1alpha1.ConditionSuspended)
	if c == nil {
		return ""
	}
	reason := v1alpha1.SuspendReason(o.GetAnnotations())
	text, _ := strings.CutPrefix(c.Message, v1alpha1.Because(reason, ""))
	if strings.HasPrefix(text, "would ") {
		text = "the controller " + text
	}
	return ": " + text
}

// write changes the objects one by one. A failed change does not stop the others.
func write(ctx context.Context, env *cli.Env, c *live.Cluster, objects []object, ch change) error {
	var errs []error
	for i := range objects {
		o := &objects[i]
		patch, told := ch.patch(o)
		if patch != nil {
			err := c.Client.Patch(ctx, o.Object, client.RawPatch(types.MergePatchType, patch))
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", o.GetName(),
					live.Explain(err, live.Call{Verb: "patch", Kind: o.kind, Namespace: c.Namespace})))
				continue
			}
		}
		fmt.Fprintln(env.Out, krm.Visible(told))
	}
	return errors.Join(errs...)
}
