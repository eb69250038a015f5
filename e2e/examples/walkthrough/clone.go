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
	copies := []string{filepath.Join("sync-controller", "config")}
	for _, example := range examples {
		copies = append(copies, filepath.Join("examples", example))
	}
	for _, name := range copies {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(root, name))); err != nil {
			return fmt.Errorf("cannot copy %s: %w", name, err)
		}
		// What a test expects of an example is not part of what is tested.
		if err := os.RemoveAll(filepath.Join(dir, name, ".expected")); err != nil {
			return err
		}
	}
	for name, target := range bin {
		target, err := filepath.Abs(target)
		if err != nil {
			return err
		}
		name = filepath.Join(dir, "bin", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(target, name); err != nil {
			return err
		}
	}
	return nil
}
