// SPDX-License-Identifier: Apache-2.0

package version

import (
	"runtime/debug"
	"testing"
)

func TestLine(t *testing.T) {
	t.Parallel()
	const main = "github.com/package-variants/package-variants/functions/inject-config"
	for name, c := range map[string]struct {
		info    debug.BuildInfo
		stamped string
		want    string
	}{
		"stamped by the linker": {debug.BuildInfo{Path: main, Main: debug.Module{Version: "(devel)"}}, "v0.1.0",
			"inject-config v0.1.0"},
		"built in a work tree": {debug.BuildInfo{Path: main, Main: debug.Module{Version: "(devel)"}}, "",
			"inject-config (devel)"},
		"installed from a module": {debug.BuildInfo{Path: main, Main: debug.Module{Version: "v0.2.0"}}, "",
			"inject-config v0.2.0"},
		"the linker's wins": {debug.BuildInfo{Path: main, Main: debug.Module{Version: "v0.2.0"}}, "v0.3.0",
			"inject-config v0.3.0"},
		"no version at all": {debug.BuildInfo{Path: main}, "", "inject-config (devel)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := line(&c.info, c.stamped); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestThisBinary checks that Line takes what it says from the binary that it is in: here, this package's test.
func TestThisBinary(t *testing.T) {
	t.Parallel()
	if got, want := Line(), "version.test (devel)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
