// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// unrendered is a home that makes no drafts of packages with a pipeline, because nothing runs it.
type unrendered struct{ packages.Home }

// needsKpt is why.
const needsKpt = "the package has a pipeline of functions in its Kptfile, which `variants` cannot run yet: " +
	"remove the pipeline, or keep this variant in a cluster with Porch"

var errPipeline = &packages.Error{Kind: packages.ErrRefused, Err: errors.New(needsKpt), Rendered: needsKpt,
	Condition: v1alpha1.Stalled(v1alpha1.ReasonPackageRefused, needsKpt)}

// Ask implements packages.Home.
func (h unrendered) Ask(ctx context.Context, d packages.Draft) (revision.Revision, error) {
	made, err := h.Home.Ask(ctx, d)
	if err != nil {
		return made, err
	}
	read, err := h.Read(ctx, made.Namespace, made.Name)
	if err == nil && hasPipeline(read.Files) {
		err = errPipeline
	}
	if err != nil {
		return revision.Revision{}, errors.Join(err, h.Delete(ctx, &made))
	}
	return made, nil
}

// Save implements packages.Home.
func (h unrendered) Save(ctx context.Context, read packages.Content, files map[string]string) (packages.Content,
	error) {
	if hasPipeline(files) {
		return packages.Content{}, errPipeline
	}
	return h.Home.Save(ctx, read, files)
}

// hasPipeline reports whether functions are to be run over a package.
func hasPipeline(files map[string]string) bool {
	var file struct {
		Pipeline struct {
			Mutators   []any `yaml:"mutators"`
			Validators []any `yaml:"validators"`
		} `yaml:"pipeline"`
	}
	err := yaml.Unmarshal([]byte(files["Kptfile"]), &file)
	return err == nil && len(file.Pipeline.Mutators)+len(file.Pipeline.Validators) > 0
}
