// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/sets"
)

// cluster is a cluster in memory in which only the controller of sets runs. It has the set web, of the second revision
// of the blueprint web in the Repositories a and b.
type cluster struct {
	*memorytest.Cluster
	*sets.Reconciler
}

func newCluster(t *testing.T, edits ...func(*v1alpha2.PackageVariantSetSpec)) *cluster {
	t.Helper()
	c := &cluster{Cluster: memorytest.New(t, true)}
	for _, name := range []string{"a", "b", "blueprints"} {
		c.Repository(name, nil)
	}
	c.Blueprint("web", 2, memorytest.Files("web", "red"))
	set := &v1alpha2.PackageVariantSet{ObjectMeta: memorytest.Meta("web"), Spec: v1alpha2.PackageVariantSetSpec{
		Upstream: &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(2)},
		Targets:  []v1alpha2.Target{{Repositories: []v1alpha2.RepositoryTarget{{Name: "a"}, {Name: "b"}}}},
	}}
	for _, edit := range edits {
		edit(&set.Spec)
	}
	c.Objects.Add(set)
	client := c.NewClient()
	c.Reconciler = sets.New(sets.Ports{Packages: client.Packages, Known: client.Packages, Sets: client.Objects,
		Selected: c.Source(), Functions: mutate.Builtin{}}, sets.Options{Version: "v1"})
	return c
}

// set returns the set as it is now.
func (c *cluster) set() *v1alpha2.PackageVariantSet { return &c.Objects.AllSets()[0] }

// edits changes the spec of the set, as a user does.
func (c *cluster) edits(change func(*v1alpha2.PackageVariantSetSpec)) {
	c.T.Helper()
	c.EditSet("web", func(set *v1alpha2.PackageVariantSet) { change(&set.Spec) })
}

// reconcile reconciles the set and returns what was written for it, in the order of names, and what Ready says.
func (c *cluster) reconcile(wantError bool) (writes []string, ready string) {
	c.T.Helper()
	c.Writes()
	if _, err := c.Reconcile(c.T.Context(), memorytest.Key("web")); (err != nil) != wantError {
		c.T.Fatalf("error %v, want one: %v", err, wantError)
	}
	for _, w := range c.Writes() {
		writes = append(writes, w.Request()+" "+w.Name)
	}
	slices.Sort(writes) // the variants' are made at once
	s := c.set().Status
	return writes, fmt.Sprintf("%d/%d/%d %s", s.Desired, s.Current, s.Ready, s.Conditions[0].Reason)
}

// message returns what the condition Ready says.
func (c *cluster) message() string {
	for _, condition := range c.set().Status.Conditions {
		if condition.Type == v1alpha1.ConditionReady {
			return condition.Message
		}
	}
	return ""
}

// published publishes a revision of a package in the Repository blueprints, with the label tier: base.
func (c *cluster) published(pkg string, number int) {
	c.Blueprint(pkg, number, memorytest.Files(pkg, "red"), tier("base"))
}

var errBoom = errors.New("boom")

const status = "patch packagevariantsets/status web"
