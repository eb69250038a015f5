// SPDX-License-Identifier: Apache-2.0

// Package cli has what the commands of the kubectl plugin share: streams, the flags by which kubectl finds a cluster,
// and exit codes.
package cli

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/local/programs"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Words are what the plugin calls things.
var Words = words.Home{Command: "kubectl variants", Controller: "the controller", Packages: "Porch",
	Wait: "wait for the controller"}

// Env is what a command runs in.
type Env struct {
	genericiooptions.IOStreams
	// Flags are the flags of kubectl for the cluster, the user and the namespace.
	Flags *Flags
	// Now returns the time.
	Now func() time.Time
	// Connect returns a client; nil for one by the flags.
	Connect func(rest.WarningHandler) (client.Client, error)
}

// New returns an environment with kubectl's flags, all unset.
func New(streams genericiooptions.IOStreams) *Env {
	return &Env{IOStreams: streams, Flags: newFlags(), Now: time.Now}
}

// Streams returns the streams for what the command lines share.
func (e *Env) Streams() programs.Streams {
	return programs.Streams{In: e.In, Out: e.Out, Err: e.ErrOut}
}

// Namespace returns the namespace of the flags, or else of the kubeconfig's context.
func (e *Env) Namespace() (string, error) {
	namespace, _, err := e.Flags.config().Namespace()
	if err != nil {
		return "", fmt.Errorf("cannot read the kubeconfig: %w", err)
	}
	return namespace, nil
}

// ClusterName returns the kubeconfig's name for the cluster, or the cluster's address if there is no kubeconfig.
func (e *Env) ClusterName() string {
	raw, err := e.Flags.config().RawConfig()
	if err == nil {
		context := raw.Contexts[cmp.Or(e.Flags.overrides.CurrentContext, raw.CurrentContext)]
		if name := e.Flags.overrides.Context.Cluster; name != "" {
			return name
		}
		if context != nil && context.Cluster != "" {
			return context.Cluster
		}
	}
	config, err := e.Flags.config().ClientConfig()
	if err != nil {
		return "that is not known"
	}
	return config.Host
}

// Config returns the client configuration for the cluster. It fails if no cluster is configured.
func (e *Env) Config() (*rest.Config, error) {
	config, err := e.Flags.config().ClientConfig()
	if err != nil {
		return nil, NoCluster(err)
	}
	config.QPS = -1 // the API server's priority and fairness decides
	config.UserAgent = "kubectl-variants"
	return config, nil
}

// Client returns a client that reads and writes the objects of package scheme. It makes no request.
func (e *Env) Client() (client.Client, error) { return e.ClientWarning(nil) }

// ClientWarning is Client with a handler for the API server's warnings; with nil they are logged.
func (e *Env) ClientWarning(handler rest.WarningHandler) (client.Client, error) {
	if e.Connect != nil {
		return e.Connect(handler)
	}
	config, err := e.Config()
	if err != nil {
		return nil, err
	}
	config.WarningHandler = handler
	types, err := scheme.New()
	if err != nil {
		return nil, err
	}
	return client.New(config, client.Options{Scheme: types})
}

// NoCluster returns the error of a command that needs a cluster and finds none.
func NoCluster(err error) error {
	return fmt.Errorf("cannot find a cluster: %w; set --kubeconfig or --context", err)
}

// One accepts exactly one argument. what describes it in the error, such as a PackageVariant.
func One(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		if len(args) > 1 {
			what += fmt.Sprintf(", not %d", len(args))
		}
		return fmt.Errorf("%s takes one %s: write kubectl variants %s", cmd.Name(), what, cmd.Use)
	}
}

// Exit codes, the same as those of kubectl diff. Errors of the command line or of a cluster are ExitError.
const (
	ExitNothing = 0 // nothing would change, or all is done
	ExitChanges = 1 // something would change, or differs
	ExitError   = 2
)

// ErrChanges is returned by a command that finds changes or differences. The command ends with ExitChanges, and nothing
// more is printed.
var ErrChanges = errors.New("there are changes")

// ExitCode returns the exit code for a command's error.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return ExitNothing
	case errors.Is(err, ErrChanges):
		return ExitChanges
	default:
		return ExitError
	}
}
