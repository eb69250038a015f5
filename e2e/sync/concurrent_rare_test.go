// SPDX-License-Identifier: Apache-2.0

package sync

import "testing"

// TestTwoControllers has two controllers at work at once, neither of which asks who leads. One may take the draft that the
// other is making for one that was not finished: it goes, and another is made. In the end each package has one draft for
// each change, and both come to rest.
func TestTwoControllers(t *testing.T) {
	rare(t)
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Publish("blueprints", "web", "v2", settingsV2)
	first, second := w.start(), w.start()
	names := []string{"a", "b", "c", "d"}
	for _, name := range names {
		w.Apply(newVariant(name, contextOnly))
	}
	w.quiet(first)
	w.quiet(second)
	for _, name := range names {
		draft := w.target(name)
		w.expectDrafts(name, draft)
		w.publish(draft)
		w.seesPublished(name)
	}
	for _, name := range names {
		w.Apply(newVariant(name, contextOnly, zone, revision(2)))
	}
	for _, name := range names {
		w.waitOneDraft(name)
	}
	w.quiet(first)
	w.quiet(second)
	for _, name := range names {
		draft := w.target(name)
		w.expectDrafts(name, draft)
		w.waitFile(draft, "package-context.yaml", "zone: a")
		w.waitFile(draft, "settings.yaml", `b: "3"`)
	}
}
