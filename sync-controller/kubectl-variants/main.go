// SPDX-License-Identifier: Apache-2.0

// Kubectl-variants is the kubectl plugin kubectl variants: it shows what the controller of package variants will do,
// has done, and is waiting for.
package main

import (
	"os"

	"github.com/go-logr/logr"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/command"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"
)

func main() {
	// The commands themselves report what the controller and the client libraries would log.
	log.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	os.Exit(command.Run(signals.SetupSignalHandler(), os.Args[1:], streams))
}
