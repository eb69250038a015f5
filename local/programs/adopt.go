// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/engine/adopt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/review"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/functions/krm"
)

// Adopt shows the revision of its upstream that each copy is nearest to, and how they differ, asks for confirmation
// unless the user already said yes, and makes the drafts that say so.
func Adopt(ctx context.Context, to Streams, d *Differ, home packages.Lister, copies []*adopt.Copy, yes bool) (
	made []revision.Revision, err error) {
	var all []*adopt.Likeness
	for _, c := range copies {
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
		all = append(all, found)
	}
	question := fmt.Sprintf("make %s with these upstreams?", words.Count(len(all), "draft"))
	if len(all) == 1 {
		question = fmt.Sprintf("make a draft of %s with %s as its upstream?", copies[0].Package, all[0].Upstream.Name)
	}
	if err := to.Confirm(krm.Visible(question), yes); err != nil {
		return nil, err
	}
	for _, found := range all {
		r, err := found.Draft(ctx, home)
		if err != nil {
			return made, err
		}
		made = append(made, r)
	}
	return made, nil
}
