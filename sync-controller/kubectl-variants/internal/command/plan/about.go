// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"time"

	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/world"
	"k8s.io/apimachinery/pkg/util/duration"
)

// about returns what is known about a plan's origin before the world is read.
func (o *options) about() plans.About {
	about := plans.About{Snapshot: o.from, Namespace: *o.env.Flags.Namespace, AllNamespaces: o.all, Time: o.env.Now(),
		Named: len(o.files) > 0}
	if o.from == "" {
		about.Cluster = o.env.ClusterName()
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

// aboutOf says what a plan was made from and when, and how old its snapshot is; "" if that is unknown.
func aboutOf(a *plans.About) string {
	if a.Time.IsZero() {
		return ""
	}
	over := "Over the cluster " + a.Cluster
	if a.Snapshot != "" {
		over = "Over the snapshot " + a.Snapshot
	}
	switch {
	case a.AllNamespaces:
		over += ", all namespaces"
	case a.Namespace != "":
		over += ", namespace " + a.Namespace
	}
	over += ", planned at " + minute(a.Time) + "."
	if a.Newest.IsZero() {
		return over
	}
	return fmt.Sprintf("%s The newest that the snapshot has is of %s, %s before.", over, minute(a.Newest),
		duration.HumanDuration(max(0, a.Time.Sub(a.Newest))))
}

// minute returns a time as people read it.
func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
