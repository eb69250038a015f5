// SPDX-License-Identifier: Apache-2.0

// Command apply-package-context is a KRM function that edits a kpt package's package context.
package main

import (
	_ "embed"
	"os"

	"github.com/package-variants/package-variants/functions/apply-package-context/packagecontext"
	"github.com/package-variants/package-variants/functions/krm"
)

//go:embed README.md
var readme []byte

//go:embed metadata.yaml
var metadata []byte

func main() { os.Exit(krm.Main(packagecontext.Run, readme, metadata)) }
