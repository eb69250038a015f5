// SPDX-License-Identifier: Apache-2.0

// Command inject-config is a KRM function that fills the injection points of a kpt package from in-cluster objects.
package main

import (
	_ "embed"
	"os"

	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/krm"
)

//go:embed README.md
var readme []byte

//go:embed metadata.yaml
var metadata []byte

func main() { os.Exit(krm.Main(injection.Run, readme, metadata)) }
