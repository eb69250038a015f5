// SPDX-License-Identifier: Apache-2.0

// Package crds has the CustomResourceDefinitions of PackageVariants and PackageVariantSets as files.
package crds

import "embed"

// Files are the CustomResourceDefinitions, one in each YAML file.
//
//go:embed *.yaml
var Files embed.FS
