// SPDX-License-Identifier: Apache-2.0

// Package dist puts together what is published as a release.
package dist

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/release/internal/archive"
	"github.com/package-variants/package-variants/release/internal/naming"
	"github.com/package-variants/package-variants/release/internal/tags"
)

// What a release has in addition to images and their bills of materials.
const (
	crdsFile       = "crds.yaml"
	installFile    = "install.yaml"
	namespacedFile = "install-namespaced.yaml"
	sumsFile       = "SHA256SUMS"
)

// The kpt packages that install a controller of all namespaces, and of some, and how archives end.
const (
	controllerPackage = "package-variants-sync-controller"
	tenantPackage     = controllerPackage + "-namespaced"
	archived          = ".tar.gz"
)

// everywhere are the files of the package that are only for a controller of all namespaces. Controllers of some
// namespaces take their place.
var everywhere = []string{"6-deployment.yaml", "12-all-namespaces.yaml"}

// Write writes a release of the repository in root to the directory of its version in out, in place of one that may be
// there: the images, which makeImages writes to the directory that it is given; the CRDs; what installs the controller,
// as one file and as a kpt package, for all namespaces and for some; the examples; and the checksums of all these.
// References to images are those of the release; the tree stays as it is. If anything fails, nothing of it is left.
func Write(root, out string, images []string, names naming.Names, makeImages func(dir string) error) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(out, ".incomplete-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if err := makeImages(dir); err != nil {
		return err
	}
	files, err := assemble(root, images, names)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			return err
		}
	}
	if err := writeSums(dir); err != nil {
		return err
	}
	final := filepath.Join(out, names.Version)
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	return os.Rename(dir, final)
}

// assemble returns the files that are made from the tree.
func assemble(root string, images []string, names naming.Names) ([]archive.File, error) {
	config, err := read(filepath.Join(root, "sync-controller", "config"), images, names)
	if err != nil {
		return nil, err
	}
	// The plugin embeds the kinds, by a Go file in their directory.
	config = slices.DeleteFunc(config, func(f archive.File) bool { return path.Ext(f.Name) == ".go" })
	tenant, err := read(filepath.Join(root, "sync-controller", "namespaced"), images, names)
	if err != nil {
		return nil, err
	}
	examples, err := read(filepath.Join(root, "examples"), images, names)
	if err != nil {
		return nil, err
	}
	// The files of packages are applied in the order of their names, after the kinds.
	crds := manifests(config, func(name string) bool { return path.Dir(name) == "crds" })
	rest := manifests(config, func(name string) bool { return path.Dir(name) != "crds" })
	tenantOnly := manifests(tenant, func(string) bool { return true })
	shared := manifests(rest, func(name string) bool { return !slices.Contains(everywhere, name) })
	if len(rest)-len(shared) != len(everywhere) {
		return nil, fmt.Errorf("sync-controller/config does not have %s", strings.Join(everywhere, " and "))
	}
	files := []archive.File{
		{Name: crdsFile, Data: joined(crds)},
		{Name: installFile, Data: joined(slices.Concat(crds, rest))},
		{Name: namespacedFile, Data: joined(slices.Concat(crds, shared, tenantOnly))},
	}
	for _, of := range []struct {
		name  string
		files []archive.File
	}{{controllerPackage, config}, {tenantPackage, tenant}, {"examples", examples}} {
		data, err := compressed(of.name, of.files)
		if err != nil {
			return nil, err
		}
		files = append(files, archive.File{Name: of.name + archived, Data: data})
	}
	return files, nil
}

// Install returns what installs the controller of all namespaces, as one file, with the references of a release.
func Install(root string, images []string, names naming.Names) ([]byte, error) {
	files, err := assemble(root, images, names)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(files, func(f archive.File) bool { return f.Name == installFile })
	return files[i].Data, nil
}

// manifests returns the files in YAML whose names are wanted.
func manifests(files []archive.File, wanted func(name string) bool) []archive.File {
	return slices.DeleteFunc(slices.Clone(files), func(f archive.File) bool {
		return path.Ext(f.Name) != ".yaml" || !wanted(f.Name)
	})
}

// read returns the files of a directory with the references of the release.
func read(dir string, images []string, names naming.Names) ([]archive.File, error) {
	files, err := archive.Read(os.DirFS(dir))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	for i := range files {
		files[i].Data = []byte(tags.Rewrite(string(files[i].Data), images, names))
	}
	return files, nil
}

// joined returns the documents of YAML files as those of one.
func joined(files []archive.File) []byte {
	var all strings.Builder
	for _, f := range files {
		all.WriteString("---\n")
		all.WriteString(strings.TrimRight(strings.TrimPrefix(string(f.Data), "---\n"), "\n") + "\n")
	}
	return []byte(all.String())
}

// compressed returns files as a compressed archive in which they are in a directory.
func compressed(dir string, files []archive.File) ([]byte, error) {
	moved := make([]archive.File, len(files))
	for i, f := range files {
		f.Name = path.Join(dir, f.Name)
		moved[i] = f
	}
	var buffer bytes.Buffer
	zip := gzip.NewWriter(&buffer)
	if err := archive.Write(zip, moved); err != nil {
		return nil, err
	}
	err := zip.Close()
	return buffer.Bytes(), err
}

// writeSums writes the checksums of all files in a directory, as sha256sum --check reads them.
func writeSums(dir string) error {
	files, err := archive.Read(os.DirFS(dir))
	if err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.Data), f.Name)
	}
	return os.WriteFile(filepath.Join(dir, sumsFile), sums.Bytes(), 0o644)
}
