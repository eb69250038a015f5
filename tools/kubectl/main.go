// SPDX-License-Identifier: Apache-2.0

// Command kubectl is the real kubectl. Its module is pinned here, because its main package is in the module of
// Kubernetes itself, which cannot be required without replacing all that it is made of.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() {
	os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
}
