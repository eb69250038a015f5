// SPDX-License-Identifier: Apache-2.0

package walkthrough

import (
	"fmt"
	"os"
	"path/filepath"
)

// Clone makes dir look like a clone of the repository at root to the commands that set an example up: it has the
// examples, the manifests of the controller, and in bin what a make would leave there, by name and where it is.
func Clone(dir, root string, bin map[string]string, examples ...string) error {
	for _, example := range examples {
		if err := os.CopyFS(filepath.Join(dir, "examples", example),
			os.DirFS(filepath.Join(root, "examples", example))); err != nil {
			return fmt.Errorf("cannot copy the example: %w", err)
		}
	}
	links := map[string]string{filepath.Join("sync-controller", "config"): filepath.Join(root, "sync-controller",
		"config")}
	for name, target := range bin {
		links[filepath.Join("bin", name)] = target
	}
	for name, target := range links {
		target, err := filepath.Abs(target)
		if err != nil {
			return err
		}
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(target, name); err != nil {
			return err
		}
	}
	return nil
}
