// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/package-variants/package-variants/local/programs"
	"k8s.io/apimachinery/pkg/types"
)

// output has the packages of a plan that are to be written to a directory.
type output struct {
	directory string
	drafts    []types.NamespacedName
	files     []map[string]string
}

// adder returns add; nil if no directory was chosen.
func (o *output) adder() func(types.NamespacedName, map[string]string) error {
	if o.directory == "" {
		return nil
	}
	return o.add
}

// add adds the package of a draft. Nothing is written yet.
func (o *output) add(draft types.NamespacedName, files map[string]string) error {
	o.drafts, o.files = append(o.drafts, draft), append(o.files, files)
	return nil
}

// write writes the packages, each to a directory with the name of its draft, in the chosen one, which has to be new or
// empty.
func (o *output) write() error {
	if o.directory == "" {
		return nil
	}
	if err := os.MkdirAll(o.directory, 0o750); err != nil {
		return err
	}
	entries, err := os.ReadDir(o.directory)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s has %s: name a new or an empty directory by --write-to", o.directory, entries[0].Name())
	}
	for i, draft := range o.drafts {
		err := programs.Write(o.directory, draft.Name, o.files[i])
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("two namespaces have a draft %s, one of them %s: plan them one after the other, each with a "+
				"directory of its own", draft.Name, draft.Namespace)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
