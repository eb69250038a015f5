// SPDX-License-Identifier: Apache-2.0

package sbom

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/package-variants/package-variants/release/internal/component"
)

var (
	controller = component.Component{Name: "c", Path: "/usr/local/bin/c", Description: "Says <nothing>.",
		License: "Apache-2.0"}
	digest = v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0f", 32)}
)

// build compiles a program of a module of the given name, and returns its path.
func build(t *testing.T, module string) string {
	t.Helper()
	dir := t.TempDir()
	err := errors.Join(
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+module+"\n\ngo 1.26.0\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", program, ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

const document = `{
  "$schema": "http://cyclonedx.org/schema/bom-1.7.schema.json",
  "bomFormat": "CycloneDX",
  "specVersion": "1.7",
  "version": 1,
  "metadata": {
    "component": {
      "bom-ref": "pkg:oci/c@sha256%%3A%[1]s?tag=v0.1.0",
      "type": "container",
      "name": "c",
      "version": "v0.1.0",
      "description": "Says <nothing>.",
      "licenses": [
        {
          "license": {
            "id": "Apache-2.0"
          }
        }
      ],
      "purl": "pkg:oci/c@sha256%%3A%[1]s?tag=v0.1.0",
      "components": [
        {
          "bom-ref": "file:linux/amd64/usr/local/bin/c",
          "type": "file",
          "name": "/usr/local/bin/c",
          "hashes": [
            {
              "alg": "SHA-256",
              "content": "%[2]x"
            }
          ],
          "properties": [
            {
              "name": "platform",
              "value": "linux/amd64"
            }
          ]
        },
        {
          "bom-ref": "file:linux/arm64/usr/local/bin/c",
          "type": "file",
          "name": "/usr/local/bin/c",
          "hashes": [
            {
              "alg": "SHA-256",
              "content": "%[2]x"
            }
          ],
          "properties": [
            {
              "name": "platform",
              "value": "linux/arm64"
            }
          ]
        }
      ]
    }
  },
  "components": [
    {
      "bom-ref": "pkg:golang/github.com/package-variants/package-variants/c@v0.1.0",
      "type": "library",
      "name": "github.com/package-variants/package-variants/c",
      "version": "v0.1.0",
      "licenses": [
        {
          "license": {
            "id": "Apache-2.0"
          }
        }
      ],
      "purl": "pkg:golang/github.com/package-variants/package-variants/c@v0.1.0"
    },
    {
      "bom-ref": "pkg:golang/stdlib@%[3]s",
      "type": "library",
      "name": "stdlib",
      "version": "%[3]s",
      "purl": "pkg:golang/stdlib@%[3]s"
    }
  ],
  "dependencies": [
    {
      "ref": "pkg:oci/c@sha256%%3A%[1]s?tag=v0.1.0",
      "dependsOn": [
        "pkg:golang/github.com/package-variants/package-variants/c@v0.1.0",
        "pkg:golang/stdlib@%[3]s"
      ]
    }
  ]
}
`

// TestWrite checks what stands in the document, to the letter, and that it is the same when it is made again.
func TestWrite(t *testing.T) {
	t.Parallel()
	program := build(t, own+"c")
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(document, digest.Hex, sha256.Sum256(content), strings.TrimPrefix(runtime.Version(), "go"))
	for range 2 {
		var got bytes.Buffer
		if err := Write(&got, controller, "v0.1.0", digest, func(v1.Platform) string { return program }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if !json.Valid(got.Bytes()) {
			t.Error("it is no JSON")
		}
	}
}

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	one, other := build(t, own+"c"), build(t, "example.com/other")
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ amd64, arm64, want string }{
		"other modules": {one, other,
			other + " consists of other modules than the program of the same image for another platform"},
		"missing":    {one, "/nowhere/c", "open /nowhere/c: no such file or directory"},
		"no program": {text, one, "could not read Go build info from " + text + ": unrecognized file format"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := Write(&bytes.Buffer{}, controller, "v0.1.0", digest, func(p v1.Platform) string {
				if p.Architecture == "arm64" {
					return c.arm64
				}
				return c.amd64
			})
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestList checks how modules are named, and in which order.
func TestList(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8",
		Main:      debug.Module{Path: own + "functions", Version: "(devel)"},
		Deps: []*debug.Module{
			{Path: "sigs.k8s.io/yaml", Version: "v1.6.0"},
			{Path: own + "api", Version: "(devel)"},
			{Path: "github.com/Masterminds/semver", Version: "v1.5.0+incompatible"},
			{Path: "example.com/a", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v1.0.1"}},
		},
	}
	var got []string
	for _, c := range list(info, "v0.1.0", "Apache-2.0") {
		licenses, err := json.Marshal(c.Licenses)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Join([]string{c.Name, c.Version, c.PackageURL, string(licenses)}, " "))
	}
	const apache = ` [{"license":{"id":"Apache-2.0"}}]`
	want := []string{
		"example.com/fork v1.0.1 pkg:golang/example.com/fork@v1.0.1 null",
		"github.com/Masterminds/semver v1.5.0+incompatible " +
			"pkg:golang/github.com/Masterminds/semver@v1.5.0%2Bincompatible null",
		own + "api v0.1.0 pkg:golang/" + own + "api@v0.1.0" + apache,
		own + "functions v0.1.0 pkg:golang/" + own + "functions@v0.1.0" + apache,
		"sigs.k8s.io/yaml v1.6.0 pkg:golang/sigs.k8s.io/yaml@v1.6.0 null",
		"stdlib 1.26.8 pkg:golang/stdlib@1.26.8 null",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
