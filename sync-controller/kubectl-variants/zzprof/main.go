// SPDX-License-Identifier: Apache-2.0

// Kubectl-variants is the kubectl plugin kubectl variants: it shows what the controller of package variants will do,
// has done, and is waiting for.
package main

import (
	"os"

	"runtime/pprof"

	"github.com/go-logr/logr"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/command"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/podman"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	if name := os.Getenv("CPUPROFILE"); name != "" {
		f, _ := os.Create(name)
		_ = pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	// The commands themselves report what the controller and the client libraries would log.
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	if podman.Called(os.Args) {
		os.Exit(podman.Run(ctrl.SetupSignalHandler(), os.Args[1:], streams))
	}
	_ = command.Run(ctrl.SetupSignalHandler(), os.Args[1:], streams)
	if name := os.Getenv("MEMPROFILE"); name != "" {
		f, _ := os.Create(name)
		_ = pprof.Lookup("allocs").WriteTo(f, 0)
	}
}
