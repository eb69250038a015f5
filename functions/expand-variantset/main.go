// SPDX-License-Identifier: Apache-2.0

// Command expand-variantset is a KRM function that expands a PackageVariantSet into its PackageVariants.
package main

import (
	_ "embed"
	"os"

	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/krm"
)

//go:embed README.md
var readme []byte

//go:embed metadata.yaml
var metadata []byte

func main() { os.Exit(krm.Main(expansion.Run, readme, metadata)) }
