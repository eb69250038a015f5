// SPDX-License-Identifier: Apache-2.0

package git

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
)

// What a clone of the cache has of its own is objects and refs. All else in it that git acts on is written again
// whenever it is opened: whoever could write to the cache could name programs there.

// ofSha256 finds, in the configuration of a clone, that its objects are named by SHA-256.
var ofSha256 = regexp.MustCompile(`(?im)^\s*objectformat\s*=\s*"?sha256"?\s*$`)

// configs are what the configuration of a clone says, with objects named by SHA-1 and by SHA-256.
var configs = map[bool]string{
	false: "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
	true:  "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n",
}

// others are the files by which a clone reads configuration, objects or programs that are elsewhere.
var others = []string{"commondir", "config.worktree", "hooks", "info", "objects/info/alternates",
	"objects/info/http-alternates"}

// secure writes the configuration of the clone, and removes what leads out of it.
func (r *Repository) secure() error {
	file := filepath.Join(r.dir, "config")
	there, err := os.ReadFile(file) //nolint:gosec // it is in the cache
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	r.sha256 = ofSha256.Match(there)
	var errs []error
	for _, name := range others {
		errs = append(errs, os.RemoveAll(filepath.Join(r.dir, filepath.FromSlash(name))))
	}
	if wanted := configs[r.sha256]; string(there) != wanted {
		errs = append(errs, replace(file, wanted))
	}
	return errors.Join(errs...)
}

// replace writes a file whole, or not at all.
func replace(file, text string) error {
	beside, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+"-")
	if err != nil {
		return err
	}
	_, err = beside.WriteString(text)
	if err = errors.Join(err, beside.Close()); err == nil {
		err = os.Rename(beside.Name(), file)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(beside.Name()))
	}
	return err
}
