// SPDX-License-Identifier: Apache-2.0

// Package sbom lists what is in an image, as a CycloneDX document (https://cyclonedx.org), from what the Go linker
// wrote into the programs: the modules that they really contain, not those that a go.mod knows of.
package sbom

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/package-variants/package-variants/release/internal/component"
	"github.com/package-variants/package-variants/release/internal/image"
)

// MediaType is that of the document.
const MediaType = "application/vnd.cyclonedx+json"

// own is what the paths of this repository's modules begin with. The linker knows no version of theirs.
var own = strings.TrimPrefix(component.Repository, "https://") + "/"

// Write writes the bill of materials of a component's image, given the image's digest and the programs in it. One bill
// covers all platforms; Write fails if their programs do not consist of the same modules. It has neither a serial
// number nor a time, so that the same image gives the same document.
func Write(w io.Writer, c component.Component, version string, digest v1.Hash, binary func(v1.Platform) string) error {
	var programs, libraries []cdx.Component
	for _, platform := range image.Platforms() {
		path := binary(platform)
		program, err := describe(c, platform, path)
		if err != nil {
			return err
		}
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return err
		}
		modules := list(info, version, c.License)
		if programs != nil && !slices.EqualFunc(libraries, modules,
			func(a, b cdx.Component) bool { return a.BOMRef == b.BOMRef }) {
			return fmt.Errorf("%s consists of other modules than the program of the same image for another platform", path)
		}
		programs, libraries = append(programs, program), modules
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: whole(c, version, digest, programs)}
	bom.Components = &libraries
	refs := make([]string, len(libraries))
	for i := range libraries {
		refs[i] = libraries[i].BOMRef
	}
	bom.Dependencies = &[]cdx.Dependency{{Ref: bom.Metadata.Component.BOMRef, Dependencies: &refs}}
	return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).Encode(bom)
}

// whole describes the image, and the programs in it.
func whole(c component.Component, version string, digest v1.Hash, programs []cdx.Component) *cdx.Component {
	purl := fmt.Sprintf("pkg:oci/%s@%s?tag=%s", c.Name, strings.ReplaceAll(digest.String(), ":", "%3A"), version)
	return &cdx.Component{
		BOMRef: purl, Type: cdx.ComponentTypeContainer, Name: c.Name, Version: version, Description: c.Description,
		Licenses: license(c.License), PackageURL: purl, Components: &programs,
	}
}

// describe describes the program for one platform: the only thing in which the images for the platforms differ.
func describe(c component.Component, platform v1.Platform, path string) (cdx.Component, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return cdx.Component{}, err
	}
	sum := sha256.Sum256(content)
	return cdx.Component{
		BOMRef: "file:" + platform.String() + c.Path, Type: cdx.ComponentTypeFile, Name: c.Path,
		Hashes:     &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
		Properties: &[]cdx.Property{{Name: "platform", Value: platform.String()}},
	}, nil
}

// list describes the modules in a program, and Go's standard library, by name. Those of this repository have the
// version of the release, and the license of the program.
func list(info *debug.BuildInfo, version, spdx string) []cdx.Component {
	libraries := []cdx.Component{library("stdlib", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range append(info.Deps, &info.Main) {
		if module.Replace != nil {
			module = module.Replace
		}
		if strings.HasPrefix(module.Path, own) {
			l := library(module.Path, version)
			l.Licenses = license(spdx)
			libraries = append(libraries, l)
		} else {
			libraries = append(libraries, library(module.Path, module.Version))
		}
	}
	slices.SortFunc(libraries, func(a, b cdx.Component) int { return cmp.Compare(a.BOMRef, b.BOMRef) })
	return libraries
}

func library(name, version string) cdx.Component {
	purl := "pkg:golang/" + name + "@" + strings.ReplaceAll(version, "+", "%2B")
	return cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: purl}
}

func license(spdx string) *cdx.Licenses {
	return &cdx.Licenses{{License: &cdx.License{ID: spdx}}}
}
