// SPDX-License-Identifier: Apache-2.0

// Package memorytest lets tests tell stories about a controller in a world in memory: what the controller writes,
// reports and makes of packages after each act of people. The story must end the same way whichever write fails.
package memorytest

import (
	"context"
	"fmt"
	"testing"

	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/memory"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
)

// Namespace is the namespace of all objects in a Cluster.
const Namespace = "fleet"

// Cluster is a world in memory in which a controller runs. Its writes can be made to fail.
type Cluster struct {
	*memory.World
	T *testing.T
	// Runtime runs the functions of a controller.
	Runtime mutate.Runtime
	// OfSets says that only the writes of the controller of sets are told, and not those of their variants'.
	OfSets bool
	// Unforeseen says that what comes depends on which variant has its turn first, so no plan foresees it.
	Unforeseen bool
	// Render is what the home makes of the files of a draft.
	Render func(ctx context.Context, files map[string]string) (map[string]string, error)
	// Unreadable says why objects cannot be read, by their kind.
	Unreadable map[string]error
	// MayNotApprove reports whether the controller has no right to approve.
	MayNotApprove bool

	// Answer, if it is set, is called before each write of a controller that runs. People may do something in it. An error
	// is the answer to the controller, and then nothing is written.
	Answer func(Call) error
	// Then, if it is set, is called after each write of a controller that is done.
	Then func(Call)
	// Fault is the fault of one of the controller's writes; nil if all succeed, and once it has happened. Failed is then
	// the write that was to fail.
	Fault  *Fault
	Failed Call

	// Errs are the errors of the last reconciles, by the names of objects.
	Errs map[string]error
	// Events are those that were recorded, and Written what the controller wrote, since that was told last.
	Events  []string
	Written []memory.Write

	// git reports whether the cache of the home keeps drafts in git.
	git bool
	// told is the last text about each object.
	told map[string]string
}

// memo has what all clusters of a test binary have found out about files.
var memo = kpt.NewMemo()

// New returns a cluster without objects. The home's cache keeps drafts in git, or is the one in PostgreSQL.
func New(t *testing.T, git bool) *Cluster {
	t.Helper()
	c := &Cluster{T: t, Runtime: mutate.Builtin{}, git: git, told: map[string]string{}, Errs: map[string]error{},
		Unreadable: map[string]error{}}
	c.Render = func(_ context.Context, files map[string]string) (map[string]string, error) { return memo.Render(files) }
	c.World = memory.New(memory.Options{Git: git, HideCommits: !git, Memo: memo,
		Render: func(ctx context.Context, files map[string]string) (map[string]string, error) {
			return c.Render(ctx, files)
		}})
	return c
}

// Base returns the cluster itself, for types in which it is embedded.
func (c *Cluster) Base() *Cluster { return c }

// Must ends the test if an act of people fails.
func (c *Cluster) Must(err error) {
	c.T.Helper()
	if err != nil {
		c.T.Fatal(err)
	}
}

// Source returns a source of the objects that are in the cluster. Each kind is read once.
func (c *Cluster) Source() objects.Source {
	return c.Objects.Source(func(_ context.Context, kind objects.Kind) error { return c.Unreadable[kind.Kind] })
}

// Event notes an Event about an object.
func (c *Cluster) Event(name, kind, reason, message string) {
	c.Events = append(c.Events, fmt.Sprintf("Event %s of %s %s: %s", kind, name, reason, message))
}
