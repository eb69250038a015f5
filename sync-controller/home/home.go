// SPDX-License-Identifier: Apache-2.0

// Package home makes what the controller sees of Porch usable by others: the contract of the port packages.
package home

import (
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
)

// API is what calls Porch: a client of an API server that does not read from a cache, and knows Porch's types.
type API = porch.API

// New returns the home that an API server with Porch is.
func New(api API) packages.Lister { return porch.NewHome(api) }
