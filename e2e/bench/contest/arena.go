// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"
)

// arena is a stack of its own with the blueprints, the Repositories and the objects of a scenario, and no variant.
type arena struct {
	*fleet.Fleet
	t     harness.T
	stack *stack.Stack
	// reread is how long is waited before drafts are verified: long enough for Porch to read all repositories again.
	reread time.Duration
}

// newArena starts a stack, which ends with t.
func newArena(t harness.T, scenario Scenario) *arena {
	t.Helper()
	images, err := functions()
	if err != nil {
		t.Fatal(err)
	}
	s := stacktest.Start(t, stack.Options{Functions: images})
	a := &arena{Fleet: fleet.New(t, s, namespace), t: t, stack: s, reread: reread}
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

// propose makes a revision of a blueprint that only has to be approved, and returns its name.
func (a *arena) propose(blueprint, workspace, tag string) string {
	a.t.Helper()
	content, err := blueprintFiles(tag)
	if err != nil {
		a.t.Fatal(err)
	}
	content["README.md"] = "" // what Porch begins a package with, and is not wanted
	name := a.Draft(blueprints, blueprint, workspace, content).Name
	a.Propose(name)
	return name
}

// gitName is the name of the git repository of a Repository, as Fleet gives it.
func gitName(repository string) string { return namespace + "-" + repository }

// observe returns an observer of packages.
func (a *arena) observe(packages []pkg) *observer {
	return newObserver(filepath.Join(a.stack.Dir, "git"), packages)
}

// within returns a context for what should come about in some time.
func (a *arena) within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(a.t.Context(), d, errors.New("not within "+d.String()))
}

// sleep lets some time pass, unless the benchmark is interrupted.
func (a *arena) sleep(d time.Duration) {
	a.t.Helper()
	select {
	case <-a.t.Context().Done():
		a.t.Fatal("interrupted")
	case <-time.After(d):
	}
}

const (
	// reread is how long Porch takes at most to read all repositories again, which it does every ten seconds. What it has
	// stored badly shows then.
	reread = 12 * time.Second
	// mending is how long a controller gets to mend what Porch has stored badly.
	mending = 20 * time.Second
)

// verify holds the drafts of packages, as Porch's API shows them when it has read its repositories again, against what
// they should be. It returns how many are missing or wrong, and stay so for a while, and the first of these.
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
