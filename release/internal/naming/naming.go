// SPDX-License-Identifier: Apache-2.0

// Package naming says what the images of a release are called.
package naming

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/mod/semver"
)

// Home is the registry, and the path there, where this project publishes.
const Home = "ghcr.io/package-variants"

// Names is where the images of a release are, and what version they have: the same for all of them.
type Names struct {
	// Registry is a registry's host and a path there, which the name of each image is put behind.
	Registry string
	// Version is a semantic version with a v, and the tag of each image.
	Version string
}

// place is a host, perhaps with a port, and a path as the OCI distribution specification has it.
var place = regexp.MustCompile(`^[a-zA-Z0-9.-]+(:[0-9]+)?(/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*$`)

// New returns the names of a release. It fails if the version is no complete semantic version that can be a tag, or if
// registry and version make no image reference.
func New(registry, version string) (Names, error) {
	n := Names{Registry: registry, Version: version}
	// What semver calls canonical has all three numbers, and no build metadata: its + is not allowed in a tag.
	if !semver.IsValid(version) || semver.Canonical(version) != version {
		return Names{}, fmt.Errorf("VERSION %q is not a version: write vMAJOR.MINOR.PATCH, such as v0.1.0 or v0.2.0-rc.1",
			version)
	}
	// The parser of references wants a registry in front, but lets a scheme and empty parts of a path pass.
	if _, err := name.NewTag(n.Ref("x"), name.StrictValidation); err != nil || !place.MatchString(registry) {
		return Names{}, fmt.Errorf("REGISTRY %q is not a place for images: "+
			"write HOST/PATH, without a scheme, such as ghcr.io/package-variants or localhost:5000/x", registry)
	}
	return n, nil
}

// Ref returns the reference of an image: registry, name and tag.
func (n Names) Ref(image string) string { return n.Registry + "/" + image + ":" + n.Version }

// Floating returns the tags that follow the version: vMAJOR.MINOR and vMAJOR, each unless one of the tags that an image
// has is a newer release of the same minor or major version. A version before a release, such as v0.2.0-rc.1, has none.
func (n Names) Floating(existing []string) []string {
	if semver.Prerelease(n.Version) != "" {
		return nil
	}
	var floating []string
	for _, series := range []func(string) string{semver.MajorMinor, semver.Major} {
		newer := func(tag string) bool {
			return semver.Canonical(tag) == tag && semver.Prerelease(tag) == "" && series(tag) == series(n.Version) &&
				semver.Compare(tag, n.Version) > 0
		}
		if !slices.ContainsFunc(existing, newer) {
			floating = append(floating, series(n.Version))
		}
	}
	return floating
}
