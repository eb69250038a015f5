// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// Contents returns the files of a package revision.
func (f *Files) Contents(_ context.Context, namespace, name string) (map[string]string, error) {
	key := types.NamespacedName{Namespace: namespace, Name: name}
	at, there := f.contents[key]
	if !there {
		return nil, &MissingContentError{Key: key, Path: f.path}
	}
	text, err := at.text()
	if err != nil {
		return nil, err
	}
	var prr porchapi.PackageRevisionResources
	if err := yaml.Unmarshal(text, &prr); err != nil {
		line, reason := reasonOf(err, at.line)
		return nil, unreadable(at.path, line, reason)
	}
	return prr.Spec.Resources, nil
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
