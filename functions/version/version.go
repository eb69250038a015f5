// SPDX-License-Identifier: Apache-2.0

// Package version says which program this is, and its version.
package version

import (
	"cmp"
	"path"
	"runtime/debug"
)

// version is set by the linker when a release or an image is built.
var version string

// Line returns what a program prints for --version: the name of its main package, which does not change with that of
// its file, and its version.
func Line() string {
	info := built()
	return path.Base(info.Path) + " " + of(info, version)
}

// Current returns the version. Without one from the linker it is what the go command knows, "(devel)" for a build in a
// work tree.
func Current() string { return of(built(), version) }

// Stamped returns the version from the linker, "" without one.
func Stamped() string { return version }

// built returns what the go command has noted: nothing if it has not built the program.
func built() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{}
}

func of(info *debug.BuildInfo, stamped string) string {
	return cmp.Or(stamped, info.Main.Version, "(devel)")
}
