// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/plans/show"
)

// text returns a plan as people see it.
func (w *world) text(plan *plans.Plan) string {
	w.Helper()
	var out bytes.Buffer
	if err := show.Text(&out, plan, show.Options{}); err != nil {
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
	w.Equal("text", `ACTION   VARIANT  PACKAGE   DRAFT                      UPSTREAM                                FILES  THEN
upgrade  web      edge/web  edge.web.packagevariant-2  blueprints.web.v1 -> blueprints.web.v2  2      UpToDate (Draft)

1 package, 1 change, 1 conflict

CONFLICT  1: edge/web
  data.size of ConfigMap "settings" in settings.yaml: here "tiny", upstream "large"; the merge took the upstream's
CHANGE 1  1: edge/web, in settings.yaml
  -   size: tiny
  +   size: large

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
	if plan.Writes() {
		t.Error(w.text(plan))
	}
}

// TestPlanOfMany has a new version for many packages, of which two have a hotfix, on one screen.
func TestPlanOfMany(t *testing.T) {
	t.Parallel()
	w := sites(t, 24, "Automatic")
	w.sync()
	w.Push("main", "Hotfix", map[string]string{"sites/0/s3/web/settings.yaml": settings("tiny"),
		"sites/0/s7/web/settings.yaml": settings("tiny")})
	w.sync()
	set, err := os.ReadFile(filepath.Join(w.options().Dir, "web.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	w.Push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": settings("large"),
		"blueprints/web/more.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: more\n",
		"fleet/web.yaml": strings.Replace(string(set), "approvalPolicy: Automatic",
			`approvalPolicy: Automatic, packageContext: {dataExprs: [{key: site, valueExpr: "'site-' + repository.name"}]}`, 1)},
		"HEAD:refs/tags/blueprints/web/v2")
	_, got, _ := strings.Cut(w.text(w.plan(w.options())), "\nand ")
	w.Equal("text", `19 more: upgrade, publish, blueprints.web.v1 -> blueprints.web.v2, approve its draft; UpToDate (Published) (--names)

24 packages, 3 changes, 1 conflict

CONFLICT  2: s3/web, s7/web
  data.size of ConfigMap "settings" in settings.yaml: here "tiny", upstream "large"; the merge kept its own
CHANGE 1  all 24, in package-context.yaml
  +   site: ‹site›
  ‹site›: 24 values, such as site-s0
CHANGE 2  all 24, in more.yaml
  + apiVersion: v1
  + kind: ConfigMap
  + metadata: # kpt-merge: /more
  +   name: more
CHANGE 3  22: s0/web, s1/web and 20 more (--names), in settings.yaml
  -   size: small
  +   size: large

Plan: 24 upgrade, 22 publish; 2 conflicts.
`, got)
}
