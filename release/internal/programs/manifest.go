// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"sigs.k8s.io/yaml"

	"github.com/package-variants/package-variants/release/internal/component"
)

// ManifestFile is the name of krew's manifest, whose first part is the name of the plugin for krew.
const ManifestFile = "variants.yaml"

const description = `Shows what the controller of package variants is going to do, has done and waits for: the plan of a
change, the difference that a draft makes, the tree from a blueprint to its packages; and approves,
rejects, suspends and resumes.
`

// file is a file that krew takes from an archive.
type file struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// platform is how krew installs the plugin on a platform.
type platform struct {
	Selector map[string]map[string]string `json:"selector"`
	URI      string                       `json:"uri"`
	SHA256   string                       `json:"sha256"`
	Bin      string                       `json:"bin"`
	Files    []file                       `json:"files"`
}

// manifest returns krew's manifest of a version whose archives, for the given platforms, have these checksums.
func manifest(version string, made []v1.Platform, sums map[string]string) ([]byte, error) {
	var platforms []platform
	for _, p := range made {
		name := Plugin.Archive(p, version)
		sum, known := sums[name]
		if !known {
			return nil, fmt.Errorf("%s has no checksum", name)
		}
		platforms = append(platforms, platform{
			Selector: map[string]map[string]string{"matchLabels": {"os": p.OS, "arch": p.Architecture}},
			URI:      component.Repository + "/releases/download/" + version + "/" + name,
			SHA256:   sum, Bin: Plugin.File(p), Files: []file{{Plugin.File(p), "."}, {"LICENSE", "."}},
		})
	}
	return yaml.Marshal(map[string]any{
		"apiVersion": "krew.googlecontainertools.github.com/v1alpha2", "kind": "Plugin",
		"metadata": map[string]any{"name": "variants"},
		"spec": map[string]any{
			"version": version, "homepage": component.Repository,
			"shortDescription": "Plan, follow and approve package variants",
			"description":      description, "platforms": platforms,
		},
	})
}
