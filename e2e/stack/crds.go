// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// porchCRDs are the directories of the CRDs that Porch needs, in Porch's sources.
var porchCRDs = []string{"api/porchconfig/v1alpha1", "internal/api/porchinternal/v1alpha1"}

// variantCRDs is the directory of this project's CRDs.
const variantCRDs = "sync-controller/config/crds"

// installPorch applies what Porch's API server needs in a cluster, except the APIService and the webhook, and waits
// until its CRDs are served.
func (s *Stack) installPorch(ctx context.Context) error {
	for _, o := range []object{namespaceObject(porchNamespace), porchServiceObject()} {
		if err := s.apply(ctx, o); err != nil {
			return err
		}
	}
	var files []string
	for _, dir := range porchCRDs {
		found, err := crdFiles(filepath.Join(s.porch.source, filepath.FromSlash(dir)))
		if err != nil {
			return fmt.Errorf("cannot install Porch: %w", err)
		}
		files = append(files, found...)
	}
	return s.applyCRDs(ctx, files)
}

// crdFiles returns the files of CRDs in a directory.
func crdFiles(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no CRDs in %s", dir)
	}
	return files, err
}

// InstallVariants applies the CRDs of PackageVariant and PackageVariantSet, as the controller's package has them, and
// returns once they are served. Only a stack's first call does anything.
func (s *Stack) InstallVariants(ctx context.Context) error {
	s.installing.Lock()
	defer s.installing.Unlock()
	if s.installed {
		return nil
	}
	module, err := sources(ctx, apiModule)
	if err != nil {
		return err
	}
	files, err := crdFiles(filepath.Join(filepath.Dir(module.Dir), filepath.FromSlash(variantCRDs)))
	if err != nil {
		return fmt.Errorf("cannot install PackageVariants: %w", err)
	}
	if err := s.applyCRDs(ctx, files); err != nil {
		return err
	}
	s.installed = true
	return nil
}

// applyCRDs applies the CRDs in files, one each, and waits until they are served.
func (s *Stack) applyCRDs(ctx context.Context, files []string) error {
	var names []string
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("cannot read a CRD: %w", err)
		}
		crd := map[string]any{}
		if err := yaml.Unmarshal(content, &crd); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		name := (&unstructured.Unstructured{Object: crd}).GetName()
		if err := s.apply(ctx, object{resource: crds, name: name, content: crd}); err != nil {
			return err
		}
		names = append(names, name)
	}
	for _, name := range names {
		err := s.process(APIServer).Await(ctx, "it served "+name, func(ctx context.Context) error {
			return s.condition(ctx, crds, "", name, "Established")
		})
		if err != nil {
			return err
		}
	}
	return nil
}
