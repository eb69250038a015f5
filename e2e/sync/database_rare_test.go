// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/postgres"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	"github.com/google/go-cmp/cmp"
)

// newWorldWithDatabase returns a namespace of a stack of its own whose Porch keeps packages in PostgreSQL, with three
// variants: one with a draft, one whose draft a person has edited, and one that is published. drafts has their files by
// the names of the revisions.
func newWorldWithDatabase(t *testing.T) (w *world, c *controller.Process, drafts map[string]map[string]string) {
	t.Helper()
	postgres.Require(t)
	t.Parallel()
	apart := stacktest.Start(t, stack.Options{Functions: functions(), Cache: stack.DBCache})
	if err := controller.Install(t.Context(), apart); err != nil {
		t.Fatal(err)
	}
	w = newWorldOn(t, apart)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"), newVariant("edited"), newVariant("live"))
	c = w.start()
	w.target("web")
	w.edit(w.target("edited"), `a: "1" # one`, `a: "mine" # my own`)
	w.publish(w.target("live"))
	w.seesPublished("live")
	drafts = map[string]map[string]string{}
	for _, name := range []string{"web", "edited", "live"} {
		target := w.target(name)
		drafts[target] = w.Files(target)
	}
	w.void()
	return w, c, drafts
}

// asBefore fails the test unless the drafts, and what is published, are what they were, and there are no others.
func (w *world) asBefore(drafts map[string]map[string]string) {
	w.t.Helper()
	for name, files := range drafts {
		if diff := cmp.Diff(files, w.Files(name)); diff != "" {
			w.t.Errorf("%s (-before +after):\n%s", name, diff)
		}
	}
	w.expectDrafts("web", "edge.web.packagevariant-1")
	w.expectDrafts("edited", "edge.edited.packagevariant-1")
	w.expectDrafts("live")
}

// later gives all variants something to do, and returns a function that waits until it is done.
func (w *world) later(value string) (done func()) {
	w.t.Helper()
	w.Apply(configMap("eu", map[string]string{"api": value}))
	w.void()
	return func() {
		w.t.Helper()
		for _, target := range []string{"edge.web.packagevariant-1", "edge.edited.packagevariant-1",
			"edge.live.packagevariant-2"} {
			w.waitFile(target, "region.yaml", "api: "+value)
		}
		w.waitFile("edge.edited.packagevariant-1", "settings.yaml", `a: "mine" # my own`)
		w.expectDrafts("web", "edge.web.packagevariant-1")
		w.expectDrafts("edited", "edge.edited.packagevariant-1")
		w.expectDrafts("live", "edge.live.packagevariant-2")
	}
}

// says waits until Porch is unavailable for a variant, in words of Porch that contain a text.
func (w *world) says(name, text string) {
	w.t.Helper()
	w.Eventually(name+" says "+text, func() error {
		c := w.Condition(name, v1alpha1.ConditionReady)
		if c.Reason != v1alpha1.ReasonPorchUnavailable || !strings.Contains(c.Message, text) {
			return fmt.Errorf("it says %s: %s", c.Reason, c.Message)
		}
		return nil
	})
}

// TestDatabaseDown stops the database, changes objects meanwhile, and restarts the controller: it takes nothing for
// gone, and finishes once the database is back.
func TestDatabaseDown(t *testing.T) {
	rare(t)
	w, c, drafts := newWorldWithDatabase(t)
	if err := w.stack.Kill(stack.Postgres); err != nil {
		t.Fatal(err)
	}
	done := w.later("late")
	w.says("web", "failed to connect")
	before := w.Variant("edited").Status.DownstreamTargets
	c.Kill()
	again := controller.Start(t, w.options())
	w.Never(5*time.Second, "a controller that is started anew takes anything for gone", func() error {
		for _, name := range []string{"web", "edited", "live"} {
			if c := w.Condition(name, v1alpha1.ConditionReady); strings.Contains(c.Reason, "NotFound") {
				return fmt.Errorf("%s: %s", c.Reason, c.Message)
			}
		}
		return nil
	})
	if diff := cmp.Diff(before, w.Variant("edited").Status.DownstreamTargets); diff != "" {
		t.Errorf("targets (-before +after):\n%s", diff)
	}
	if err := w.stack.Restart(t.Context(), stack.Postgres); err != nil {
		t.Fatal(err)
	}
	again.WaitReady(t.Context())
	done()
	w.Ready("web")
	if got := w.Files("edge.live.packagevariant-1"); !maps.Equal(got, drafts["edge.live.packagevariant-1"]) {
		t.Error("what was published has changed")
	}
}

// TestDatabaseSlow has the database answer nothing for longer than the controller waits for an answer.
func TestDatabaseSlow(t *testing.T) {
	rare(t)
	w, c, _ := newWorldWithDatabase(t)
	c.Stop()
	controller.Start(t, w.options("--request-timeout=5s"))
	w.later("early")() // a controller that is ready has not read its lists yet
	if err := w.stack.Pause(stack.Postgres); err != nil {
		t.Fatal(err)
	}
	done := w.later("late")
	for _, name := range []string{"web", "edited", "live"} {
		w.says(name, "no answer within 5s")
	}
	if err := w.stack.Resume(stack.Postgres); err != nil {
		t.Fatal(err)
	}
	done()
}

