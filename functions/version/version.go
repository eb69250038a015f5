// SPDX-License-Identifier: Apache-2.0

// Package version says which program this is, and its version.
package version

import (
	"path"
	"runtime/debug"
)

// version is set by the linker when a release or an image is built.
var version string

// Line returns what a program prints for --version: the name of its main package, which does not change with that of
// its file, and its version. Without one from the linker it is what the go command knows, "(devel)" for a build in a
// work tree.
func Line() string {
	info, ok := debug.ReadBuildInfo()
	if !ok { // only if it was not built by the go command
		info = &debug.BuildInfo{}
	}
	return line(info, version)
}

// Stamped returns the version from the linker, "" without one.
func Stamped() string { return version }

func line(info *debug.BuildInfo, stamped string) string {
	v := stamped
	if v == "" {
		v = info.Main.Version
	}
	if v == "" {
		v = "(devel)"
	}
	return path.Base(info.Path) + " " + v
}
