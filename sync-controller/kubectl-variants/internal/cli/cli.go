// SPDX-License-Identifier: Apache-2.0

// Package cli is what the commands of the kubectl plugin share: streams, the flags by which kubectl finds a cluster,
// and exit codes.
package cli

import (
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Env is what a command runs in.
type Env struct {
	genericiooptions.IOStreams
	// Flags are those of kubectl that say which cluster, which user and which namespace.
	Flags *genericclioptions.ConfigFlags
}

// New returns an environment with the flags of kubectl, none of them set.
func New(streams genericiooptions.IOStreams) *Env {
	flags := genericclioptions.NewConfigFlags(true)
	return &Env{IOStreams: streams, Flags: flags}
}

// Namespace returns the namespace of the flags, or else that of the kubeconfig's context.
func (e *Env) Namespace() (string, error) {
	namespace, _, err := e.Flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return "", fmt.Errorf("cannot read the kubeconfig: %w", err)
	}
	return namespace, nil
}

// Config returns how to reach the cluster. An error says that no cluster is configured.
func (e *Env) Config() (*rest.Config, error) {
	config, err := e.Flags.ToRESTConfig()
	if err != nil {
		return nil, NoCluster(err)
	}
	config.QPS = -1 // the API server's priority and fairness decides
	config.UserAgent = "kubectl-variants"
	return config, nil
}

// Client returns a client that reads and writes the objects of package scheme. It makes no request.
func (e *Env) Client() (client.Client, error) {
	config, err := e.Config()
	if err != nil {
		return nil, err
	}
	types, err := scheme.New()
	if err != nil {
		return nil, err
	}
	mapper, err := e.Flags.ToRESTMapper()
	if err != nil {
		return nil, NoCluster(err)
	}
	return client.New(config, client.Options{Scheme: types, Mapper: mapper})
}

// NoCluster returns the error of a command that needs a cluster and finds none.
func NoCluster(err error) error {
	return fmt.Errorf("cannot find a cluster: %w; set --kubeconfig or --context", err)
}

// One returns what accepts one argument, which names what: a PackageVariant.
func One(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return fmt.Errorf("%s is about one %s, and %d are named: write kubectl variants %s", cmd.Name(), what, len(args),
			cmd.Use)
	}
}

// Exit codes, as those of kubectl diff. An error of the command line, or of a cluster, is ExitError.
const (
	ExitNothing = 0 // nothing would change, or all is done
	ExitChanges = 1 // something would change, or differs
	ExitError   = 2
)

// ErrChanges is returned by a command that shows what would change, or differs, and finds something: it ends with
// ExitChanges, and nothing more is printed.
var ErrChanges = errors.New("there are changes")

// ExitCode returns the exit code of a command's error.
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
