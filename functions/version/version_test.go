// SPDX-License-Identifier: Apache-2.0

package version

import (
	"runtime/debug"
	"testing"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		info    debug.BuildInfo
		stamped string
		want    string
	}{
		"stamped by the linker": {debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "v0.1.0",
			"v0.1.0"},
		"built in a work tree": {debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "",
			"(devel)"},
		"installed from a module": {debug.BuildInfo{Main: debug.Module{Version: "v0.2.0"}}, "",
			"v0.2.0"},
		"the linker's wins": {debug.BuildInfo{Main: debug.Module{Version: "v0.2.0"}}, "v0.3.0",
			"v0.3.0"},
		"no version at all": {debug.BuildInfo{}, "", "(devel)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := of(&c.info, c.stamped); got != c.want {
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
