// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"
)

// TestEditedDraftLeft has the manifest of a published package go while a person has committed to its draft, before a sync
// has seen that or after: the branch stays as it is, and that is said once.
func TestEditedDraftLeft(t *testing.T) {
	t.Parallel()
	for name, isSeen := range map[string]bool{"before it was seen": false, "after it was seen": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := published(t, web+"  deletionPolicy: delete\n")
			w.secondVersion()
			w.sync()
			w.Push(strings.TrimPrefix(draft2, "heads/"), "Edit", map[string]string{"edge/web/mine.yaml": "a: b\n"})
			if isSeen {
				w.sync()
			}
			edited := w.Remote.Refs()["refs/"+draft2]
			w.manifest("web.yaml", "# none\n")
			w.Equal("said", []string{"default/edge.web.packagevariant-2: its branch drafts/edge/web/packagevariant-2 stays, at " +
				edited + ", because people changed it: it belongs to no variant any more, so delete it when nobody needs it"},
				w.sync().Notes)
			w.Equal("what a person wrote", edited, w.Remote.Refs()["refs/"+draft2])
			w.idle()
		})
	}
}
