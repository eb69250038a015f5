// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/postgres"
)

// starting starts a stack with the function of image, and stops it at the test's end.
func starting(t *testing.T, cache Cache) *Stack {
	t.Helper()
	s, err := Start(t.Context(), Options{Cache: cache, Functions: map[string]string{
		image: filepath.Join(os.Getenv("FUNCTIONS_BIN"), "apply-package-context"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// serving is starting with a registered repository, blueprints.
func serving(t *testing.T, cache Cache) *Stack {
	t.Helper()
	s := starting(t, cache)
	if err := s.RegisterRepository(t.Context(), Repository{Namespace: "default", Name: "blueprints"}); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestKill checks that packages can be published after each component was killed and started again.
func TestKill(t *testing.T) {
	s := serving(t, "")
	publish(t, s, "before")
	for i, component := range s.Components() {
		pid := s.PIDs()[component]
		if err := s.Kill(component); err != nil {
			t.Fatal(err)
		}
		expectGone(t, map[string]int{component: pid})
		if err := s.Restart(t.Context(), component); err != nil {
			t.Fatal(err)
		}
		publish(t, s, "after-"+strconv.Itoa(i))
		expectLifecycle(t, s, "blueprints.before.v1", "Published")
	}
}

// TestDatabase checks what the database of the DB cache stores: drafts are only there, and published packages come back
// from git.
func TestDatabase(t *testing.T) {
	postgres.Require(t)
	s := serving(t, DBCache)
	if s.Cache() != DBCache {
		t.Errorf("the cache is %s", s.Cache())
	}
	publish(t, s, "published")
	user(t, s)("init", "draft", "--repository=blueprints", "--workspace=v1")
	kept := func(t *testing.T) {
		t.Helper()
		expectLifecycle(t, s, "blueprints.published.v1", "Published")
		expectLifecycle(t, s, "blueprints.draft.v1", "Draft")
	}
	kept(t)
	for _, component := range []string{Postgres, Porch} {
		if err := s.Kill(component); err != nil {
			t.Fatal(err)
		}
		if err := s.Restart(t.Context(), component); err != nil {
			t.Fatal(err)
		}
		kept(t)
	}
	t.Run("paused", func(t *testing.T) {
		pauses(t, s)
		kept(t)
	})
	t.Run("emptied", func(t *testing.T) { empties(t, s) })

	pids := s.PIDs()
	backends, err := children(pids[Postgres])
	if err != nil || len(backends) == 0 {
		t.Errorf("the processes of PostgreSQL are %v, %v", backends, err)
	}
	for _, pid := range backends {
		pids["process of PostgreSQL "+strconv.Itoa(pid)] = pid
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	expectGone(t, pids)
}

// pauses expects that the paused database does not answer.
func pauses(t *testing.T, s *Stack) {
	if err := s.Pause(Postgres); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if out, err := s.QueryDatabase(ctx, "SELECT 1"); err == nil {
		t.Errorf("the paused database answers: %s", out)
	}
	if err := s.Resume(Postgres); err != nil {
		t.Fatal(err)
	}
	if out, err := s.QueryDatabase(t.Context(), "SELECT 1"); err != nil || strings.TrimSpace(out) != "1" {
		t.Errorf("the database answers %q, %v", out, err)
	}
}

// empties expects that published packages survive the loss of the database, and that drafts do not.
func empties(t *testing.T, s *Stack) {
	if err := s.StopPorch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.EmptyDatabase(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.StartPorch(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		has, err := lifecycles(ctx, s)
		if err == nil && has["blueprints.published.v1"] != "Published" {
			err = fmt.Errorf("what was published has not come back: %v", slices.Collect(maps.Keys(has)))
		}
		return err
	})
	if has, err := lifecycles(t.Context(), s); err != nil || has["blueprints.draft.v1"] != "" {
		t.Errorf("the draft is still there: %v, %v", has, err)
	}
	publish(t, s, "later")
}

// expectLifecycle fails the test if a package revision does not reach a lifecycle within a minute.
func expectLifecycle(t *testing.T, s *Stack, name, want string) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		has, err := lifecycles(ctx, s)
		if err == nil && has[name] != want {
			err = fmt.Errorf("%s is %q, want %s", name, has[name], want)
		}
		return err
	})
}

// lifecycles returns the lifecycle of each package revision.
func lifecycles(ctx context.Context, s *Stack) (map[string]string, error) {
	out, err := s.Kubectl(ctx, "get", "packagerevisions."+porchVersion+"."+porchGroup,
		"--output=jsonpath={range .items[*]}{.metadata.name}={.spec.lifecycle}{\"\\n\"}{end}")
	if err != nil {
		return nil, err
	}
	has := map[string]string{}
	for _, line := range strings.Fields(out) {
		if name, lifecycle, ok := strings.Cut(line, "="); ok {
			has[name] = lifecycle
		}
	}
	return has, nil
}
