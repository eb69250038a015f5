// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/engine/adopt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/review"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/krm"
)

// Adopt shows the revision of its upstream that a copy is nearest to, and how they differ, asks for confirmation unless
// the user already said yes, and makes the draft that says so.
func Adopt(ctx context.Context, to Streams, d *Differ, home packages.Lister, c *adopt.Copy, yes bool) (
	*revision.Revision, error) {
	found, err := adopt.Find(ctx, home, c)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintln(to.Out, krm.Visible(found.String())); err != nil {
		return nil, err
	}
	_, err = d.Run(ctx, to, review.Side{Name: found.Upstream.Name, Files: found.Upstream.Files},
		review.Side{Name: found.Copy.Name, Files: found.Copy.Files})
	if err != nil {
		return nil, err
	}
	question := fmt.Sprintf("make a draft of %s with %s as its upstream?", c.Package, found.Upstream.Name)
	if err := to.Confirm(krm.Visible(question), yes); err != nil {
		return nil, err
	}
	made, err := found.Draft(ctx, home)
	return &made, err
}
