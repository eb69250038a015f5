// SPDX-License-Identifier: Apache-2.0

// Package plugin makes what is released of the kubectl plugin: an archive for each platform, and the manifest from
// which krew installs it.
package plugin

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

// Program is the name of the plugin's program, by which kubectl finds it, and Module the directory of its Go module in
// the repository, where its main package is.
const (
	Program = "kubectl-variants"
	Module  = "sync-controller/" + Program
)

// completion is what kubectl runs to complete the plugin's arguments.
const completion = "kubectl_complete-variants"

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

// ProgramFile returns the name of the program's file on a platform.
func ProgramFile(p v1.Platform) string {
	if p.OS == "windows" {
		return Program + ".exe"
	}
	return Program
}

// ArchiveFile returns the name of a platform's archive.
func ArchiveFile(p v1.Platform, version string) string {
	name := Program + "_" + version + "_" + p.OS + "_" + p.Architecture
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
			return nil, fmt.Errorf("the plugin is not made for the platform %q: choose from %v", name, Platforms())
		}
		selected = append(selected, Platforms()[i])
	}
	return selected, nil
}

// Write writes the archives of a version for the given platforms, and krew's manifest of these, to dir. The repository
// in root has the license and the script that completes arguments; program returns the path of the program for a
// platform. The archives depend on nothing but these.
func Write(root, dir, version string, platforms []v1.Platform, program func(v1.Platform) string) error {
	license, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return err
	}
	script, err := os.ReadFile(filepath.Join(root, Module, completion))
	if err != nil {
		return err
	}
	sums := map[string]string{}
	for _, p := range platforms {
		binary, err := os.ReadFile(program(p))
		if err != nil {
			return err
		}
		files := []archive.File{{Name: ProgramFile(p), Executable: true, Data: binary}, {Name: "LICENSE", Data: license}}
		pack := compressed
		if p.OS == "windows" {
			pack = zipped
		} else { // a script for a shell
			files = append(files, archive.File{Name: completion, Executable: true, Data: script})
		}
		data, err := pack(files)
		if err != nil {
			return fmt.Errorf("cannot make %s: %w", ArchiveFile(p, version), err)
		}
		if err := os.WriteFile(filepath.Join(dir, ArchiveFile(p, version)), data, 0o644); err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		sums[ArchiveFile(p, version)] = hex.EncodeToString(sum[:])
	}
	text, err := manifest(version, platforms, sums)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ManifestFile), text, 0o644)
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
