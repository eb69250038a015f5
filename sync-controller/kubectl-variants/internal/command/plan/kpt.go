// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/local/programs"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/world"
)

// newKpt returns a renderer that runs the user's kpt.
func newKpt() (world.Render, error) {
	installed, err := programs.FindKpt()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, files map[string]string) (map[string]string, error) {
		formatted, err := kpt.Render(files)
		if err != nil || len(kpt.Pipelines(files)) == 0 {
			return formatted, err
		}
		rendered, err := installed.Render(ctx, formatted)
		if lacking, ok := errors.AsType[*programs.RuntimeError](err); ok {
			return nil, fmt.Errorf("kpt cannot run functions (%w), and what they change %w: start docker, or what "+
				"KRM_FN_RUNTIME names, or leave out --render: %s", lacking.Err, plans.ErrUnforeseen, lacking.Said)
		}
		if failed, ok := errors.AsType[*programs.PipelineError](err); ok {
			// As Porch says it, in one line.
			return nil, packages.RenderError("pkg.render: " + strings.Join(strings.Fields(failed.Said), " "))
		}
		return rendered, err
	}, nil
}
