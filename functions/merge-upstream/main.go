// SPDX-License-Identifier: Apache-2.0

// Command merge-upstream is a KRM function that brings a kpt package to another version of its upstream.
package main

import (
	_ "embed"
	"os"

	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

//go:embed README.md
var readme []byte

//go:embed metadata.yaml
var metadata []byte

func main() { os.Exit(krm.Main(merging.Run, readme, metadata)) }
