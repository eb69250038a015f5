// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// Options configure a stack. The zero value is a stack in a temporary directory, without functions, with the Porch and
// the cache that the environment selects.
type Options struct {
	// Dir is the directory for everything that the components write. It must be empty or missing; Stop removes it. The
	// default is a temporary directory.
	Dir string
	// Functions are binaries of KRM functions, by the image that they replace in the function-runner. The image must be as
	// in the package, with its tag. Packages with any other image fail to render.
	Functions map[string]string
	// ControllerManager runs kube-controller-manager, too. The package documentation says what it does.
	ControllerManager bool
	// NoPolicies disables ValidatingAdmissionPolicy in kube-apiserver, as an administrator may do.
	NoPolicies bool
	// PorchAPI, if set, serves Porch's API instead of Porch. No process of Porch runs then, nor the git server or
	// PostgreSQL, and the methods of Stack for them must not be called. The handler gets the requests that kube-apiserver
	// passes on, over TLS, until the stack is stopped.
	PorchAPI http.Handler
	// SyncFrequency is how often Porch reads its git repositories again. The default is every ten seconds, or half a
	// minute with the DB cache: a package that is published during a read may be lost there (docs/limits.md).
	SyncFrequency time.Duration
	// Cache is where Porch keeps packages. The default is the environment variable PORCH_CACHE, CR or DB, or else CRCache.
	// If PostgreSQL is missing, the error of Start says what to install.
	Cache Cache
	// Porch is the directory of a Porch to run in place of the pinned one: the programs porch, porch-controllers,
	// porchctl and function-runner, and their sources in the directory source. It is newer than the pinned one:
	// porch-controllers reads the Repositories, and the function-runner takes FunctionConfig objects. A relative path
	// begins at the repository's root. The default is what the environment variable PORCH says; Pinned means the pinned
	// Porch whatever that says.
	Porch string
}

// Cache is where Porch keeps packages.
type Cache string

// The caches of Porch: objects of Kubernetes with the git repositories, and a database beside the git repositories.
const (
	CRCache Cache = "CR"
	DBCache Cache = "DB"
)

// Pinned is the value of Options.Porch that stands for the Porch that make stack-tools builds.
const Pinned = "pinned"

// The environment variables that choose what Options does not.
const (
	cacheVariable = "PORCH_CACHE"
	porchVariable = "PORCH"
)

// frequency returns how often Porch reads its git repositories.
func (o *Options) frequency(cache Cache) time.Duration {
	switch {
	case o.SyncFrequency > 0:
		return o.SyncFrequency
	case cache == DBCache:
		return 30 * time.Second
	default:
		return 10 * time.Second
	}
}

// chosenCache returns the cache that the options, or else the environment, choose.
func chosenCache(options Options) (Cache, error) {
	chosen, origin := options.Cache, "Options.Cache"
	if chosen == "" {
		chosen, origin = Cache(os.Getenv(cacheVariable)), "the environment variable "+cacheVariable
	}
	switch chosen {
	case "":
		return CRCache, nil
	case CRCache, DBCache:
		return chosen, nil
	default:
		return "", fmt.Errorf("%s is %q: it must be %s or %s", origin, chosen, CRCache, DBCache)
	}
}

// builtElsewhere are the programs in the directory Options.Porch.
var builtElsewhere = []string{Porch, PorchControllers, porchctl, FunctionRunner}

// chosenPorch returns the absolute path of the Porch that was built elsewhere, or "" if the options and the environment
// name none.
func chosenPorch(ctx context.Context, options Options) (string, error) {
	dir, origin := options.Porch, "Options.Porch"
	if dir == "" {
		dir, origin = os.Getenv(porchVariable), "the environment variable "+porchVariable
	}
	if dir == "" || dir == Pinned {
		return "", nil
	}
	if !filepath.IsAbs(dir) {
		module, err := sources(ctx, apiModule)
		if err != nil {
			return "", err
		}
		dir = filepath.Join(filepath.Dir(module.Dir), dir)
	}
	var missing []error
	for _, name := range append([]string{filepath.Join("source", schemaFile)}, builtElsewhere...) {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			missing = append(missing, err)
		}
	}
	if err := errors.Join(missing...); err != nil {
		return "", fmt.Errorf("%s must be the directory of a Porch with the programs %q, and their sources in the "+
			"directory source:\n%w", origin, builtElsewhere, err)
	}
	return dir, nil
}
