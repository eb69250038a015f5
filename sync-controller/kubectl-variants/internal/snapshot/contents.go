// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// addContent adds the place of a content. A package revision whose content is there twice, with different files, is an
// error.
func (f *Files) addContent(at place, key types.NamespacedName) error {
	first, twice := f.contents[key]
	f.contents[key] = at
	if !twice {
		return nil
	}
	a, err := first.content()
	if err != nil {
		return err
	}
	b, err := at.content()
	if err != nil || maps.Equal(a.Spec.Resources, b.Spec.Resources) {
		return err
	}
	return fmt.Errorf("%s %s is twice in the snapshot, with different content, in %s, line %d, and %s, line %d: "+
		"remove the one that is out of date", contentKind, key.Name, first.path, first.line, at.path, at.line)
}

// Contents returns the content of a package revision from the files, for a world in memory.
func (f *Files) Contents(_ context.Context, key types.NamespacedName) (*porchapi.PackageRevisionResources, error) {
	at, there := f.contents[key]
	if !there {
		return nil, &MissingContentError{Key: key, Path: f.path}
	}
	prr, err := at.content()
	if err == nil && prr.ResourceVersion == "" {
		prr.ResourceVersion = someVersion
	}
	return prr, err
}

// content reads the content of a package revision.
func (p place) content() (*porchapi.PackageRevisionResources, error) {
	text, err := p.text()
	if err != nil {
		return nil, err
	}
	prr := &porchapi.PackageRevisionResources{}
	if err := yaml.Unmarshal(text, prr); err != nil {
		line, reason := reasonOf(err, p.line)
		return nil, damaged(place{path: p.path, line: line}, false, "%s", reason)
	}
	return prr, nil
}

// MissingContentError says that the files of a package revision are needed but missing.
type MissingContentError struct {
	Key types.NamespacedName
	// Path is the directory that lacks them.
	Path string
}

// Error says how to get them.
func (e *MissingContentError) Error() string {
	file := filepath.Join(e.Path, e.Key.Name+".yaml")
	if info, err := os.Stat(e.Path); err == nil && !info.IsDir() {
		file = filepath.Join(filepath.Dir(e.Path), e.Key.Name+".yaml")
	}
	return fmt.Sprintf("the files of package revision %s are needed, and %s does not have them: write them by: "+
		"kubectl get packagerevisionresources %s --namespace %s -o yaml > %s", e.Key.Name, e.Path, e.Key.Name,
		e.Key.Namespace, file)
}
