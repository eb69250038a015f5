// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/plans/show"
)

// text returns a plan as people see it.
func (w *world) text(plan *plans.Plan) string {
	w.Helper()
	var out bytes.Buffer
	if err := show.Text(&out, plan, false); err != nil {
		w.Fatal(err)
	}
	return out.String()
}

// TestPlan has a plan say what becomes of an upgrade beside a hotfix, with the files, and who published what.
func TestPlan(t *testing.T) {
	t.Parallel()
	w := conflicting(t, web+"  upgrade: {onConflict: TakeUpstream}\n")
	o := w.options()
	plan := w.plan(o)
	w.Equal("a file", `--- a/settings.yaml
+++ b/settings.yaml
@@ -5,7 +5,7 @@
   annotations:
     internal.kpt.dev/upstream-identifier: '|ConfigMap|default|settings'
 data:
-  size: tiny
+  size: large
   a: a
   b: b
   c: c
`, plan.Variants[0].Drafts[0].Files[1].Diff)
	for i := range plan.Variants[0].Drafts[0].Files {
		plan.Variants[0].Drafts[0].Files[i].Diff = ""
	}
	w.Equal("text", `ACTION   VARIANT  PACKAGE   DRAFT                      UPSTREAM                                FILES  THEN
upgrade  web      edge/web  edge.web.packagevariant-2  blueprints.web.v1 -> blueprints.web.v2  2      UpToDate (Draft)

Conflicts of web:
  data.size of ConfigMap "settings" in settings.yaml: here "tiny", upstream "large"; the merge took the upstream's

Plan: 1 upgrade; 1 conflict.
Note: edge/web: v2 is to be published (the main branch has changed)
`, w.text(plan))
	w.sync()
}

// TestPlanOfRemoval has a plan count what is not merged yet, as it will be when it is, but not what is behind.
func TestPlanOfRemoval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+another("other"))
	w.sync()
	before := strings.TrimSpace(w.People.Git("rev-parse", "HEAD"))
	o := w.options()
	w.write("fleet/web.yaml", web)
	w.Equal("in no commit", `ACTION     VARIANT  PACKAGE     DRAFT  UPSTREAM  FILES  THEN
delete     other    edge/other  -      -         -      delete edge.other.packagevariant-1, let the variant go
unchanged  web      edge/web    -      -         -      UpToDate

Plan: 1 delete, 1 unchanged.
`, w.text(w.plan(o)))
	w.People.Git("checkout", "-q", ".")
	w.Push("main", "Add a third", map[string]string{"fleet/third.yaml": another("third")})
	w.sync()
	synced := strings.TrimSpace(w.People.Git("rev-parse", "HEAD"))
	w.People.Git("checkout", "-q", before)
	plan := w.plan(o)
	w.Equal("behind", []string{fmt.Sprintf("a sync of this commit does nothing: %.10s was synced already, and it is later than "+
		"%.10s, which is checked out", synced, before), fmt.Sprintf("default/third: not in the manifests any more: nothing is removed, because %.10s was "+
		"synced already, and it is later than %.10s, which is checked out", synced, before)},
		plan.Notes)
	if plan.Changes() {
		t.Error(w.text(plan))
	}
}
