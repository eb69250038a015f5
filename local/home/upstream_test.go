// SPDX-License-Identifier: Apache-2.0

package home

import "testing"

// TestRewrittenUpstream has the history of an upstream rewritten. Whether the content is still that of which a draft was
// made is known without the former commits: the home keeps the trees of the locks of what a variant owns.
func TestRewrittenUpstream(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files map[string]string
		cache bool
		want  bool
	}{
		"with the same content":                  {nil, true, true},
		"with the same content, in a new clone":  {nil, false, true},
		"with another content":                   {map[string]string{"web/more.txt": "more\n"}, true, false},
		"with another content, in a new clone":   {map[string]string{"web/more.txt": "more\n"}, false, false},
		"beside the package, and in a new clone": {map[string]string{"README": "more\n"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begun(t, nil)
			draft := w.draft(w.home, edge("web"), "blueprints.web.v1")
			w.push(w.home)
			w.settles()
			if _, err := w.home.List(t.Context(), namespace, edge("web")); err != nil {
				t.Fatal(err)
			}
			people := w.people("blueprints")
			people.Git("checkout", "-q", "--orphan", "anew")
			people.Push("Without the secret", tt.files, "+HEAD:refs/heads/main", "+HEAD:refs/tags/web/v1")
			cache := w.cache
			if !tt.cache {
				cache = t.TempDir()
			}
			again := w.homeWith(cache, w.home.Ledger())
			w.round(again)
			of, err := again.Get(t.Context(), namespace, draft)
			if err != nil {
				t.Fatal(err)
			}
			upstream, err := again.Get(t.Context(), namespace, "blueprints.web.v1")
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, tt.want, of.Lock.Names(&upstream))
			wantEqual(t, !tt.want, of.Lock.NamesReplaced(&upstream))
		})
	}
}
