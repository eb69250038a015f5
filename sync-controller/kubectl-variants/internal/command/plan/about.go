// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/world"
)

// about returns what is known about a plan's origin before the world is read.
func (o *options) about() plans.About {
	about := plans.About{Over: "the snapshot " + o.from, Namespace: o.env.Flags.Namespace(), AllNamespaces: o.all,
		Time: o.env.Now(), Named: len(o.files) > 0}
	if o.from == "" {
		about.Over = "the cluster " + o.env.ClusterName()
	}
	return about
}

// over returns where a plan is made, over a world that was read.
func (o *options) over(w *world.World, namespace string) plans.About {
	about := o.about()
	about.Namespace = namespace
	if o.from != "" {
		about.Newest = w.Newest
	}
	return about
}