// TestDatabaseFull has the database refuse what needs space.
func TestDatabaseFull(t *testing.T) {
	rare(t)
	w, _, drafts := newWorldWithDatabase(t)
	w.sql(`CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION
		'could not extend file "base/1": No space left on device' USING ERRCODE = '53100'; END $$;
		CREATE TRIGGER no_space BEFORE INSERT OR UPDATE ON package_revisions FOR EACH ROW EXECUTE PROCEDURE no_space()`)
	done := w.later("late")
	w.says("web", "No space left on device")
	w.says("live", "No space left on device")
	w.asBefore(drafts)
	w.sql(`DROP TRIGGER no_space ON package_revisions`)
	done()
}

// refuseFiles has the database refuse a file of a draft, so that Porch writes only some of the files, and returns a
// function that ends that.
func (w *world) refuseFiles(draft, file string) (end func()) {
	w.t.Helper()
	w.sql(fmt.Sprintf(`CREATE FUNCTION no_file() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION
		'terminating connection due to administrator command' USING ERRCODE = '57P01'; END $$;
		CREATE TRIGGER no_file BEFORE INSERT ON resources FOR EACH ROW
		WHEN (NEW.k8s_name = '%s' AND NEW.resource_key = '%s') EXECUTE PROCEDURE no_file()`, draft, file))
	return func() {
		w.t.Helper()
		w.sql(`DROP TRIGGER no_file ON resources; DROP FUNCTION no_file`)
	}
}

// TestDatabaseStopsInASave has Porch write only some of the files of a draft that a person has edited, again and again
// for a while. The controller repeats the save until all files are there, including the person's.
func TestDatabaseStopsInASave(t *testing.T) {
	rare(t)
	w, _, _ := newWorldWithDatabase(t)
	end := w.refuseFiles("edge.edited.packagevariant-1", "settings.yaml")
	done := w.later("late")
	w.waitLost("edge.edited.packagevariant-1", "settings.yaml")
	end()
	done()
	w.Ready("edited")
}

// TestDatabaseStopsInASaveBeforeAKill has Porch write only some of the files of a draft, and kills the controller. The
// next controller does nothing to the draft, and says what it lacks, until a person deletes it. Files are refused until
// then, because Porch finishes a save that a killed controller began.
func TestDatabaseStopsInASaveBeforeAKill(t *testing.T) {
	rare(t)
	w, c, _ := newWorldWithDatabase(t)
	const draft, next = "edge.web.packagevariant-1", "edge.web.packagevariant-2"
	end := w.refuseFiles(draft, "settings.yaml")
	w.Apply(configMap("eu", map[string]string{"api": "late"}))
	w.waitLost(draft, "settings.yaml")
	c.Kill()
	c = controller.Start(t, w.options("--request-timeout=5s"))
	c.WaitReady(t.Context())
	// Porch writes the files in any order, and may have written none of them.
	got := w.message("web", "SaveInterrupted")
	if !strings.HasPrefix(got, draft+" lacks files (") || !strings.Contains(got, "), because ") {
		t.Errorf("it says %q, want that %s lacks files", got, draft)
	}
	end()
	w.Delete(w.Revision(draft))
	w.Ready("web")
	w.expectDrafts("web", next)
}

// waitLost waits until a draft has files, but not this.
func (w *world) waitLost(draft, file string) {
	w.t.Helper()
	w.Eventually(draft+" lacks "+file, func() error {
		files, err := w.stack.QueryDatabase(w.t.Context(),
			fmt.Sprintf(`SELECT resource_key FROM resources WHERE k8s_name = '%s'`, draft))
		if err == nil && strings.Contains(files, file) {
			err = fmt.Errorf("it has %s", files)
		}
		return err
	})
}

// TestDatabaseEmpty starts Porch with another, empty database: published revisions come back from git, and the drafts
// are gone. The controller makes them again, publishes nothing, and does not touch what people published.
func TestDatabaseEmpty(t *testing.T) {
	rare(t)
	w, _, drafts := newWorldWithDatabase(t)
	if err := w.stack.StopPorch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.stack.EmptyDatabase(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.stack.StartPorch(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Eventually("the drafts are made once more", func() error {
		for _, name := range []string{"web", "edited"} {
			made, published, err := w.listDrafts(name)
			if err != nil || len(made) != 1 || len(published) != 0 {
				return fmt.Errorf("of %s there are %v and %v, %w", name, made, published, err)
			}
		}
		return nil
	})
	w.target("web")
	w.target("edited")
	w.seesPublished("live")
	if got := w.Files("edge.live.packagevariant-1"); !maps.Equal(got, drafts["edge.live.packagevariant-1"]) {
		t.Error("what was published has changed")
	}
	w.expectDrafts("live")
	w.expectStates("live", map[string]state{"packagevariant-1": {isPublished, 1}})
	w.Never(5*time.Second, "there is a second draft", func() error {
		for _, name := range []string{"web", "edited"} {
			if made, _, err := w.listDrafts(name); err == nil && len(made) != 1 {
				return fmt.Errorf("of %s there are %v", name, made)
			}
		}
		return nil
	})
}

// sql runs SQL in the database.
func (w *world) sql(text string) {
	w.t.Helper()
	if _, err := w.stack.QueryDatabase(w.t.Context(), text); err != nil {
		w.t.Fatal(err)
	}
}
