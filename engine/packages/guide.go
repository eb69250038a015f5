// SPDX-License-Identifier: Apache-2.0

package packages

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

// Guide is a Known that can say more of an upstream than that it is not there.
type Guide interface {
	// Missing returns what is known of the place of an upstream of which there is no revision.
	Missing(ctx context.Context, namespace string, u *variant.Upstream) (revision.Missing, error)
}

// MissingIn returns what is known of the place of an upstream of which there is no revision: nothing unless a Known is
// a Guide.
func MissingIn(ctx context.Context, known Known, namespace string, u *variant.Upstream) (revision.Missing, error) {
	if guide, ok := known.(Guide); ok {
		return guide.Missing(ctx, namespace, u)
	}
	return revision.Missing{}, nil
}
