// SPDX-License-Identifier: Apache-2.0

// Package versions is the command kubectl variants version.
package versions

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/package-variants/package-variants/functions/version"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// namespace and name are those of the Deployment in the controller's package, container is its container.
const (
	namespace = "package-variants-system"
	name      = "sync-controller"
)

// New returns the command.
func New(env *cli.Env) *cobra.Command {
	var clientOnly bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of this plugin and of the controller",
		Long: "Print the versions of this plugin and of the controller. The version of the controller is the tag of its\n" +
			"image in the Deployment " + name + " in the namespace " + namespace + ". If that cannot be read,\n" +
			"the output says why, and the command succeeds nevertheless.",
		Example: `  # Print the version of the plugin only, without asking a cluster
  kubectl variants version --client`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, own, _ := strings.Cut(version.Line(), " ")
			fmt.Fprintf(env.Out, "client:     %s (%s/%s)\n", own, runtime.GOOS, runtime.GOARCH)
			if clientOnly {
				return nil
			}
			fmt.Fprintf(env.Out, "controller: %s\n", controller(cmd.Context(), env))
			return nil
		},
	}
	cmd.Flags().BoolVar(&clientOnly, "client", false, "print only the version of this plugin")
	return cmd
}

// controller returns the version of the controller, or why it is not known.
func controller(ctx context.Context, env *cli.Env) string {
	c, err := live.Open(env)
	if err != nil {
		return "not known: " + err.Error()
	}
	var deployment unstructured.Unstructured
	deployment.SetAPIVersion("apps/v1")
	deployment.SetKind("Deployment")
	err = c.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &deployment)
	if client.IgnoreNotFound(err) != nil {
		kind := live.Kind{Name: "Deployment", Resource: "deployments", APIVersion: "apps/v1"}
		return "not known: " + live.Explain(err, live.Call{Verb: "get", Kind: kind, Namespace: namespace}).Error()
	}
	if err != nil {
		return fmt.Sprintf("not known: there is no Deployment %s in the namespace %s", name, namespace)
	}
	return tagOf(&deployment)
}

// tagOf returns the tag of the image of the controller's container.
func tagOf(deployment *unstructured.Unstructured) string {
	containers, _, _ := unstructured.NestedSlice(deployment.Object, "spec", "template", "spec", "containers")
	for _, c := range containers {
		container, isMap := c.(map[string]any)
		image, isText := container["image"].(string)
		if !isMap || !isText || container["name"] != name {
			continue
		}
		image, _, _ = strings.Cut(image, "@")
		if slash, colon := strings.LastIndex(image, "/"), strings.LastIndex(image, ":"); colon > slash {
			return image[colon+1:]
		}
		return "not known: the image " + image + " has no tag"
	}
	return "not known: the Deployment " + name + " has no container of that name"
}
