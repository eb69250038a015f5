// SPDX-License-Identifier: Apache-2.0

// Package push brings images to a registry, and their bills of materials with them.
package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/package-variants/package-variants/release/internal/build"
	"github.com/package-variants/package-variants/release/internal/image"
	"github.com/package-variants/package-variants/release/internal/naming"
	"github.com/package-variants/package-variants/release/internal/sbom"
)

// parcel is what goes to the registry for one image.
type parcel struct {
	tag   name.Tag
	index v1.ImageIndex
	sbom  []byte
}

// Images pushes the images in dir under the given names, and says so on out; then it moves the tags that follow the
// version. It pushes nothing if one is missing or has another version, or if the registry has another image under the
// tag of one. Registries on this machine are talked to without TLS; for others the credentials are those of docker
// login and podman login.
func Images(ctx context.Context, dir string, images []string, names naming.Names, out io.Writer) error {
	options := optionsOf(ctx)
	return packed(dir, images, names, func(parcels []parcel) error {
		for _, step := range []func(parcel, naming.Names, io.Writer, ...remote.Option) error{
			parcel.free, parcel.push, parcel.float,
		} {
			for _, p := range parcels {
				if err := step(p, names, out, options...); err != nil {
					return fmt.Errorf("cannot push %s: %w", p.tag, err)
				}
			}
		}
		return nil
	})
}

// Follow moves the tags that follow the version of an image that another program has pushed, and says so on log. It
// writes the digest of the image to out, as Digests does.
func Follow(ctx context.Context, image string, names naming.Names, out, log io.Writer) error {
	tag, err := name.NewTag(names.Ref(image), name.StrictValidation)
	if err != nil {
		return err
	}
	index, err := remote.Index(tag, optionsOf(ctx)...)
	if err == nil {
		err = parcel{tag: tag, index: index}.float(names, log, optionsOf(ctx)...)
	}
	if err != nil {
		return fmt.Errorf("cannot tag %s: %w", tag, err)
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s  %s\n", digest.Hex, tag.Context())
	return err
}

func optionsOf(ctx context.Context) []remote.Option {
	return []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
}

// Digests writes the digests of the images in dir to out, as sha256sum would if the images were files with the name of
// their repository.
func Digests(dir string, images []string, names naming.Names, out io.Writer) error {
	return packed(dir, images, names, func(parcels []parcel) error {
		for _, p := range parcels {
			digest, err := p.index.Digest()
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s  %s\n", digest.Hex, p.tag.Context())
		}
		return nil
	})
}

// packed calls do with the images in dir, which can be read until it returns.
func packed(dir string, images []string, names naming.Names, do func([]parcel) error) error {
	scratch, err := os.MkdirTemp("", "push-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	var parcels []parcel
	for _, image := range images {
		p, err := pack(dir, image, names, filepath.Join(scratch, image))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: run 'make images' first", err)
		}
		if err != nil {
			return err
		}
		parcels = append(parcels, p)
	}
	return do(parcels)
}

// pack reads an image and its bill of materials. The directory scratch is made.
func pack(dir, component string, names naming.Names, scratch string) (parcel, error) {
	if err := os.Mkdir(scratch, 0o700); err != nil {
		return parcel{}, err
	}
	file := filepath.Join(dir, build.ImageFile(component))
	index, ref, err := image.Read(file, scratch)
	if err != nil {
		return parcel{}, err
	}
	if !strings.HasSuffix(ref, "/"+component+":"+names.Version) {
		return parcel{}, fmt.Errorf("%s holds %s, not version %s: run 'make images VERSION=%s' first", file, ref,
			names.Version, names.Version)
	}
	document, err := os.ReadFile(filepath.Join(dir, build.SBOMFile(component)))
	if err != nil {
		return parcel{}, err
	}
	tag, err := name.NewTag(names.Ref(component), name.StrictValidation)
	return parcel{tag: tag, index: index, sbom: document}, err
}

// free fails if the registry has another image under the tag: the tag of a version never moves.
func (p parcel) free(names naming.Names, _ io.Writer, options ...remote.Option) error {
	there, err := remote.Head(p.tag, options...)
	var refused *transport.Error
	// Registries hide repositories that do not exist as they hide those that may not be read. Where it may be read but
	// not here, it may not be written either.
	if errors.As(err, &refused) && slices.Contains(
		[]int{http.StatusNotFound, http.StatusUnauthorized, http.StatusForbidden}, refused.StatusCode) {
		return nil
	}
	if err != nil {
		return err
	}
	digest, err := p.index.Digest()
	if err == nil && there.Digest != digest {
		err = fmt.Errorf("the registry has another image under this tag, %s, and the tag of a version never moves: "+
			"name another VERSION, such as %s-dev.1", there.Digest, names.Version)
	}
	return err
}

// push pushes the index with all that it names, and then what refers to it.
func (p parcel) push(_ naming.Names, out io.Writer, options ...remote.Option) error {
	if err := remote.WriteIndex(p.tag, p.index, options...); err != nil {
		return err
	}
	subject, err := partial.Descriptor(p.index)
	if err != nil {
		return err
	}
	artifact, err := attached(p.sbom, *subject)
	if err != nil {
		return err
	}
	digest, err := artifact.Digest()
	if err != nil {
		return err
	}
	if err := remote.Write(p.tag.Digest(digest.String()), artifact, options...); err != nil {
		return err
	}
	fmt.Fprintf(out, "pushed %s@%s\n", p.tag, subject.Digest)
	return nil
}

// float moves the tags that follow the version to the index, which the registry has.
func (p parcel) float(names naming.Names, out io.Writer, options ...remote.Option) error {
	existing, err := remote.List(p.tag.Context(), options...)
	if err != nil {
		return err
	}
	digest, err := p.index.Digest()
	if err != nil {
		return err
	}
	for _, tag := range names.Floating(existing) {
		if err := remote.Tag(p.tag.Tag(tag), p.index, options...); err != nil {
			return err
		}
		fmt.Fprintf(out, "tagged %s@%s\n", p.tag.Tag(tag), digest)
	}
	return nil
}

// attached returns an artifact that holds a bill of materials and refers to what it is of. Its type is that of its
// config, as OCI has it for artifacts that do not name one.
func attached(document []byte, subject v1.Descriptor) (v1.Image, error) {
	artifact := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), sbom.MediaType)
	artifact, err := mutate.AppendLayers(artifact, static.NewLayer(document, sbom.MediaType))
	if err != nil {
		return nil, err
	}
	return mutate.Subject(artifact, subject).(v1.Image), nil //nolint:errcheck // it returns what it is given
}
