// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Flags are the flags of kubectl for the cluster, the user and the namespace. Its own package for them would bring
// kustomize into the plugin.
type Flags struct {
	rules     *clientcmd.ClientConfigLoadingRules
	overrides clientcmd.ConfigOverrides
}

// newFlags returns the flags, all unset.
func newFlags() *Flags {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.DefaultClientConfig = &clientcmd.DefaultClientConfig
	return &Flags{rules: rules, overrides: clientcmd.ConfigOverrides{ClusterDefaults: clientcmd.ClusterDefaults,
		AuthInfo: *clientcmdapi.NewAuthInfo(), Context: *clientcmdapi.NewContext(), ClusterInfo: *clientcmdapi.NewCluster()}}
}

// Add adds the flags to those of a command.
func (f *Flags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.rules.ExplicitPath, clientcmd.RecommendedConfigPathFlag, "",
		"Path to the kubeconfig file to use for CLI requests.")
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.AuthOverrideFlags.Username.LongName, names.AuthOverrideFlags.Password.LongName = "", "" // kubectl has none
	names.ClusterOverrideFlags.APIServer.ShortName = "s"
	clientcmd.BindOverrideFlags(&f.overrides, flags, names)
}

// Namespace returns the namespace that the flags name, or "".
func (f *Flags) Namespace() string { return f.overrides.Context.Namespace }

// config returns what the flags and the kubeconfig say.
func (f *Flags) config() clientcmd.ClientConfig {
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(f.rules, &f.overrides)
}
