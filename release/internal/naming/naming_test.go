// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ registry, version, want string }{
		{"ghcr.io/package-variants", "v0.1.0", "ghcr.io/package-variants/inject-config:v0.1.0"},
		{"localhost:5000/x", "v0.2.0-rc.1", "localhost:5000/x/inject-config:v0.2.0-rc.1"},
		{"127.0.0.1:5000", "v10.20.30", "127.0.0.1:5000/inject-config:v10.20.30"},
		{"registry.example.com:8443/a/b_c", "v1.0.0", "registry.example.com:8443/a/b_c/inject-config:v1.0.0"},
	} {
		names, err := New(c.registry, c.version)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(c.want, names.Ref("inject-config")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestNewErrors(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "0.1.0", "v1", "v1.2", "v01.2.3", "v1.2.3+git", "v1.2.3/../x", "v1.2.3 ",
		"latest"} {
		_, err := New("ghcr.io/x", version)
		want := fmt.Sprintf("VERSION %q is not a version: write vMAJOR.MINOR.PATCH, such as v0.1.0 or v0.2.0-rc.1", version)
		if err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	for _, registry := range []string{"", "package-variants", "a/b", "https://ghcr.io/x", "ghcr.io/X", "ghcr.io/x/",
		"ghcr.io/x:v1", "ghcr.io x"} {
		_, err := New(registry, "v0.1.0")
		want := fmt.Sprintf("REGISTRY %q is not a place for images: "+
			"write HOST/PATH, without a scheme, such as ghcr.io/package-variants or localhost:5000/x", registry)
		if err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// TestFloating checks which tags follow a version, by the tags that there are.
func TestFloating(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		version  string
		existing []string
		want     []string
	}{
		"the first":                      {"v0.1.0", nil, []string{"v0.1", "v0"}},
		"the newest":                     {"v0.2.1", []string{"v0.2.0", "v0.1.9", "v0.2", "v0"}, []string{"v0.2", "v0"}},
		"again":                          {"v0.1.0", []string{"v0.1.0", "v0.1", "v0"}, []string{"v0.1", "v0"}},
		"of an older minor version":      {"v0.1.5", []string{"v0.1.4", "v0.2.0"}, []string{"v0.1"}},
		"of an older major version":      {"v1.9.1", []string{"v1.9.0", "v2.0.0"}, []string{"v1.9", "v1"}},
		"older":                          {"v0.1.4", []string{"v0.1.5", "v0.1.10"}, nil},
		"by number, not by letter":       {"v0.10.0", []string{"v0.9.0"}, []string{"v0.10", "v0"}},
		"beside a candidate":             {"v0.1.0", []string{"v0.1.1-rc.1", "v0.2.0-rc.1"}, []string{"v0.1", "v0"}},
		"beside what is no version":      {"v0.1.0", []string{"latest", "sha256-0123", "v9"}, []string{"v0.1", "v0"}},
		"before a release":               {"v0.2.0-rc.1", nil, nil},
		"beside another major version's": {"v1.0.0", []string{"v10.0.0", "v0.9.0"}, []string{"v1.0", "v1"}},
	} {
		if diff := cmp.Diff(c.want, Names{Version: c.version}.Floating(c.existing)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
