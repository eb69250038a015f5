// SPDX-License-Identifier: Apache-2.0

// Package programs makes what is released of the command lines: an archive of each for each platform, and the manifest
// from which krew installs the kubectl plugin.
package programs

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/package-variants/package-variants/release/internal/archive"
)

// Program is a command line.
type Program struct {
	// Name is that of the program, Module the directory of its Go module in the repository, where its main package is.
	Name, Module string
	// completion is a script in Module that kubectl runs to complete the arguments of a plugin; "" for none.
	completion string
}

// The command lines.
var (
	Plugin = Program{"kubectl-variants", "sync-controller/kubectl-variants", "kubectl_complete-variants"}
	Git    = Program{"variants", "local", ""}
	All    = []Program{Plugin, Git}
)

// Platforms are those that archives are made for.
func Platforms() []v1.Platform {
	var all []v1.Platform
	for _, system := range []string{"darwin", "linux", "windows"} {
		for _, architecture := range []string{"amd64", "arm64"} {
			all = append(all, v1.Platform{OS: system, Architecture: architecture})
		}
	}
	return all
}

// File returns the name of the program's file on a platform.
func (g *Program) File(p v1.Platform) string {
	if p.OS == "windows" {
		return g.Name + ".exe"
	}
	return g.Name
}

// Archive returns the name of a platform's archive.
func (g *Program) Archive(p v1.Platform, version string) string {
	name := g.Name + "_" + version + "_" + p.OS + "_" + p.Architecture
	if p.OS == "windows" {
		return name + ".zip"
	}
	return name + ".tar.gz"
}

// Select returns the platforms of a list of their names, separated by commas, such as linux/amd64; all if it is empty.
func Select(list string) ([]v1.Platform, error) {
	if list == "" {
		return Platforms(), nil
	}
	var selected []v1.Platform
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(Platforms(), func(p v1.Platform) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("no program is made for the platform %q: choose from %v", name, Platforms())
		}
		selected = append(selected, Platforms()[i])
	}
	return selected, nil
}

// Write writes the archives of a version for the given platforms, and krew's manifest of those of the plugin, to dir.
// The repository in root has the license and the script that completes arguments; path returns where a program for a
// platform is. The archives depend on nothing but these.
func Write(root, dir, version string, platforms []v1.Platform, path func(Program, v1.Platform) string) error {
	license, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return err
	}
	sums := map[string]string{}
	for _, g := range All {
		for _, p := range platforms {
			data, err := g.pack(root, p, path(g, p), license)
			if err != nil {
				return fmt.Errorf("cannot make %s: %w", g.Archive(p, version), err)
			}
			if err := os.WriteFile(filepath.Join(dir, g.Archive(p, version)), data, 0o644); err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			sums[g.Archive(p, version)] = hex.EncodeToString(sum[:])
		}
	}
	text, err := manifest(version, platforms, sums)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ManifestFile), text, 0o644)
}

// pack returns the archive of a program for a platform.
func (g *Program) pack(root string, p v1.Platform, path string, license []byte) ([]byte, error) {
	binary, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	files := []archive.File{{Name: g.File(p), Executable: true, Data: binary}, {Name: "LICENSE", Data: license}}
	if p.OS == "windows" {
		return zipped(files)
	}
	if g.completion != "" { // a script for a shell
		script, err := os.ReadFile(filepath.Join(root, g.Module, g.completion))
		if err != nil {
			return nil, err
		}
		files = append(files, archive.File{Name: g.completion, Executable: true, Data: script})
	}
	return compressed(files)
}

// compressed returns files as a compressed tar archive.
func compressed(files []archive.File) ([]byte, error) {
	var buffer bytes.Buffer
	w := gzip.NewWriter(&buffer)
	if err := archive.Write(w, files); err != nil {
		return nil, err
	}
	err := w.Close()
	return buffer.Bytes(), err
}

// zipped returns files as a zip archive, by name. Their time is the earliest that zip archives can hold.
func zipped(files []archive.File) ([]byte, error) {
	files = slices.SortedFunc(slices.Values(files), func(a, b archive.File) int { return cmp.Compare(a.Name, b.Name) })
	var buffer bytes.Buffer
	w := zip.NewWriter(&buffer)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		header.SetMode(0o644)
		if f.Executable {
			header.SetMode(0o755)
		}
		file, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := file.Write(f.Data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return buffer.Bytes(), err
}
