// SPDX-License-Identifier: Apache-2.0

// Package image makes container images of one static program, without a base image and without a container runtime.
package image

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	specs "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/package-variants/package-variants/release/internal/archive"
	"github.com/package-variants/package-variants/release/internal/component"
)

// user is the user of the program, by number: that is how Kubernetes sees that it is not root (runAsNonRoot).
const user = "65534:65534"

// passwd knows that user by name, because kpt runs functions as nobody.
const passwd = "nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n"

// created is the time in all images, so their digests do not depend on the day.
var created = v1.Time{Time: time.Unix(0, 0).UTC()}

// Platforms are those that images are made for.
func Platforms() []v1.Platform {
	return []v1.Platform{{OS: "linux", Architecture: "amd64"}, {OS: "linux", Architecture: "arm64"}}
}

// New returns the image of a component: one index with an image for each of the Platforms. binary returns the path of a
// platform's program. It depends on nothing else: the same programs and the same version give the same digest.
func New(c component.Component, version string, binary func(v1.Platform) string) (v1.ImageIndex, error) {
	labels := map[string]string{
		specs.AnnotationTitle:       c.Name,
		specs.AnnotationDescription: c.Description,
		specs.AnnotationSource:      component.Repository,
		specs.AnnotationVersion:     version,
		specs.AnnotationLicenses:    c.License,
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, platform := range Platforms() {
		img, err := forPlatform(c, platform, binary(platform), labels)
		if err != nil {
			return nil, fmt.Errorf("cannot make the image of %s for %s: %w", c.Name, platform, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &platform}})
	}
	// Registries that show a description take it from here when an image is for several platforms.
	return mutate.Annotations(index, labels).(v1.ImageIndex), nil //nolint:errcheck // it returns what it is given
}

func forPlatform(c component.Component, platform v1.Platform, binary string,
	labels map[string]string) (v1.Image, error) {
	program, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	layer, err := layerOf(c, program)
	if err != nil {
		return nil, err
	}
	img := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	img = mutate.ConfigMediaType(img, types.OCIConfigJSON)
	img, err = mutate.ConfigFile(img, &v1.ConfigFile{
		OS: platform.OS, Architecture: platform.Architecture, Created: created,
		Config: v1.Config{Entrypoint: []string{c.Path}, User: user, Labels: labels},
		RootFS: v1.RootFS{Type: "layers"},
	})
	if err != nil {
		return nil, err
	}
	return mutate.Append(img,
		mutate.Addendum{Layer: layer, History: v1.History{Created: created, CreatedBy: "make images"}})
}

// layerOf returns all that is in the image. There are no CA certificates: a function makes no calls, and the controller
// calls the Kubernetes API only, whose certificate it checks with that of its service account. There is no /tmp either:
// nothing is written.
func layerOf(c component.Component, program []byte) (v1.Layer, error) {
	var tar bytes.Buffer
	err := archive.Write(&tar, []archive.File{
		{Name: "etc/passwd", Data: []byte(passwd)},
		{Name: strings.TrimPrefix(c.Path, "/"), Executable: true, Data: program},
	})
	if err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(
		func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(tar.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.DefaultCompression),
		tarball.WithCompressedCaching,
	)
}

// Size returns how many bytes are downloaded for an image: its layers and its config, for the platform for which these
// are the most.
func Size(index v1.ImageIndex) (int64, error) {
	manifest, err := index.IndexManifest()
	if err != nil {
		return 0, err
	}
	var largest int64
	for _, descriptor := range manifest.Manifests {
		img, err := index.Image(descriptor.Digest)
		if err != nil {
			return 0, err
		}
		m, err := img.Manifest()
		if err != nil {
			return 0, err
		}
		size := m.Config.Size
		for i := range m.Layers {
			size += m.Layers[i].Size
		}
		largest = max(largest, size)
	}
	return largest, nil
}
