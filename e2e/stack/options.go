// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

// Options are what a stack can be told. The zero value is a stack in a temporary directory, without functions, with the
// Porch and the cache that the environment names.
type Options struct {
	// Dir is the directory of all that the components write. It must be empty or not exist; Stop removes it. The
	// default is a temporary directory.
	Dir string
	// Functions are binaries of KRM functions, by the image in whose place the function-runner runs them. An image is
	// matched as a package writes it, with its tag. Packages that name any other image fail to render.
	Functions map[string]string
	// ControllerManager says to run kube-controller-manager, too. The documentation of the package says what it does.
	ControllerManager bool
	// PorchAPI, if set, serves Porch's API in place of Porch: no process of Porch runs then, nor the git server, nor
	// PostgreSQL, and what a Stack does with them must not be asked of it. The requests are those that kube-apiserver
	// hands on, over TLS, until the stack is stopped.
	PorchAPI http.Handler
	// Cache is where Porch keeps packages. The default is what the environment variable PORCH_CACHE says, CR or DB, and
	// CRCache without it. The error of Start says what to install if PostgreSQL is missing.
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

// builtElsewhere are the programs that Options.Porch has.
var builtElsewhere = []string{Porch, PorchControllers, porchctl, FunctionRunner}

// chosenPorch returns the absolute path of the directory of a Porch that was built elsewhere, and "" if the options and
// the environment name none.
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
