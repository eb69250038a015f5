// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/ledger"
	"github.com/package-variants/package-variants/local/programs"
)

// pipelines is a home that runs the pipelines of packages when drafts are saved, as Porch does. Porch does it when they
// are made, too; here, what was made is saved in any case, so that each draft is rendered once.
type pipelines struct {
	packages.Home
	// kpt runs them; nil for nothing, so that no draft of a package with a pipeline is made or saved.
	kpt *programs.Kpt
	// rejected returns what is not made again of a package; nil for nothing.
	rejected func(namespace string, of revision.Package) *ledger.Rejected
	// made has the versions of the drafts that were made, by namespace and name.
	made map[string]string
}

// needsKpt is why.
const needsKpt = "the package has a pipeline of functions in its Kptfile: add --render to have kpt run it, or remove " +
	"the pipeline"

var errPipeline = &packages.Error{Kind: packages.ErrRefused, Err: errors.New(needsKpt), Rendered: needsKpt,
	Condition: v1alpha1.Stalled(v1alpha1.ReasonPackageRefused, needsKpt)}

// Ask implements packages.Home.
func (h pipelines) Ask(ctx context.Context, d packages.Draft) (revision.Revision, error) {
	if r := h.rejected(d.Namespace, d.Package); r != nil {
		return revision.Revision{}, refusal(d.Package, r)
	}
	made, err := h.Home.Ask(ctx, d)
	if err == nil {
		h.made[made.Namespace+"/"+made.Name] = made.Version
	}
	return made, err
}

// Read implements packages.Home.
func (h pipelines) Read(ctx context.Context, namespace, name string) (packages.Content, error) {
	read, err := h.Home.Read(ctx, namespace, name)
	read.Unrendered = h.made[namespace+"/"+name] == read.Version && len(kpt.Pipelines(read.Files)) > 0
	return read, err
}

// Save implements packages.Home.
func (h pipelines) Save(ctx context.Context, read packages.Content, files map[string]string) (packages.Content,
	error) {
	rendered, err := h.render(ctx, files)
	if err != nil {
		return packages.Content{}, err
	}
	return h.Home.Save(ctx, read, rendered)
}

// render returns what the pipelines of a package make of its files. Every error is one of the render, after which a
// draft that was just made is deleted: none is pushed without what its variant asks for.
func (h pipelines) render(ctx context.Context, files map[string]string) (map[string]string, error) {
	if len(kpt.Pipelines(files)) == 0 {
		return files, nil
	}
	if h.kpt == nil {
		return nil, errPipeline
	}
	rendered, err := h.kpt.Render(ctx, files)
	if failed, ok := errors.AsType[*programs.PipelineError](err); ok {
		return nil, packages.RenderError(failed.Said)
	}
	if err != nil && ctx.Err() == nil {
		err = &packages.Error{Kind: packages.ErrUnavailable, Err: err, Rendered: err.Error(),
			Condition: v1alpha1.Reconciling(v1alpha1.ReasonFunctionRunnerUnavailable, "will try again: "+err.Error())}
	}
	return rendered, err
}
