// SPDX-License-Identifier: Apache-2.0

// Command prepend-pipeline is a KRM function that writes a variant's functions to the front of a kpt package's
// pipeline.
package main

import (
	_ "embed"
	"os"

	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/functions/prepend-pipeline/pipeline"
)

//go:embed README.md
var readme []byte

//go:embed metadata.yaml
var metadata []byte

func main() { os.Exit(krm.Main(pipeline.Run, readme, metadata)) }
