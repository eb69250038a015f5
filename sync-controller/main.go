// SPDX-License-Identifier: Apache-2.0

// Sync-controller keeps package variants in step with their blueprints and with facts that live in the cluster. It
// calls Porch to clone, upgrade and edit packages, and runs the functions of this project over their files.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/package-variants/package-variants/engine/largework"
	"github.com/package-variants/package-variants/functions/version"
	"github.com/package-variants/package-variants/sync-controller/internal/options"
	"github.com/package-variants/package-variants/sync-controller/internal/packagevariant"
	"github.com/package-variants/package-variants/sync-controller/internal/packagevariantset"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "sync-controller:", err)
		os.Exit(1)
	}
}

func run() error {
	o, err := options.Parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	if o.Version {
		fmt.Println(version.Line())
		return nil
	}
	ctrl.SetLogger(o.Logger(os.Stderr))
	runtime, err := o.Functions()
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	mgr, err := o.Manager(ctx)
	if err != nil {
		return err
	}
	if err := porch.AddIndexes(mgr.GetFieldIndexer()); err != nil {
		return err
	}
	options.CollectGarbage()
	large := largework.New()
	if err := packagevariant.SetupWithManager(mgr, packagevariant.Options{
		Concurrency: o.Concurrency, Runtime: runtime, Large: large, Version: o.FunctionsVersion(), LookWithin: o.LookWithin,
		RequestTimeout: o.RequestTimeout,
	}); err != nil {
		return err
	}
	if err := packagevariantset.SetupWithManager(mgr, runtime, large, o.FunctionsVersion()); err != nil {
		return err
	}
	return mgr.Start(ctx)
}
