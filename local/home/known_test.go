// SPDX-License-Identifier: Apache-2.0

package home

import (
	"testing"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// found returns the names of what is found by a value.
func (w *world) found(by packages.Index, text string) (names []string) {
	w.Helper()
	all, err := w.home.Find(w.Context(), namespace, by, text)
	if err != nil {
		w.Fatal(err)
	}
	for _, r := range all {
		names = append(names, r.Name+" "+string(r.Lifecycle))
	}
	return names
}

// TestFind finds revisions by each index, as what they are found by changes in a round and with what others push.
func TestFind(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	source, err := w.home.Get(t.Context(), namespace, "blueprints.web.v1")
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, []string{"blueprints.web.main Published", "blueprints.web.v1 Published"}, w.found(packages.ByPackage, "blueprints/web"))
	wantEqual(t, []string{"blueprints.web.main Published", "blueprints.web.v1 Published"}, w.found(packages.All, ""))
	wantEqual(t, []string(nil), w.found(packages.ByLock, source.LockKeys()[0]))
	name := w.draft(w.home, edge("web/inner"), source.Name)
	const draft, main, published = "edge.web.inner.packagevariant-1 Draft", "edge.web.inner.main Published",
		"edge.web.inner.packagevariant-1 Published"
	wantEqual(t, []string{draft}, w.found(packages.ByPackage, "edge/web/inner"))
	wantEqual(t, []string{draft}, w.found(packages.Inside, "edge/web"))
	wantEqual(t, []string{draft}, w.found(packages.ByOwner, "web/inner"))
	wantEqual(t, []string{draft}, w.found(packages.ByLock, source.LockKeys()[0]))
	wantEqual(t, []string{draft}, w.found(packages.ByLock, source.Commit))
	w.approve(w.home, name)
	wantEqual(t, []string{main, published}, w.found(packages.Inside, "edge/web"))
	r, err := w.home.Named(t.Context(), namespace, name)
	if err == nil {
		err = w.home.Own(t.Context(), &r, nil, packages.Metadata{})
	}
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, []string(nil), w.found(packages.ByOwner, "web/inner"))
	w.push(w.home)
	wantEqual(t, []string{main, published}, w.found(packages.ByPackage, "edge/web/inner"))
	w.people("edge").Push("Push", map[string]string{"plain/Kptfile": "kind: Kptfile\n"}, "HEAD:refs/heads/main")
	w.round(w.home)
	wantEqual(t, []string{"edge.plain.main Published"}, w.found(packages.ByPackage, "edge/plain"))
	all, err := w.home.Find(t.Context(), "", packages.ByPackage, "edge/web/inner")
	if err != nil || len(all) != 2 {
		t.Error(all, err)
	}
}

// TestDelete ends drafts that were pushed, and that were not.
func TestDelete(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	w.draft(w.home, edge("a"), "blueprints.web.v1")
	w.push(w.home)
	w.round(w.home)
	w.draft(w.home, edge("b"), "blueprints.web.v1")
	for _, pkg := range []string{"a", "b"} {
		r := revision.Revision{Namespace: namespace, Name: edge(pkg).NameOf("packagevariant-1"), Package: edge(pkg)}
		if err := w.home.Delete(t.Context(), &r); err != nil {
			t.Error(err)
		}
	}
	wantEqual(t, []string{"edge.a.packagevariant-1: pushed"}, w.push(w.home))
	wantEqual(t, []string{"heads/main"}, w.state(w.home, "a", "b"))
}
