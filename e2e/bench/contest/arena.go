// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	"github.com/jackc/pgx/v5"
)

// arena is a stack with the blueprints, the Repositories and the objects of a scenario, without variants.
type arena struct {
	*fleet.Fleet
	t     harness.T
	stack *stack.Stack
	// reread is the wait before drafts are verified: long enough for Porch to read all repositories again.
	reread time.Duration
}

// newArena starts a stack with a cache of Porch. The stack ends with t.
func newArena(t harness.T, scenario Scenario, cache stack.Cache) *arena {
	t.Helper()
	images, err := functions()
	if err != nil {
		t.Fatal(err)
	}
	s := stacktest.Start(t, stack.Options{Functions: images, Cache: cache})
	a := &arena{Fleet: fleet.New(t, s, namespace), t: t, stack: s, reread: reread[cache]}
	a.Repository(blueprints, nil, false)
	for i := range scenario.Repositories {
		a.Repository(repositoryName(i), map[string]string{"env": deployEnv, "region": region(i)}, true)
	}
	for _, blueprint := range []string{fixed, floating} {
		a.publish(blueprint, "v1", firstTag)
	}
	for _, region := range regions {
		a.Apply(endpointsObject(region, 1))
	}
	return a
}

// publish publishes a revision of a blueprint.
func (a *arena) publish(blueprint, workspace, tag string) {
	a.t.Helper()
	a.Approve(a.propose(blueprint, workspace, tag))
}

// propose makes a proposed revision of a blueprint, ready for approval, and returns its name.
func (a *arena) propose(blueprint, workspace, tag string) string {
	a.t.Helper()
	content, err := blueprintFiles(tag)
	if err != nil {
		a.t.Fatal(err)
	}
	name := a.Draft(blueprints, blueprint, workspace, content).Name
	a.Propose(name)
	return name
}

// gitName is the name of the git repository of a Repository, as Fleet gives it.
func gitName(repository string) string { return namespace + "-" + repository }

// observe returns an observer of packages.
func (a *arena) observe(packages []pkg) *observer {
	a.t.Helper()
	o, err := newObserver(a.drafts(packages), packages)
	if err != nil {
		a.t.Fatal(err)
	}
	return o
}

// drafts returns what Porch holds of packages.
func (a *arena) drafts(packages []pkg) drafts {
	a.t.Helper()
	if a.stack.Cache() == stack.CRCache {
		repositories := map[string]bool{}
		for _, p := range packages {
			repositories[p.Repository] = true
		}
		return newGitDrafts(filepath.Join(a.stack.Dir, "git"), slices.Sorted(maps.Keys(repositories)))
	}
	address, err := a.stack.DatabaseURL()
	if err != nil {
		a.t.Fatal(err)
	}
	database, err := pgx.Connect(a.t.Context(), address)
	if err != nil {
		a.t.Fatalf("cannot connect to Porch's database: %v", err)
	}
	a.t.Cleanup(func() { _ = database.Close(context.Background()) }) // it wrote nothing
	return newRowDrafts(database)
}

// within returns a context for something that should happen within d.
func (a *arena) within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(a.t.Context(), d, errors.New("not within "+d.String()))
}

// sleep waits for d, unless the benchmark is interrupted.
func (a *arena) sleep(d time.Duration) {
	a.t.Helper()
	select {
	case <-a.t.Context().Done():
		a.t.Fatal("interrupted")
	case <-time.After(d):
	}
}

// reread is the longest that Porch takes to read all repositories again, which it does every ten seconds with the CR
// cache. What Porch stored wrongly shows then. With the DB cache, it forgets nothing.
var reread = map[stack.Cache]time.Duration{stack.CRCache: 12 * time.Second}

// mending is the time a controller has to repair what Porch stored wrongly.
const mending = 20 * time.Second

// verify compares the drafts of packages with what they should be, in Porch's API after Porch has read its repositories
// again. It returns how many are missing or wrong and stay so for a while, and the first fault.
func (a *arena) verify(packages []pkg) (wrong int, fault string) {
	a.t.Helper()
	a.sleep(a.reread)
	for deadline := time.Now().Add(mending); ; a.sleep(time.Second) {
		wrong, fault = 0, ""
		for _, p := range packages {
			if err := a.verifyOne(p); err != nil {
				if wrong++; wrong == 1 {
					fault = err.Error()
				}
			}
		}
		if wrong == 0 || time.Now().After(deadline) {
			return wrong, fault
		}
	}
}
