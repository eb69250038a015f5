// SPDX-License-Identifier: Apache-2.0

// Package tags keeps the references to our images, in examples and manuals, in step with the version.
package tags

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/package-variants/package-variants/release/internal/naming"
)

// releases are where commands name a release of this repository.
var releases = regexp.MustCompile(`(\.github/workflows/release\.yaml@refs/tags/|gh release download )v[0-9][\w.-]*\w`)

// Rewrite returns text in which every reference to one of the images has the version of names for a tag, and the
// registry of names in place of naming.Home; other registries are where users have put the images, and stay. A
// reference is a registry, the name of an image as its last part, and a tag; a digest behind it, which would be that of
// another version, is removed. References to other images stay. In a FunctionConfig, the registry and the tag stand
// apart from the name. The version is written, too, where commands name the tag in git from which a release was made.
func Rewrite(text string, images []string, names naming.Names) string {
	quoted := make([]string, len(images))
	for i, image := range images {
		quoted[i] = regexp.QuoteMeta(image)
	}
	reference := regexp.MustCompile(`(^|[^\w.-])` + // what stands before it
		`((?:localhost|[\w-]+(?:\.[\w-]+)+)(?::[0-9]+)?(?:/[a-z0-9._-]+)*)/` + // the registry, and a path in it
		`(` + strings.Join(quoted, "|") + `)` + // the image
		`:\w(?:[\w.-]*\w)?(?:@sha256:[0-9a-f]{64})?`) // the tag, which ends before a full stop
	config := regexp.MustCompile(`(\n  image: (?:` + strings.Join(quoted, "|") + `)\n  prefixes: \[)([^\]\n]*)` +
		`(\]\n  binaryExecutor: \{path: [a-z-]+, tags: \[)[^\]\n]*`)
	text = config.ReplaceAllStringFunc(text, func(match string) string {
		parts := config.FindStringSubmatch(match)
		if parts[2] == naming.Home {
			parts[2] = names.Registry
		}
		return parts[1] + parts[2] + parts[3] + names.Version
	})
	text = releases.ReplaceAllString(text, "${1}"+names.Version)
	return reference.ReplaceAllStringFunc(text, func(match string) string {
		parts := reference.FindStringSubmatch(match)
		if parts[2] == naming.Home {
			return parts[1] + names.Ref(parts[3])
		}
		return parts[1] + naming.Names{Registry: parts[2], Version: names.Version}.Ref(parts[3])
	})
}

// places are the files and directories in which references stand.
var places = []string{"README.md", "docs", "examples", "functions/*/README.md", "sync-controller/config",
	"sync-controller/namespaced"}

// Write rewrites the references in the tree of the repository in root.
func Write(root string, images []string, names naming.Names) error {
	return Stale(root, images, names, func(file, text string) error {
		return os.WriteFile(filepath.Join(root, file), []byte(text), 0o644)
	})
}

// Check fails if Write would change anything.
func Check(root string, images []string, names naming.Names) error {
	var files []string
	err := Stale(root, images, names, func(file, _ string) error {
		files = append(files, file)
		return nil
	})
	if err == nil && len(files) > 0 {
		return fmt.Errorf("not all references to images are %s: run 'make tags' and commit what it changes: %s",
			names.Ref("<name>"), strings.Join(files, ", "))
	}
	return err
}

// Stale calls do for each file of the tree that Rewrite changes, with its path below root and the text that it should
// have.
func Stale(root string, images []string, names naming.Names, do func(file, text string) error) error {
	for _, place := range places {
		found, err := filepath.Glob(filepath.Join(root, place))
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("%s: there is no %s: it is not the root of the repository", root, place)
		}
		for _, start := range found {
			err := filepath.WalkDir(start, func(path string, entry fs.DirEntry, err error) error {
				if err != nil || !entry.Type().IsRegular() {
					return err
				}
				content, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				text := Rewrite(string(content), images, names)
				if text == string(content) {
					return nil
				}
				file, err := filepath.Rel(root, path)
				return errors.Join(err, do(file, text))
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
